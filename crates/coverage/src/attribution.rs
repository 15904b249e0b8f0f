//! Which tests ran which lines, from reports that carry test names.

use std::collections::{BTreeMap, BTreeSet};

use proofstone_lcov::Section;

use crate::database::{Database, DatabaseError};
use crate::library::Library;
use crate::open::{Place, ReportError};
use crate::paths::{Found, PathIndex, Rule, key};
use crate::ranges::LineSpan;
use crate::report::{Report, readable_path};

/// A test and which of the asked lines it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestHits {
    /// The test's name, as the report spells it.
    pub test: String,
    /// The asked lines it ran, ascending.
    pub lines: Vec<u32>,
}

/// Tests that ran lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// The file in the report, and how it was matched.
    pub file: Option<(String, Rule)>,
    /// Files that fit equally well, where none was chosen.
    pub ambiguous: Vec<String>,
    /// The tests, those that ran most of the lines first.
    pub tests: Vec<TestHits>,
}

/// Why a report can't say which tests ran a line.
#[derive(Debug, thiserror::Error)]
pub enum AttributionError {
    /// The report names no tests.
    #[error(
        "the report names no tests; LCOV needs TN records with a name (one run for each test), \
         coverage.py a .coverage database made with dynamic_context = test_function"
    )]
    NoTests,
    /// The report can't be had.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The database can't be read.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Tests that ran any of the lines of a file, from a report or a database, whichever the path leads to.
pub fn tests_for_lines(
    library: &Library,
    place: &Place,
    path: &str,
    asked: &str,
    lines: &[LineSpan],
) -> Result<Attribution, AttributionError> {
    let root = place.root().to_string_lossy();
    if place.is_database(path)? {
        return from_database(&Database::open(&place.resolve(path))?, asked, lines, &root);
    }
    from_report(&library.report(place, path)?.report, asked, lines, &root)
}

/// Tests of an LCOV report that ran any of the lines.
fn from_report(
    report: &Report,
    asked: &str,
    lines: &[LineSpan],
    root: &str,
) -> Result<Attribution, AttributionError> {
    if report.tests.is_empty() {
        return Err(AttributionError::NoTests);
    }
    let (at, attribution) = locate(report.index(), |at| report.files[at].path.clone(), asked, root);
    let Some(at) = at else { return Ok(attribution) };
    let path = key(&report.files[at].path, root);
    let same_file = |section: &&Section| key(&readable_path(&section.path), root) == path;
    let mut tests: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for section in report.tests.iter().filter(same_file) {
        let ran = section.coverage.lines.iter().filter(|(_, hits)| *hits > 0);
        let name = readable_path(&section.test);
        tests.entry(name).or_default().extend(ran.map(|(line, _)| line));
    }
    Ok(Attribution { tests: chosen(tests, lines), ..attribution })
}

/// Tests of a coverage.py database that ran any of the lines.
fn from_database(
    database: &Database,
    asked: &str,
    lines: &[LineSpan],
    root: &str,
) -> Result<Attribution, AttributionError> {
    if !database.names_tests()? {
        return Err(AttributionError::NoTests);
    }
    let files = database.files()?;
    let index = PathIndex::new(files.iter().map(|(_, path)| path.as_str()));
    let (at, attribution) = locate(&index, |at| files[at].1.clone(), asked, root);
    let Some(at) = at else { return Ok(attribution) };
    let mut tests = database.lines_by_test(files[at].0)?;
    tests.remove("");
    Ok(Attribution { tests: chosen(tests, lines), ..attribution })
}

fn locate(
    index: &PathIndex,
    path: impl Fn(usize) -> String,
    asked: &str,
    root: &str,
) -> (Option<usize>, Attribution) {
    let mut attribution = Attribution { file: None, ambiguous: Vec::new(), tests: Vec::new() };
    match index.find(asked, root) {
        Found::File(at, rule) => {
            attribution.file = Some((path(at), rule));
            (Some(at), attribution)
        }
        Found::Ambiguous(places) => {
            attribution.ambiguous = places.into_iter().map(path).collect();
            (None, attribution)
        }
        Found::Absent => (None, attribution),
    }
}

/// No spans ask for the whole file.
fn chosen(
    tests: BTreeMap<String, impl IntoIterator<Item = u32>>,
    spans: &[LineSpan],
) -> Vec<TestHits> {
    let wanted = |line: &u32| spans.is_empty() || spans.iter().any(|span| span.contains(*line));
    let mut hits: Vec<TestHits> = tests
        .into_iter()
        .map(|(test, lines)| TestHits { test, lines: lines.into_iter().filter(wanted).collect() })
        .filter(|hits| !hits.lines.is_empty())
        .collect();
    hits.sort_by(|a, b| b.lines.len().cmp(&a.lines.len()).then(a.test.cmp(&b.test)));
    hits
}
