//! `proofstone coverage html`: one page that needs nothing else.

use std::collections::HashMap;
use std::process::ExitCode;

use anyhow::Context as _;
use proofstone_coverage::change::FileChange;
use proofstone_coverage::functions::{Functions, name};
use proofstone_coverage::open::Place;
use proofstone_coverage::report::{File, Report};
use proofstone_coverage::sources::Sources;
use proofstone_coverage::uncovered::half_taken;
use serde_json::{Value, json};

use super::baseline::{Comparison, Sides};
use super::{Reports, figures};
use crate::out;

/// The page; its data is put in place of the marker.
const PAGE: &str = include_str!("report.html");
const MARKER: &str = "/*DATA*/";
/// Sources beyond this are left out, so that a browser can open the page.
const LARGEST_SOURCES: usize = 32 << 20;

/// Write one HTML page with sources, a treemap and, with --baseline, what changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    reports: Reports,
    /// Where to write the page
    #[arg(short, long, value_name = "FILE", default_value = "coverage.html")]
    output: String,
    /// An older report, or a snapshot's id, to compare with
    #[arg(long, value_name = "REPORT")]
    baseline: Option<String>,
    #[command(flatten)]
    sides: Sides,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let read = args.reports.read(place)?;
    let compare = |path: &String| args.sides.compare(path, &read, place);
    let compared = args.baseline.as_ref().map(compare).transpose()?;
    let data = data(&read.report, compared.as_ref(), &Sources::new(place.root()));
    // A source may hold anything; without `<` it can't end the element that carries the data.
    let text = serde_json::to_string(&data)?.replace('<', "\\u003c");
    std::fs::write(&args.output, PAGE.replace(MARKER, &text))
        .with_context(|| format!("{} can't be written", args.output))?;
    out::note(format!("wrote {}", args.output));
    if let Some(compared) = compared {
        compared.say();
    }
    Ok(ExitCode::SUCCESS)
}

fn data(report: &Report, compared: Option<&Comparison>, sources: &Sources) -> Value {
    let changes = compared.map_or(&[][..], |compared| compared.changes.as_slice());
    let changes: HashMap<&str, &FileChange> =
        changes.iter().map(|change| (change.path.as_str(), change)).collect();
    let mut left = LARGEST_SOURCES;
    let files: Vec<Value> = report
        .files
        .iter()
        .map(|file| {
            let source = if left > 0 { sources.read(&file.path) } else { None };
            let source = source.map(|source| source.lines.join("\n"));
            left = left.saturating_sub(source.as_ref().map_or(0, String::len));
            entry(file, source, changes.get(file.path.as_str()).copied())
        })
        .collect();
    let remarks = compared.map_or(&[][..], |compared| compared.remarks.as_slice());
    let notes: Vec<&String> = report.notes.iter().chain(remarks).collect();
    json!({
        "lines": figures(report.lines()),
        "branches": figures(report.branches()),
        "functions": figures(report.functions()),
        "format": report.format.to_string(),
        "notes": notes,
        "compared": compared.is_some(),
        "files": files,
    })
}

fn entry(file: &File, source: Option<String>, change: Option<&FileChange>) -> Value {
    let branches = half_taken(file);
    let functions = Functions::of(&file.coverage);
    let functions: Vec<Value> = functions
        .iter()
        .map(|(span, function)| json!([span.start, name(function), function.hits()]))
        .collect();
    let mut entry = json!({
        "path": file.path,
        "hit": file.lines().hit,
        "found": file.lines().found,
        "lines": file.coverage.lines.iter().collect::<Vec<_>>(),
        "branches": branches.iter().map(|b| [u64::from(b.line), b.missed, b.found]).collect::<Vec<_>>(),
        "functions": functions,
    });
    if let Some(source) = source {
        entry["source"] = source.into();
    }
    if let Some(change) = change {
        entry["lost"] = json!(change.lost);
        entry["gained"] = json!(change.gained);
        entry["fresh"] = json!(change.new_uncovered);
        entry["followed"] = json!(change.followed);
    }
    entry
}
