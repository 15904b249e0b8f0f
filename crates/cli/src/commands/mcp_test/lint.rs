//! `proofstone mcp-test lint`: what makes a surface hard or dangerous for a model.

use std::process::ExitCode;

use proofstone_mcptest::Surface;
use proofstone_mcptest::check::Severity;
use proofstone_mcptest::lint::{Lint, lint};

use super::{Server, check::mark};
use crate::fit::hanging;
use crate::out::{self, DIM, styled};

/// Look a server's surface over. Fails on errors, or with --strict on warnings too.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let connection = args.server.connect().await?;
    let surface = Surface::of(&connection).await;
    connection.client.close().await;
    let found = lint(&surface?);
    match args.json {
        true => out::json(&found)?,
        false => show(&found),
    }
    let bad = if args.strict { Severity::Warning } else { Severity::Error };
    let failed = found.advice.iter().any(|advice| advice.severity >= bad);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(found: &Lint) {
    for advice in &found.advice {
        let said = hanging(&format!("{}: {}", advice.subject, advice.message), 8);
        out::line(format!("{} {said}", mark(advice.severity)));
        out::line(styled(DIM, format!("        {} {}", advice.rule, advice.place)));
    }
    out::line(format!("about {} tokens for {} tools:", found.tokens, found.costs.len()));
    for cost in found.costs.iter().take(10) {
        out::line(format!("  {:>6} {}", cost.tokens, cost.tool));
    }
}
