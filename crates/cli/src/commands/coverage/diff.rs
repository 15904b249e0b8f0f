//! `proofstone coverage diff`: what changed between two reports.

use std::process::ExitCode;

use proofstone_coverage::change::FileChange;
use proofstone_coverage::library::Library;
use proofstone_coverage::open::Place;
use proofstone_coverage::ratio::Tenths;
use serde_json::{Value, json};

use super::baseline::Sides;
use super::{coloured, figures, of};
use crate::fit::terminal_width;
use crate::out::{self, BAD, GOOD, styled};
use crate::table::{Align, Table};

/// What changed between two reports, or since a snapshot. Lines are followed across edits where the
/// sources of both sides are known.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The report before, or a snapshot's id
    old: String,
    /// The report now
    new: String,
    #[command(flatten)]
    sides: Sides,
    /// Fail (exit 1) where coverage fell
    #[arg(long)]
    fail_on_fall: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let new = Library::default().report(place, &args.new)?;
    let compared = args.sides.compare(&args.old, &new, place)?;
    let (before, now) = (compared.then.lines(), new.report.lines());
    let change = now.change_since(before);
    if args.json {
        out::json(&json!({
            "before": figures(before), "now": figures(now), "change": change.as_f64(),
            "files": compared.changes.iter().map(as_json).collect::<Vec<_>>(),
            "notes": compared.remarks,
        }))?;
    } else {
        show(&compared.changes);
        out::line(format!("{} -> {}  {}", coloured(before), coloured(now), signed(change)));
        compared.say();
    }
    let fell = args.fail_on_fall && change.as_f64() < 0.0;
    Ok(if fell { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn as_json(change: &FileChange) -> Value {
    let mut entry = json!({
        "path": change.path,
        "before": figures(change.before), "now": figures(change.now),
        "change": change.now.change_since(change.before).as_f64(),
        "followed": change.followed,
        "lostCoverage": change.lost, "newlyCovered": change.gained,
        "newUncovered": change.new_uncovered, "newCovered": change.new_covered,
        "newlyExecutable": change.newly_executable,
        "removedCovered": change.removed_covered, "removedUncovered": change.removed_uncovered,
    });
    if let Some(old) = &change.renamed_from {
        entry["renamedFrom"] = old.as_str().into();
    }
    entry
}

fn show(changes: &[FileChange]) {
    let heads = [
        ("file", Align::Left),
        ("before", Align::Right),
        ("now", Align::Right),
        ("", Align::Right),
        ("lost", Align::Right),
        ("gained", Align::Right),
        ("new, not run", Align::Right),
    ];
    let mut table = Table::new(&heads);
    for change in changes {
        let (before, now) = (change.before, change.now);
        let difference = signed(now.change_since(before));
        let counts = [&change.lost, &change.gained, &change.new_uncovered];
        let mut row = vec![change.path.clone(), of(before), of(now), difference];
        row.extend(counts.map(|lines| lines.len().to_string()));
        table.row(row);
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
