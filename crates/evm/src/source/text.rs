//! The source with its hits before each line, for reading in a terminal.

use super::coverage::{Coverage, FileCoverage};
use std::fmt::Write as _;

/// Writes every file. `*` marks a line that ran, `!` one that never did; other lines can't run.
pub(super) fn write(coverage: &Coverage) -> String {
    let mut out = String::new();
    coverage.files.iter().for_each(|file| write_file(&mut out, file));
    out
}

fn write_file(out: &mut String, file: &FileCoverage) {
    let ratio = file.line_ratio();
    let _ = writeln!(out, "{} ({} of {} lines)", file.path, ratio.hit, ratio.found);
    for (index, text) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
        let line = index + 1;
        let (mark, hits) = match file.lines.get(&line) {
            None => (' ', String::new()),
            Some(0) => ('!', "0".to_owned()),
            Some(hits) => ('*', hits.to_string()),
        };
        let _ = writeln!(out, "{line:>5} | {mark} {hits:>9} | {text}");
    }
    out.push('\n');
}
