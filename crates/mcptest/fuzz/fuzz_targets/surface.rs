//! Any text as a lock file: what is read survives writing, differs from itself in nothing, and can be looked over.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_mcptest::Surface;
use proofstone_mcptest::diff::diff;
use proofstone_mcptest::lint::lint;

fuzz_target!(|texts: (&str, &str)| {
    let Ok(surface) = Surface::read(texts.0) else { return };
    assert_eq!(Surface::read(&surface.written()).expect("what was written"), surface);
    assert!(diff(&surface, &surface).is_empty());
    lint(&surface);
    if let Ok(other) = Surface::read(texts.1) {
        diff(&surface, &other);
    }
});
