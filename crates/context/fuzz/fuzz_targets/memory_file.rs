//! Any text as a discovery file, a decision record and git's log.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_context::outside;

fuzz_target!(|text: &str| outside::memory_file(text));
