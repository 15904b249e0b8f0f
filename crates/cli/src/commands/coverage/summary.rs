//! `proofstone coverage summary`: totals.

use std::process::ExitCode;

use proofstone_coverage::open::Place;
use serde_json::json;

use super::{Bound, Reports, coloured, coloured_bar, counted, figures, of};
use crate::fit::terminal_width;
use crate::out;
use crate::table::{Align, Table};

/// Totals of lines, branches and functions.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    reports: Reports,
    #[command(flatten)]
    bound: Bound,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown, for a pull request
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let report = args.reports.read(place)?.report;
    let rows = [
        ("lines", report.lines()),
        ("branches", report.branches()),
        ("functions", report.functions()),
    ];
    if args.json {
        let mut answer =
            json!({ "format": report.format.to_string(), "files": report.files.len() });
        for (name, ratio) in rows {
            answer[name] = figures(ratio);
        }
        answer["notes"] = json!(report.notes);
        out::json(&answer)?;
    } else if args.markdown {
        out::line("| | hit | found | percent |\n|---|--:|--:|--:|");
        for (name, r) in rows.iter().filter(|(_, ratio)| ratio.found > 0) {
            out::line(format!("| {name} | {} | {} | **{} %** |", r.hit, r.found, r.percent()));
        }
    } else {
        let heads =
            [("", Align::Left), ("hit", Align::Right), ("", Align::Right), ("", Align::Left)];
        let mut table = Table::new(&heads);
        for (name, ratio) in rows {
            let cells = vec![name.into(), of(ratio), coloured(ratio), coloured_bar(ratio, 30)];
            table.row(cells);
        }
        out::line(table.render(terminal_width()));
        out::line(format!("{}, {}", counted(report.files.len(), "file"), report.format));
    }
    Ok(args.bound.judge(report.lines(), "line coverage"))
}
