//! Any bytes: both readers agree, and what was read survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_lcov::{Totals, Tracefile};

fuzz_target!(|bytes: &[u8]| {
    let totals = Totals::read(bytes);
    let Ok(trace) = Tracefile::read(bytes) else {
        assert!(totals.is_err());
        return;
    };
    let mut written = Vec::new();
    trace.write(&mut written).expect("paths that were read can be written");
    let again = Tracefile::read(&*written).expect("what was written can be read");
    assert_eq!(again.sections, trace.sections);
    let totals = totals.expect("both readers accept the same files");
    let sections = trace.without_tests().sections;
    let hit: u64 = sections.iter().map(|section| section.coverage.lines_hit()).sum();
    assert_eq!(totals.hit, hit);
});
