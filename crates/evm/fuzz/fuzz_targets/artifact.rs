//! Any text as a compiled artifact.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/outside/readers.rs"]
#[expect(dead_code, reason = "each target has one reader of its own")]
mod readers;

fuzz_target!(|text: &str| readers::artifact(text));
