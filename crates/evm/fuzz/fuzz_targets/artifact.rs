//! Any text as a compiled artifact.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/outside/readers.rs"]
mod readers;

fuzz_target!(|text: &str| readers::artifact(text));
