//! `proofstone coverage patch`: coverage of changed lines.

use std::process::ExitCode;

use anyhow::Context as _;
use proofstone_coverage::changes::{Change, changed_files};
use proofstone_coverage::open::Place;
use proofstone_coverage::patch::{PatchCoverage, PatchedFile};
use proofstone_coverage::ranges::LineSpan;
use proofstone_coverage::sources::Sources;
use serde_json::json;

use super::{Bound, Reports, changed_since, coloured, counted, figures, of, spans};
use crate::fit::terminal_width;
use crate::out::{self, BAD, styled};
use crate::table::{Align, Table};

/// Coverage of changed lines, against git or a diff.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    reports: Reports,
    #[command(flatten)]
    bound: Bound,
    /// Compare with the point where the work tree left this git revision [default: the last commit]
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["staged", "diff"])]
    base: Option<String>,
    /// Compare what is staged with the last commit
    #[arg(long, conflicts_with = "diff")]
    staged: bool,
    /// Use this unified diff (- for stdin) instead of asking git
    #[arg(long, value_name = "FILE")]
    diff: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown, for a pull request
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let read = args.reports.read(place)?;
    let (report, stale) = (&read.report, changed_since(&read, place));
    let change = match (&args.diff, &args.base) {
        (Some(path), _) => {
            let text = match path.as_str() {
                "-" => std::io::read_to_string(std::io::stdin()),
                path => std::fs::read_to_string(path),
            };
            Change::Diff(text.with_context(|| format!("the diff can't be read from {path}"))?)
        }
        (None, Some(base)) => Change::Since(base.clone()),
        (None, None) if args.staged => Change::Staged,
        (None, None) => Change::WorkTree,
    };
    let diff = changed_files(&change, place.root(), &Sources::new(place.root()))?;
    let patch = PatchCoverage::of(&diff, report, &place.root().to_string_lossy());
    if args.json {
        out::json(&as_json(&patch, &stale))?;
    } else if args.markdown {
        markdown(&patch, &stale);
    } else {
        table(&patch);
    }
    let unknown = patch.files.iter().filter(|file| !file.in_report).count();
    if unknown > 0 {
        let unknown = counted(unknown, "changed file");
        out::note(format!("{} in no report: {unknown}", styled(BAD, "note:")));
    }
    Ok(args.bound.judge(patch.lines(), "coverage of changed lines"))
}

fn as_json(patch: &PatchCoverage, stale: &[String]) -> serde_json::Value {
    let span = |span: &LineSpan| json!({ "start": span.start, "end": span.end });
    let file = |file: &PatchedFile| {
        json!({
            "path": file.path, "inReport": file.in_report,
            "covered": file.covered.len(), "uncovered": file.uncovered.len(),
            "notExecutable": file.not_executable, "notInReport": file.unknown,
            "uncoveredRanges": file.uncovered_spans().iter().map(span).collect::<Vec<_>>(),
        })
    };
    json!({
        "lines": figures(patch.lines()),
        "branches": figures(patch.branches()),
        "functions": figures(patch.functions()),
        "files": patch.files.iter().map(file).collect::<Vec<_>>(),
        "changedAfterReport": stale,
    })
}

fn not_run(file: &PatchedFile, width: usize) -> String {
    match file.in_report {
        true => spans(&file.uncovered_spans(), width),
        false => "in no report".to_owned(),
    }
}

fn ratio(file: &PatchedFile) -> proofstone_coverage::ratio::Ratio {
    let covered = file.covered.len() as u64;
    (covered, covered + file.uncovered.len() as u64).into()
}

fn table(patch: &PatchCoverage) {
    let heads = [
        ("file", Align::Left),
        ("changed", Align::Right),
        ("", Align::Right),
        ("not run", Align::Left),
    ];
    let mut table = Table::new(&heads);
    for file in &patch.files {
        let lines = ratio(file);
        table.row(vec![file.path.clone(), of(lines), coloured(lines), not_run(file, 30)]);
    }
    out::line(table.render(terminal_width()));
    out::line(format!("{} of changed lines run: {}", of(patch.lines()), coloured(patch.lines())));
}

fn markdown(patch: &PatchCoverage, stale: &[String]) {
    let lines = patch.lines();
    out::line(match lines.found {
        0 => "**No changed line is executable, as far as the report says**\n".to_owned(),
        found => {
            format!(
                "**Changed lines that run: {} of {found} ({} %)**\n",
                lines.hit,
                lines.percent()
            )
        }
    });
    out::line("| file | lines | not run |\n|---|--:|---|");
    for file in &patch.files {
        let path = file.path.replace('|', "\\|");
        out::line(format!("| `{path}` | {} | {} |", of(ratio(file)), not_run(file, usize::MAX)));
    }
    if let [first, ..] = stale {
        let (count, first) = (stale.len(), first.replace('|', "\\|"));
        out::line(format!(
            "\n**{count} sources changed after the report was written** (`{first}` first): run the tests again."
        ));
    }
}
