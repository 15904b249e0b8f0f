//! What a search finds and in which order, and that questions stay answered as well as they were.

use std::path::Path;

use proofstone_patterns::library::{Filter, Library};
use proofstone_patterns::pattern::Layer;
use proofstone_patterns::reading::PatternFile;
use proofstone_patterns::shelf::built_in;

fn library(patterns: &[(&str, &str, &str, &str)]) -> Library {
    let file = |(id, title, summary, tags): &(&str, &str, &str, &str)| PatternFile {
        layer: Layer::Project,
        path: format!("{id}.md"),
        text: format!(
            "---\nid: {id}\ntitle: {title}\nsummary: {summary}\ntags: [{tags}]\n---\n## Guideline\nNothing else.\n"
        ),
    };
    Library::of(patterns.iter().map(file).collect())
}

fn check(library: &Library, question: &str, expected: &[&str]) {
    let found = library.search(question, &Filter::default());
    let ids: Vec<&str> = found.patterns.iter().map(|pattern| pattern.id.as_str()).collect();
    assert_eq!(ids, expected, "{question}");
}

#[test]
fn title_beats_summary_beats_nothing() {
    let library = library(&[
        ("a-summary", "Something", "Uses a semaphore here.", "x"),
        ("b-title", "The semaphore", "Another thing.", "x"),
        ("c-none", "Unrelated", "Not about it.", "x"),
    ]);
    check(&library, "semaphore", &["b-title", "a-summary"]);
    check(&library, "SEMAPHORES", &["b-title", "a-summary"]);
    check(&library, "semahpore", &["b-title", "a-summary"]);
    check(&library, "what is a semaphore for?", &["b-title", "a-summary"]);
}

#[test]
fn separators_and_humps_do_not_matter_and_ties_keep_the_librarys_order() {
    let library = library(&[
        ("first", "Read-only views", "S.", "x"),
        ("second", "readOnly views", "S.", "x"),
        ("third", "read_only views", "S.", "x"),
    ]);
    for question in ["read only", "read-only", "read_only", "readOnly"] {
        check(&library, question, &["first", "second", "third"]);
    }
}

#[test]
fn an_id_or_a_title_finds_its_own_pattern_first() {
    let library = Library::of(built_in());
    for pattern in library.patterns() {
        for name in [&pattern.id, &pattern.title, &pattern.id.replace('-', " ")] {
            let found = library.search(name, &Filter::default());
            assert_eq!(found.patterns[0].id, pattern.id, "{name}");
        }
    }
}

/// The floors are a little below what bench/patterns/README.md reports.
#[test]
fn natural_questions_are_answered() {
    let library = Library::of(built_in());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/patterns/questions.tsv");
    let table = std::fs::read_to_string(path).expect("the questions are there");
    let (mut asked, mut among_five) = (0, 0);
    for line in table.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let wanted = |id: &str| {
            id == columns[1] || columns.get(2).is_some_and(|also| also.split(',').any(|a| a == id))
        };
        let found = library.search(columns[0], &Filter::default());
        asked += 1;
        among_five += usize::from(found.patterns.iter().take(5).any(|pattern| wanted(&pattern.id)));
    }
    assert!(asked >= 150, "{asked} questions");
    assert!(among_five * 100 >= asked * 88, "{among_five} of {asked} are among the first five");
}
