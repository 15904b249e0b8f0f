//! `proofstone coverage tests`: which tests run these lines.

use std::process::ExitCode;

use proofstone_coverage::attribution::{Attribution, TestHits, tests_for_lines};
use proofstone_coverage::library::Library;
use proofstone_coverage::open::Place;
use proofstone_coverage::ranges::{LineSpan, neighbours};
use serde_json::json;

use super::{spans, usual};
use crate::fit::terminal_width;
use crate::out::{self, BAD, styled};
use crate::table::{Align, Table};

/// Which tests run a file's lines, from LCOV with test names or a coverage.py database with contexts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The source file
    file: String,
    /// The report or .coverage database; where none is named, the usual places are looked at
    report: Option<String>,
    /// Only these lines, such as 7 or 10-20; may be given several times or with commas
    #[arg(long, value_name = "LINES", value_delimiter = ',', value_parser = span)]
    lines: Vec<LineSpan>,
    /// Show so many tests at most, those that run most of the lines first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `7` or `10-20`.
fn span(text: &str) -> Result<LineSpan, String> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let lines = start.trim().parse().ok().zip(end.trim().parse().ok());
    let span = lines.map(|(start, end)| LineSpan { start, end });
    let span = span.filter(|span| span.start > 0 && span.start <= span.end);
    span.ok_or_else(|| "a line or a range of lines is needed, such as 7 or 10-20".to_owned())
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let report = match &args.report {
        Some(report) => report,
        None => usual(place, &[".coverage"])?,
    };
    let found = tests_for_lines(&Library::default(), place, report, &args.file, &args.lines)?;
    if args.json {
        as_json(&found, args.limit)?;
    } else {
        show(&found, args.limit);
    }
    let Some((path, _)) = &found.file else {
        out::note(format!("{} {}", styled(BAD, "note:"), missing(&args.file, &found.ambiguous)));
        return Ok(ExitCode::FAILURE);
    };
    if found.tests.is_empty() {
        out::note(format!("no test runs these lines of {path}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn missing(file: &str, ambiguous: &[String]) -> String {
    match ambiguous {
        [] => format!("{file} is not in the report"),
        many => format!("{file} fits several files of the report: {}", many.join(", ")),
    }
}

fn as_json(found: &Attribution, limit: usize) -> anyhow::Result<()> {
    let span = |span: &LineSpan| json!({ "start": span.start, "end": span.end });
    let test = |hits: &TestHits| {
        let ranges: Vec<_> = neighbours(hits.lines.iter().copied()).iter().map(span).collect();
        json!({ "name": hits.test, "linesRun": hits.lines.len(), "ranges": ranges })
    };
    let mut answer = json!({
        "tests": found.tests.iter().take(limit).map(test).collect::<Vec<_>>(),
        "cutTests": found.tests.len().saturating_sub(limit),
        "ambiguous": found.ambiguous,
    });
    if let Some((path, rule)) = &found.file {
        answer["file"] = path.as_str().into();
        answer["rule"] = rule.name().into();
    }
    out::json(&answer)
}

fn show(found: &Attribution, limit: usize) {
    if found.tests.is_empty() {
        return;
    }
    let heads = [("test", Align::Left), ("lines", Align::Right), ("which", Align::Left)];
    let mut table = Table::new(&heads);
    for hits in found.tests.iter().take(limit) {
        let which = spans(&neighbours(hits.lines.iter().copied()), 30);
        table.row(vec![hits.test.clone(), hits.lines.len().to_string(), which]);
    }
    out::line(table.render(terminal_width()));
    if found.tests.len() > limit {
        out::line(format!("and {} more; --limit shows more", found.tests.len() - limit));
    }
}
