//! `proofstone demo`: an agent's working day on the bundled examples, through the same gate as every
//! other call. Nothing needs to be installed, nothing is fetched, and a step that does not hold makes
//! the demo fail.

mod project;
mod steps;
mod tour;

use std::process::ExitCode;

use crate::out::{self, BAD, BOLD, DIM, GOOD, styled};
use crate::settings::Settings;

use tour::Tour;

/// Show what Proofstone does, on bundled examples.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print every call and its whole answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    proofstone_server::logs::start(&settings.log.value);
    let folder = tempfile::Builder::new().prefix("proofstone-demo-").tempdir()?;
    project::lay_out(folder.path())?;
    let mut tour = Tour::new(folder.path(), settings, args.json)?;
    let mut failed = Vec::new();
    for (number, step) in steps::STEPS.iter().enumerate() {
        tour.say(&format!("\n{}", styled(BOLD, format!("{}. {}", number + 1, step.title))));
        if let Err(why) = (step.run)(&mut tour) {
            tour.say(&styled(BAD, format!("   does not hold: {why}")));
            failed.push(step.title);
        }
        tour.say(&styled(DIM, format!("   {}", step.why)));
    }
    let seconds = tour.seconds();
    let calls = tour.end();
    if args.json {
        out::json(&serde_json::json!({ "calls": calls, "failed": failed, "seconds": seconds }))?;
    } else {
        close(&failed, calls.len(), seconds);
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn close(failed: &[&str], calls: usize, seconds: f64) {
    let verdict = match failed {
        [] => styled(GOOD, "every step held"),
        some => styled(BAD, format!("{} did not hold", some.join(", "))),
    };
    out::line(format!("\n{calls} calls in {seconds:.1} s; {verdict}."));
    out::line(format!("\n{}", styled(BOLD, "Connect your client, in your project:")));
    for client in ["claude-code", "cursor", "vscode", "codex", "claude-desktop"] {
        out::line(format!("   proofstone init {client}"));
    }
}
