//! `proofstone coverage uncovered`: what no test runs.

use std::process::ExitCode;

use proofstone_coverage::open::Place;
use proofstone_coverage::report::File;
use proofstone_coverage::uncovered::{Gap, gaps, half_taken, most_valuable, unnamed};
use serde_json::json;

use super::{Reports, spans};
use crate::fit::{fitted, terminal_width};
use crate::out::{self, BOLD, DIM, styled};

/// Lines and branches that no test runs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    reports: Reports,
    /// Only files whose path contains this
    #[arg(long, value_name = "TEXT")]
    file: Option<String>,
    /// Show so many ranges at most, the longest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let report = args.reports.read(place)?.report;
    let wanted = |file: &File| args.file.as_ref().is_none_or(|text| file.path.contains(text));
    let chosen = report.files.iter().enumerate().filter(|(_, file)| wanted(file));
    for file in report.files.iter().filter(|file| wanted(file) && unnamed(file) > 0) {
        out::note(format!(
            "{} {}: {} lines did not run, and the report does not say which",
            styled(DIM, "note:"),
            file.path,
            unnamed(file)
        ));
    }
    let all = chosen.flat_map(|(at, file)| gaps(file).into_iter().map(move |gap| (at, gap)));
    let (mut kept, cut, cut_lines) = most_valuable(all.collect(), args.limit);
    kept.sort_by_key(|(at, gap)| (*at, gap.span));
    if args.json {
        let gap = |(at, gap): &(usize, Gap)| {
            json!({
                "path": report.files[*at].path, "start": gap.span.start, "end": gap.span.end,
                "lines": gap.lines, "function": gap.function, "neverCalled": gap.never_called,
            })
        };
        let ranges: Vec<_> = kept.iter().map(gap).collect();
        out::json(&json!({ "ranges": ranges, "cutRanges": cut, "cutLines": cut_lines }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for group in kept.chunk_by(|a, b| a.0 == b.0) {
        show(&report.files[group[0].0], group);
    }
    if cut > 0 {
        out::line(format!("{cut} more ranges with {cut_lines} lines; --limit shows more"));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(file: &File, gaps: &[(usize, Gap)]) {
    out::line(styled(BOLD, &file.path));
    for (_, gap) in gaps {
        let lines = spans(&[gap.span], usize::MAX);
        let called = if gap.never_called { ", never called" } else { "" };
        let function = gap.function.as_ref();
        // What stands before it and behind it takes 27 columns and, if it is there, 14.
        let room = terminal_width().saturating_sub(28 + called.len()).max(20);
        let function = function.map(|name| fitted(name, room));
        let function = function.map(|name| styled(DIM, format!("  in {name}{called}")));
        let function = function.unwrap_or_default();
        let noun = if gap.lines == 1 { "line " } else { "lines" };
        out::line(format!("  {lines:>12}  {:>4} {noun}{function}", gap.lines));
    }
    let branches = half_taken(file);
    if !branches.is_empty() {
        let shown: Vec<_> = branches.iter().take(8).map(|b| b.line.to_string()).collect();
        let more = if branches.len() > 8 { ", …" } else { "" };
        let text = format!("branches not taken at {}{more}", shown.join(", "));
        out::line(format!("  {}", styled(DIM, text)));
    }
}
