//! Any bytes, as a report of any format and as a diff: read or refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_coverage::{diff, formats};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = formats::read(bytes, bytes) {
        assert!(report.lines().found > 0);
        let found = report.index().find(&report.files[0].path, "/project");
        assert_ne!(found, proofstone_coverage::paths::Found::Absent);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = diff::parse(text);
    }
});
