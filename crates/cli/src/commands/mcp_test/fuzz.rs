//! `proofstone mcp-test fuzz`: a tool with many inputs made from its schema.

use std::process::ExitCode;

use anyhow::bail;
use proofstone_mcptest::connection::{Connection, Listed};
use proofstone_mcptest::fuzz::{Plan, Report, fuzz};

use super::Server;
use crate::out::{self, BAD, DIM, GOOD, styled};

/// Call a tool with many inputs made from its schema, or all tools that say they only read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The tool [default: all that say they only read]
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// How many inputs that fit, and as many that don't
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    cases: usize,
    /// Where chance starts: the same seed gives the same inputs
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Call the tool although it does not say that it only reads
    #[arg(long)]
    allow_side_effects: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let connection = args.server.connect().await?;
    let reports = all(args, &connection).await;
    connection.client.close().await;
    let reports = reports?;
    match args.json {
        true => out::json(&reports)?,
        false => reports.iter().for_each(show),
    }
    let holds = reports.iter().all(|report| report.broken.is_empty() && report.cut_short.is_none());
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn all(args: &Args, connection: &Connection) -> anyhow::Result<Vec<Report>> {
    let (tools, _) = connection.list(Listed::Tools).await?;
    let chosen: Vec<_> = tools
        .iter()
        .filter(|tool| match &args.tool {
            Some(name) => tool["name"] == name.as_str(),
            None => tool["annotations"]["readOnlyHint"] == true || args.allow_side_effects,
        })
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        bail!("no tool to call: choose one with --tool; there are {}", names.join(", "));
    }
    let mut reports = Vec::new();
    for tool in chosen {
        if tool["annotations"]["readOnlyHint"] != true && !args.allow_side_effects {
            bail!("{} does not say that it only reads: give --allow-side-effects", tool["name"]);
        }
        let plan = Plan { cases: args.cases, seed: args.seed, patience: connection.patience() };
        reports.push(fuzz(connection, tool, &plan).await?);
    }
    Ok(reports)
}

fn show(report: &Report) {
    let good = report.broken.is_empty() && report.cut_short.is_none();
    let mark = if good { styled(GOOD, "holds ") } else { styled(BAD, "broken") };
    let watched = match report.watched.len() {
        0 => String::new(),
        count => format!("; effects watched in {count} lists and resources"),
    };
    let counts = format!("{} valid, {} invalid inputs{watched}", report.valid, report.invalid);
    out::line(format!("{mark} {} {}", report.tool, styled(DIM, counts)));
    for failure in &report.failures {
        out::line(format!("       {:?}: {}", failure.property, failure.message));
        let again = format!("--seed {} --cases 1", failure.seed);
        out::line(format!("       {} {}", failure.arguments, styled(DIM, again)));
    }
    if let Some(why) = &report.cut_short {
        out::line(format!("       ended early: {why}"));
    }
}
