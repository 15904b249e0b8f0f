//! LCOV's text format.

use super::coverage::{Coverage, FileCoverage};
use std::fmt::Write as _;

/// Writes the whole report.
pub(super) fn write(coverage: &Coverage) -> String {
    let mut out = String::new();
    for file in &coverage.files {
        // Writing to a string cannot fail.
        let _ = write_file(&mut out, file);
    }
    out
}

fn write_file(out: &mut String, file: &FileCoverage) -> std::fmt::Result {
    writeln!(out, "TN:\nSF:{}", file.path)?;
    for function in &file.functions {
        writeln!(out, "FN:{},{}", function.line, function.name)?;
    }
    for function in &file.functions {
        writeln!(out, "FNDA:{},{}", function.hits, function.name)?;
    }
    let reached = file.functions.iter().filter(|f| f.hits > 0).count();
    writeln!(out, "FNF:{}\nFNH:{reached}", file.functions.len())?;
    for (block, branch) in file.branches.iter().enumerate() {
        let taken = |hits: u64| match branch.when_true + branch.when_false {
            0 => "-".to_owned(),
            _ => hits.to_string(),
        };
        writeln!(out, "BRDA:{},{block},0,{}", branch.line, taken(branch.when_true))?;
        writeln!(out, "BRDA:{},{block},1,{}", branch.line, taken(branch.when_false))?;
    }
    let branches = file.branch_ratio();
    writeln!(out, "BRF:{}\nBRH:{}", branches.found, branches.hit)?;
    for (line, hits) in &file.lines {
        writeln!(out, "DA:{line},{hits}")?;
    }
    let lines = file.line_ratio();
    writeln!(out, "LF:{}\nLH:{}\nend_of_record", lines.found, lines.hit)
}
