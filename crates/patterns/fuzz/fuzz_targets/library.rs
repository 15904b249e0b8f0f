//! Any text as a pattern file: it is served or refused with a reason, its rules compile or say why not, and whatever it
//! says, it can be asked for by its own words.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_patterns::diagnostic::Level;
use proofstone_patterns::library::{Filter, Library};
use proofstone_patterns::pattern::Layer;
use proofstone_patterns::reading::PatternFile;

fuzz_target!(|text: &str| {
    let (layer, path) = (Layer::Project, "fuzzed.md".to_owned());
    let library = Library::of(vec![PatternFile { layer, path, text: text.to_owned() }]);
    let Some(pattern) = library.patterns().first() else {
        assert!(library.diagnostics().iter().any(|fault| fault.level == Level::Error));
        return;
    };
    let lines = text.lines().count().max(1);
    let all = library.diagnostics().iter().chain(library.rules().diagnostics());
    for fault in all {
        assert!(fault.spot.line >= 1 && fault.spot.line <= lines + 1, "{fault}");
    }
    let found = library.search(&pattern.id, &Filter::default());
    assert!(found.patterns.iter().any(|found| found.id == pattern.id));
    library.search(text, &Filter::default());
});
