//! Any text as a file of the corpus: what was read survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/outside/readers.rs"]
#[expect(dead_code, reason = "each target has one reader of its own")]
mod readers;

fuzz_target!(|text: &str| readers::corpus(text));
