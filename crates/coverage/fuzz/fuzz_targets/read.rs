//! Any bytes, as a report of any format and as a diff: read or refused, never a panic; and what is read
//! holds together.
#![no_main]
#![expect(dead_code, reason = "the readers' modules are taken as they are")]

#[path = "../../src/diff.rs"]
mod diff;
#[path = "../../src/formats/mod.rs"]
mod formats;
#[path = "../../src/paths.rs"]
mod paths;
#[path = "../../src/ratio.rs"]
mod ratio;
#[path = "../../src/report.rs"]
mod report;

use libfuzzer_sys::fuzz_target;
use paths::Found;
use report::Report;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = formats::read(bytes, bytes) {
        holds_together(&report);
        merges_with_itself(report);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = diff::parse(text);
    }
});

/// There are lines, each once and in order, and every file is found under its own name.
fn holds_together(report: &Report) {
    assert!(report.lines().found > 0 && report.lines().hit <= report.lines().found);
    for file in report.files.iter().take(20) {
        assert_ne!(report.index().find(&file.path, "/project"), Found::Absent, "{}", file.path);
        let lines: Vec<u32> = file.coverage.lines.iter().map(|(line, _)| line).collect();
        assert!(lines.is_sorted_by(|a, b| a < b) && lines.first() != Some(&0), "{lines:?}");
    }
}

/// United with itself, a report covers what it covered.
fn merges_with_itself(mut report: Report) {
    let (lines, files) = (report.lines(), report.files.len());
    let again = report.copy();
    report.merge(again, "");
    assert_eq!((report.lines(), report.files.len()), (lines, files));
}
