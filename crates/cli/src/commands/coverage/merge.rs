//! `proofstone coverage merge`: reports of any format as one LCOV file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use proofstone_coverage::library::Library;
use proofstone_coverage::open::Place;

use super::{counted, show_notes};
use crate::out;

/// Unite reports of any format into one LCOV file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The reports
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<String>,
    /// Where to write the LCOV file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

pub(crate) fn run(args: &Args, place: &Place) -> anyhow::Result<ExitCode> {
    let (first, others) = args.reports.split_first().context("no report was named")?;
    let report = Library::default().union(place, first, others)?.report;
    show_notes(&report);
    if !report.tests.is_empty() {
        out::note("note: the names of tests are not kept in the united file");
    }
    let trace = report.to_tracefile();
    let Some(path) = &args.output else {
        let mut text = Vec::new();
        trace.write(&mut text)?;
        out::bytes(&text);
        return Ok(ExitCode::SUCCESS);
    };
    let file = File::create(path).with_context(|| format!("{path} can't be written"))?;
    let mut out = BufWriter::new(file);
    trace.write(&mut out)?;
    out.flush().with_context(|| format!("{path} can't be written"))?;
    let lines = report.lines();
    out::note(format!(
        "{path}: {}, {} of {} lines",
        counted(report.files.len(), "file"),
        lines.hit,
        lines.found
    ));
    Ok(ExitCode::SUCCESS)
}
