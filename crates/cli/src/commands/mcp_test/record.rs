//! `proofstone mcp-test record`: a session as a file.

use std::path::PathBuf;
use std::process::ExitCode;

use proofstone_mcptest::Fault;
use proofstone_mcptest::connection::Connection;
use proofstone_mcptest::recording::Recording;
use serde_json::{Value, json};

use super::Server;
use crate::out::{self, BadUsage};

/// Write a session with a server to a file: calls, reads and prompts with their answers.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "mcp-session.json")]
    out: PathBuf,
    /// A call to make: a tool's name, or NAME=JSON with its arguments
    #[arg(long = "call", value_name = "NAME=JSON")]
    calls: Vec<String>,
    /// A resource to read
    #[arg(long = "read", value_name = "URI")]
    reads: Vec<String>,
    /// A prompt to get: its name, or NAME=JSON with its arguments
    #[arg(long = "prompt", value_name = "NAME=JSON")]
    prompts: Vec<String>,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut requests = Vec::new();
    for call in &args.calls {
        requests.push(("tools/call", named(call)?));
    }
    requests.extend(args.reads.iter().map(|uri| ("resources/read", json!({ "uri": uri }))));
    for prompt in &args.prompts {
        requests.push(("prompts/get", named(prompt)?));
    }
    let connection = args.server.connect().await?;
    let recorded = record(&connection, requests).await;
    connection.client.close().await;
    let recording = recorded?;
    std::fs::write(&args.out, recording.written())?;
    out::note(format!("{} written: {} exchanges", args.out.display(), recording.exchanges.len()));
    Ok(ExitCode::SUCCESS)
}

async fn record(connection: &Connection, requests: Vec<(&str, Value)>) -> Result<Recording, Fault> {
    for (method, params) in requests {
        match connection.request(method, params, None).await {
            // An error is an answer too, and worth keeping.
            Ok(_) | Err(Fault::Rpc { .. }) => {}
            Err(fault) => return Err(fault),
        }
    }
    Recording::of(connection).await
}

fn named(text: &str) -> anyhow::Result<Value> {
    let (name, arguments) = text.split_once('=').unwrap_or((text, "{}"));
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| BadUsage(format!("the arguments of `{name}` are not JSON: {error}")))?;
    Ok(json!({ "name": name, "arguments": arguments }))
}
