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
