//! Reads a tracefile and prints its line totals: `read_lcov totals|model FILE`.
//! The benches in `bench/coverage` time it.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs::File;

use proofstone_lcov::{Totals, Tracefile};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [mode, path] = arguments.as_slice() else {
        return Err("usage: read_lcov totals|model FILE".into());
    };
    let file = File::open(path)?;
    if mode == "totals" {
        let totals = Totals::read(file)?;
        println!("{} of {} lines in {} files", totals.hit, totals.found, totals.files.len());
        return Ok(());
    }
    let trace = Tracefile::read(file)?;
    let hit: u64 = trace.sections.iter().map(|section| section.coverage.lines_hit()).sum();
    let found: u64 = trace.sections.iter().map(|section| section.coverage.lines_found()).sum();
    println!("{hit} of {found} lines in {} files", trace.sections.len());
    Ok(())
}
