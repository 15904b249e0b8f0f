//! `proofstone mcp-test load`: rate and latency under load.

use std::process::ExitCode;
use std::time::Duration;

use proofstone_mcptest::load::{self, Load, Plan};
use serde_json::{Value, json};

use super::Server;
use crate::out::{self, BOLD, BadUsage, styled};

/// Measure how many calls a server answers.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The tool
    #[arg(long, value_name = "NAME")]
    tool: String,
    /// Its arguments, as JSON
    #[arg(long, value_name = "JSON", default_value = "{}")]
    arguments: String,
    /// How many calls
    #[arg(long, value_name = "COUNT", default_value_t = 500)]
    requests: usize,
    /// How many at a time
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    concurrency: usize,
    /// How long at most, over all, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    longest: u64,
    /// Allow a server that is not on this machine: only with its owner's consent
    #[arg(long)]
    allow_remote: bool,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let arguments: Value = serde_json::from_str(&args.arguments)
        .map_err(|error| BadUsage(format!("the arguments are not JSON: {error}")))?;
    if !args.allow_remote && !load::is_local(&args.server.target()?) {
        let said = "the server is not on this machine: give --allow-remote if its owner agrees";
        return Err(BadUsage(said.to_owned()).into());
    }
    let connection = args.server.connect().await?;
    let plan = Plan {
        method: "tools/call".to_owned(),
        params: json!({ "name": args.tool, "arguments": arguments }),
        requests: args.requests,
        concurrency: args.concurrency,
        longest: Duration::from_secs(args.longest),
        patience: connection.patience(),
    };
    let load = load::run(&connection.client, &plan).await;
    connection.client.close().await;
    let load = load?;
    match args.json {
        true => out::json(&load)?,
        false => show(&load),
    }
    Ok(if load.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(load: &Load) {
    let rate = styled(BOLD, format!("{:.0} calls/s", load.per_second));
    out::line(format!(
        "{rate}: {} in {:.2} s, {} failed",
        load.requests, load.seconds, load.failed
    ));
    let q = &load.latency_ms;
    out::line(format!(
        "latency ms: min {:.1}, p50 {:.1}, p90 {:.1}, p99 {:.1}, max {:.1}",
        q.min, q.p50, q.p90, q.p99, q.max
    ));
    for (why, count) in &load.failures {
        out::line(format!("{count} x {why}"));
    }
    if load.cut_short {
        out::line("ended early: time was over");
    }
}
