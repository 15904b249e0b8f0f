//! `proofstone coverage diff`: what changed between two reports.

use std::process::ExitCode;

use proofstone_coverage::change::explain;
use proofstone_coverage::library::Library;
use proofstone_coverage::open::Place;
use proofstone_coverage::ratio::{Ratio, Tenths};
use proofstone_coverage::snapshot::Snapshot;
use proofstone_coverage::sources::Sources;
use serde_json::json;

use super::{coloured, figures, of};
use crate::out::{self, BAD, GOOD, styled};
use crate::table::{Align, Table, terminal_width};

/// What changed between two reports of the same sources. Lines are compared by number; to follow
/// lines across edits, use the snapshot tools.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The report before
    old: String,
    /// The report now
    new: String,
    /// Fail (exit 1) where coverage fell
    #[arg(long)]
    fail_on_fall: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let library = Library::default();
    let old = library.report(place, &args.old)?.report;
    let new = library.report(place, &args.new)?.report;
    // No sources: the old report is not about the sources that are there now.
    let nowhere = Sources::none();
    let then = Snapshot::take(&old, &args.old, &nowhere);
    let changes = explain(&then, &new, &nowhere);
    let change = new.lines().change_since(old.lines());
    let ratio = |path: &str| {
        let before = then.files.get(path).map(|file| file.ratio()).unwrap_or_default();
        let now = new.files.iter().find(|file| file.path == path);
        (before, now.map(|file| file.lines()).unwrap_or_default())
    };
    if args.json {
        let files: Vec<_> = changes
            .iter()
            .map(|c| {
                let (before, now) = ratio(&c.path);
                json!({
                    "path": c.path, "before": figures(before), "now": figures(now),
                    "change": now.change_since(before).as_f64(),
                    "lostCoverage": c.lost, "newlyCovered": c.gained, "newUncovered": c.new_uncovered,
                })
            })
            .collect();
        out::json(&json!({
            "before": figures(old.lines()), "now": figures(new.lines()),
            "change": change.as_f64(), "files": files,
        }))?;
    } else {
        show(&changes, ratio);
        let (before, now) = (coloured(old.lines()), coloured(new.lines()));
        out::line(format!("{before} -> {now}  {}", signed(change)));
    }
    let fell = args.fail_on_fall && change.as_f64() < 0.0;
    Ok(if fell { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(
    changes: &[proofstone_coverage::change::FileChange],
    ratio: impl Fn(&str) -> (Ratio, Ratio),
) {
    let heads = [
        ("file", Align::Left),
        ("before", Align::Right),
        ("now", Align::Right),
        ("", Align::Right),
        ("lost", Align::Right),
        ("gained", Align::Right),
    ];
    let mut table = Table::new(&heads);
    for change in changes {
        let (before, now) = ratio(&change.path);
        let difference = signed(now.change_since(before));
        let (lost, gained) = (change.lost.len().to_string(), change.gained.len().to_string());
        table.row(vec![change.path.clone(), of(before), of(now), difference, lost, gained]);
    }
    out::line(table.render(terminal_width()));
}

fn signed(change: Tenths) -> String {
    match change.as_f64() {
        up @ 0.1.. => styled(GOOD, format!("+{up:.1}")),
        0.0.. => "0.0".to_owned(),
        down => styled(BAD, format!("{down:.1}")),
    }
}
