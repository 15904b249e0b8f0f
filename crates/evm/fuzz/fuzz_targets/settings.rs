//! Any text as Echidna's YAML.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/outside/readers.rs"]
mod readers;

fuzz_target!(|text: &str| readers::settings(text));
