//! `proofstone coverage`: the coverage toolset's questions, for people.

mod baseline;
mod diff;
mod files;
mod html;
mod merge;
mod patch;
mod summary;
mod targets;
mod tests;
mod uncovered;

use std::process::ExitCode;

use anyhow::bail;
use proofstone_coverage::library::{Library, Read};
use proofstone_coverage::open::{Place, USUAL_PLACES};
use proofstone_coverage::ranges::LineSpan;
use proofstone_coverage::ratio::Ratio;
use proofstone_coverage::report::Report;
use proofstone_coverage::sources::Sources;
use serde_json::{Value, json};

use crate::out::{self, BAD, DIM, GOOD, WARN, styled};
use crate::settings::Settings;
use crate::table::bar;

/// What is tested: totals, files, uncovered lines, changes, merging, HTML.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, clap::Subcommand)]
enum Question {
    /// Totals of lines, branches and functions
    Summary(summary::Args),
    /// Every file, the least covered first
    Files(files::Args),
    /// Lines and branches that no test runs
    Uncovered(uncovered::Args),
    /// Coverage of changed lines, against git or a diff
    Patch(patch::Args),
    /// Which tests run these lines
    Tests(tests::Args),
    /// Which functions to test next
    Targets(targets::Args),
    /// What changed between two reports, or since a snapshot
    Diff(diff::Args),
    /// Unite reports of any format into one LCOV file
    Merge(merge::Args),
    /// Write one HTML page with sources, a treemap and, with --baseline, what changed
    Html(html::Args),
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let place = Place::new(&settings.root.value, settings.jail_reports);
    match &args.question {
        Question::Summary(args) => summary::run(args, &place),
        Question::Files(args) => files::run(args, &place),
        Question::Uncovered(args) => uncovered::run(args, &place),
        Question::Patch(args) => patch::run(args, &place),
        Question::Tests(args) => tests::run(args, &place),
        Question::Targets(args) => targets::run(args, &place),
        Question::Diff(args) => diff::run(args, &place),
        Question::Merge(args) => merge::run(args, &place),
        Question::Html(args) => html::run(args, &place),
    }
}

/// The reports that a question is about.
#[derive(Debug, clap::Args)]
struct Reports {
    /// Reports of any known format, united line by line; where none is named, the usual places are
    /// looked at
    #[arg(value_name = "REPORT")]
    reports: Vec<String>,
}

impl Reports {
    fn read(&self, place: &Place) -> anyhow::Result<Read> {
        let library = Library::default();
        let read = match self.reports.split_first() {
            Some((first, others)) => library.union(place, first, others)?,
            None => library.report(place, usual(place, &[])?)?,
        };
        show_notes(&read.report);
        if let [first, others @ ..] = changed_since(&read, place).as_slice() {
            let more = if others.is_empty() { "" } else { " and others" };
            out::note(format!(
                "{} {first}{more} changed after the report was written: run the tests again, or the \
                 figures speak of older code",
                styled(BAD, "note:"),
            ));
        }
        Ok(read)
    }
}

/// What was decided while a report was read.
fn show_notes(report: &Report) {
    for note in &report.notes {
        out::note(format!("{} {note}", styled(DIM, "note:")));
    }
}

/// The files whose sources were changed after the report was written.
fn changed_since(read: &Read, place: &Place) -> Vec<String> {
    let Some(written) = read.written else { return Vec::new() };
    let sources = Sources::new(place.root());
    let paths = read.report.files.iter().map(|file| &file.path);
    paths.filter(|path| sources.modified(path).is_some_and(|at| at > written)).cloned().collect()
}

/// The first report that lies in a usual place, or in one that `first` names.
fn usual<'a>(place: &Place, first: &[&'a str]) -> anyhow::Result<&'a str> {
    let places = [first, &USUAL_PLACES].concat();
    match places.iter().find(|path| place.root().join(path).is_file()) {
        Some(path) => Ok(path),
        None => bail!("no report in the usual places ({}); name one", places.join(", ")),
    }
}

/// Spans of lines as people write them, no longer than `width`.
fn spans(spans: &[LineSpan], width: usize) -> String {
    let text = |span: &LineSpan| match span.start == span.end {
        true => span.start.to_string(),
        false => format!("{}-{}", span.start, span.end),
    };
    let mut shown = String::new();
    for (at, next) in spans.iter().map(text).enumerate() {
        if at > 0 && shown.len() + next.len() + 5 > width {
            return shown + ", …";
        }
        shown += if at > 0 { ", " } else { "" };
        shown += &next;
    }
    shown
}

/// The bound under which the command fails.
#[derive(Debug, clap::Args)]
struct Bound {
    /// Fail (exit 1) where the percentage is below this
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_under: Option<f64>,
}

/// Anything else would never or always fail.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 100 is needed".to_owned())
}

impl Bound {
    /// 1 where the coverage is below the bound, and says so. It is judged before it is rounded, and nothing
    /// is below anything where there is nothing to cover.
    fn judge(&self, ratio: Ratio, what: &str) -> ExitCode {
        let exact = ratio.hit as f64 * 100.0 / ratio.found as f64;
        match self.fail_under {
            Some(bound) if exact < bound => {
                out::note(format!(
                    "{} {what} is {} % ({} of {}), below the {bound} % asked for",
                    styled(BAD, "failed:"),
                    ratio.percent(),
                    ratio.hit,
                    ratio.found,
                ));
                ExitCode::FAILURE
            }
            _ => ExitCode::SUCCESS,
        }
    }
}

fn figures(ratio: Ratio) -> Value {
    json!({ "hit": ratio.hit, "found": ratio.found, "percent": ratio.percent().as_f64() })
}

/// A percentage in the colour it deserves.
fn coloured(ratio: Ratio) -> String {
    let percent = ratio.percent();
    let style = match percent.as_f64() {
        _ if ratio.found == 0 => return styled(DIM, "-"),
        80.0.. => GOOD,
        50.0.. => WARN,
        _ => BAD,
    };
    styled(style, format!("{percent} %"))
}

fn coloured_bar(ratio: Ratio, cells: usize) -> String {
    if ratio.found == 0 {
        return String::new();
    }
    bar(ratio.hit as f64 / ratio.found as f64, cells)
}

/// `1 file`, `2 files`.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn of(ratio: Ratio) -> String {
    format!("{}/{}", ratio.hit, ratio.found)
}
