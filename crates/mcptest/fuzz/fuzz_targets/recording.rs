//! Any text as a recording: what is read survives writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_mcptest::recording::Recording;

fuzz_target!(|text: &str| {
    let Ok(recording) = Recording::read(text) else { return };
    assert_eq!(Recording::read(&recording.written()).expect("what was written"), recording);
});
