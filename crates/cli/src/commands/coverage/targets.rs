//! `proofstone coverage targets`: what to test next.

use std::process::ExitCode;

use proofstone_coverage::git::recent_changes;
use proofstone_coverage::open::Place;
use proofstone_coverage::sources::Sources;
use proofstone_coverage::targets::{Target, rank};
use serde_json::{Value, json};

use super::{Reports, figures};
use crate::fit::{fitted, terminal_width};
use crate::out::{self, BOLD, DIM, styled};

/// Which functions to test next: by lines that never ran, complexity and recent change.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    reports: Reports,
    /// Only files whose path contains this
    #[arg(long, value_name = "TEXT")]
    file: Option<String>,
    /// Show so many targets at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let report = args.reports.read(place)?.report;
    let wanted = |path: &str| args.file.as_ref().is_none_or(|text| path.contains(text));
    let chosen: Vec<usize> =
        (0..report.files.len()).filter(|at| wanted(&report.files[*at].path)).collect();
    let changes = recent_changes(place.root());
    if let Err(error) = &changes {
        out::note(format!("{} recent changes are unknown: {error}", styled(DIM, "note:")));
    }
    let sources = Sources::new(place.root());
    let targets = rank(&report, &chosen, changes.as_ref().ok(), &sources);
    let cut = targets.len().saturating_sub(args.limit);
    let shown = &targets[..targets.len() - cut];
    if args.json {
        let targets: Vec<Value> = shown.iter().map(as_json).collect();
        out::json(&json!({ "targets": targets, "cutTargets": cut }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (at, target) in shown.iter().enumerate() {
        show(at + 1, target);
    }
    if cut > 0 {
        out::line(format!("and {cut} more; --limit shows more"));
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(target: &Target) -> Value {
    let mut entry = json!({
        "path": target.path,
        "span": { "start": target.span.start, "end": target.span.end },
        "lines": figures(target.lines),
        "complexity": target.complexity,
        "score": (target.score * 10.0).round() / 10.0,
        "reason": target.reason(),
    });
    if let Some(function) = &target.function {
        entry["function"] = function.as_str().into();
    }
    if let Some(commits) = target.recent_commits {
        entry["recentCommits"] = commits.into();
    }
    entry
}

fn show(place: usize, target: &Target) {
    let function = target.function.as_deref().unwrap_or("(code outside functions)");
    let function = fitted(function, terminal_width().saturating_sub(5).max(20));
    out::line(format!("{place:>3}. {}", styled(BOLD, function)));
    out::line(format!("     {}", styled(DIM, format!("{}:{}", target.path, target.span.start))));
    for part in target.reason().split("; ") {
        out::line(format!("     {part}"));
    }
}
