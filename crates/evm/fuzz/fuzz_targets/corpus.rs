//! Any text as a file of the corpus: what was read survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/outside/readers.rs"]
mod readers;

fuzz_target!(|text: &str| readers::corpus(text));
