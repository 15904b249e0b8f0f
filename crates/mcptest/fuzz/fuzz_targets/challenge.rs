//! Any text as `WWW-Authenticate`: it is read to its end, and schemes are words of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_mcptest::oauth::challenge;

fuzz_target!(|header: &str| {
    let challenges = challenge::read(header);
    assert!(challenges.iter().all(|found| !found.scheme.is_empty() && header.contains(&found.scheme)));
    challenge::bearer(challenges);
});
