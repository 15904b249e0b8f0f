//! Any bytes as a file of the index: it is refused, or read to its end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_context::outside;

fuzz_target!(|bytes: &[u8]| outside::index_file(bytes));
