//! The starter library keeps its own promises: every file loads, every rule passes its self-test.

use proofstone_patterns::library::Library;
use proofstone_patterns::rules::SelfTest;
use proofstone_patterns::shelf::built_in;

#[test]
fn nothing_is_wrong_with_any_file_or_rule() {
    let library = Library::of(built_in());
    let faults = library.diagnostics().iter().chain(library.rules().diagnostics());
    let said: Vec<String> = faults.map(ToString::to_string).collect();
    assert!(said.is_empty(), "\n{}", said.join("\n"));
    let dead: Vec<&str> = library
        .rules()
        .all()
        .iter()
        .filter(|rule| rule.self_test != SelfTest::Pass || (rule.has_fix && !rule.fix_verified))
        .map(|rule| rule.id.as_str())
        .collect();
    assert!(dead.is_empty(), "these rules or their fixes are not proved: {dead:?}");
}

/// `[a loop, or a template]` is two items to YAML and half a sentence twice to a reader.
#[test]
fn no_sentence_is_cut_at_its_comma() {
    let joining = ["and", "as", "but", "for", "not", "on", "or", "such", "where", "which", "with"];
    let library = Library::of(built_in());
    let cut = library.patterns().iter().flat_map(|pattern| {
        let items = pattern.use_when.iter().chain(&pattern.avoid_when);
        let half = |item: &&String| {
            item.split_whitespace().next().is_some_and(|word| joining.contains(&word))
        };
        items.filter(half).map(move |item| format!("{}: {item}", pattern.id))
    });
    assert_eq!(cut.collect::<Vec<_>>(), Vec::<String>::new());
}
