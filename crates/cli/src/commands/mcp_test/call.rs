//! `proofstone mcp-test call`: one call of one tool.

use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::Server;
use crate::out::{self, BadUsage};

/// Call one tool of a server.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The tool
    #[arg(long, value_name = "NAME")]
    tool: String,
    /// Its arguments, as JSON
    #[arg(long, value_name = "JSON", default_value = "{}")]
    arguments: String,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let arguments: Map<String, Value> = serde_json::from_str(&args.arguments)
        .map_err(|error| BadUsage(format!("the arguments are not a JSON object: {error}")))?;
    let connection = args.server.connect().await?;
    let params = json!({ "name": args.tool, "arguments": arguments });
    let answer = connection.request("tools/call", params, None).await;
    connection.client.close().await;
    let reply = answer?;
    out::json(&reply.result)?;
    let failed = reply.result["isError"] == true;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
