//! `proofstone coverage files`: every file.

use std::cmp::Reverse;
use std::process::ExitCode;

use proofstone_coverage::open::Place;
use proofstone_coverage::report::File;
use serde_json::json;

use super::{Bound, Reports, coloured, coloured_bar, figures, of};
use crate::fit::terminal_width;
use crate::out;
use crate::table::{Align, Table};

/// Every file, the least covered first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    reports: Reports,
    /// Fails where any file is below
    #[command(flatten)]
    bound: Bound,
    /// What comes first
    #[arg(long, value_enum, default_value_t = Sort::Coverage)]
    sort: Sort,
    /// Show so many files at most [default: 100, and all with --json]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Sort {
    /// The lowest percentage
    Coverage,
    /// The most lines that did not run
    Uncovered,
    /// The path
    Name,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let report = args.reports.read(place)?.report;
    let mut files: Vec<&File> = report.files.iter().collect();
    let missed = |file: &File| file.lines().found - file.lines().hit;
    match args.sort {
        Sort::Coverage => files.sort_by_key(|file| {
            let lines = file.lines();
            (lines.found == 0, lines.percent(), Reverse(missed(file)))
        }),
        Sort::Uncovered => files.sort_by_key(|file| Reverse(missed(file))),
        Sort::Name => files.sort_by(|a, b| a.path.cmp(&b.path)),
    }
    if args.json {
        let file = |file: &&File| {
            json!({
                "path": file.path,
                "lines": figures(file.lines()),
                "branches": figures(file.coverage.branches_hit_and_found().into()),
                "functions": figures(file.coverage.functions_hit_and_found().into()),
            })
        };
        out::json(
            &files.iter().take(args.limit.unwrap_or(usize::MAX)).map(file).collect::<Vec<_>>(),
        )?;
    } else {
        show(&files, args.limit.unwrap_or(100));
    }
    let executable = files.iter().filter(|file| file.lines().found > 0);
    let share = |file: &File| file.lines().hit as f64 / file.lines().found as f64;
    match executable.min_by(|a, b| share(a).total_cmp(&share(b))) {
        Some(lowest) => Ok(args.bound.judge(lowest.lines(), &lowest.path)),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn show(files: &[&File], limit: usize) {
    let heads =
        [("file", Align::Left), ("lines", Align::Right), ("", Align::Right), ("", Align::Left)];
    let mut table = Table::new(&heads);
    for file in files.iter().take(limit) {
        let lines = file.lines();
        let bar = coloured_bar(lines, 12);
        table.row(vec![file.path.clone(), of(lines), coloured(lines), bar]);
    }
    out::line(table.render(terminal_width()));
    if files.len() > limit {
        out::line(format!("and {} more; --limit shows more", files.len() - limit));
    }
}
