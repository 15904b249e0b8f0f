//! Any text as Echidna's YAML.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/outside/readers.rs"]
#[expect(dead_code, reason = "each target has one reader of its own")]
mod readers;

fuzz_target!(|text: &str| readers::settings(text));
