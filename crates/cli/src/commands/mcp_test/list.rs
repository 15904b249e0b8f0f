//! `proofstone mcp-test list`: what a server offers.

use std::process::ExitCode;

use proofstone_mcptest::Fault;
use proofstone_mcptest::connection::Listed;
use serde_json::{Value, json};

use super::Server;
use crate::out::{self, BOLD, DIM, styled};

/// List a server's tools, resources and prompts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print everything that the server advertises as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let connection = args.server.connect().await?;
    let mut all = Vec::new();
    for (name, what) in [
        ("tools", Listed::Tools),
        ("resources", Listed::Resources),
        ("resourceTemplates", Listed::Templates),
        ("prompts", Listed::Prompts),
    ] {
        match connection.list(what).await {
            Ok((entries, _)) => all.push((name, entries)),
            // A server need not have all of them.
            Err(Fault::Rpc { .. }) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    let opening = connection.client.era().opening;
    connection.client.close().await;
    if args.json {
        let mut value = json!({ "opening": opening });
        for (name, entries) in all {
            value[name] = Value::Array(entries);
        }
        out::json(&value)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (name, entries) in all.iter().filter(|(_, entries)| !entries.is_empty()) {
        out::line(styled(BOLD, format!("{name} ({})", entries.len())));
        for entry in entries {
            let title =
                entry["name"].as_str().or_else(|| entry["uri"].as_str()).unwrap_or("(no name)");
            let text = entry["description"].as_str().unwrap_or_default();
            let first = text.lines().next().unwrap_or_default();
            let first: String = first.chars().take(90).collect();
            out::line(format!("  {title}  {}", styled(DIM, first)));
        }
    }
    Ok(ExitCode::SUCCESS)
}
