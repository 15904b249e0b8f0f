//! Files that go with a file: what it imports, what imports it, its tests, what changes with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use proofstone_jail::Root;

use crate::index::View;
use crate::reading;
use crate::search::PathKind;

/// Commits looked at for what changes together.
const COMMITS: &str = "400";
/// A commit that touches more files says nothing about any two of them.
const WIDE: usize = 30;

/// A related file and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    /// Path relative to the root.
    pub path: String,
    /// How it is related, strongest first: imports, imported-by, test, tested-by, changes-with.
    pub reasons: Vec<String>,
    /// Larger is closer.
    pub weight: f64,
}

/// Finds files related to the one at `path`.
pub fn related(root: &Root, view: &View, path: &str, limit: usize) -> Vec<Related> {
    let mut found: BTreeMap<String, Related> = BTreeMap::new();
    let mut note = |other: &str, reason: String, weight: f64| {
        if other != path {
            let entry = found.entry(other.to_owned()).or_insert_with(|| Related {
                path: other.to_owned(),
                reasons: Vec::new(),
                weight: 0.0,
            });
            entry.reasons.push(reason);
            entry.weight += weight;
        }
    };
    for imported in imports_of(root, path) {
        note(&imported, "imports".to_owned(), 1.0);
    }
    for importer in importers(root, view, path) {
        note(&importer, "imported-by".to_owned(), 0.9);
    }
    for (other, reason) in tests_of(view, path) {
        note(&other, reason.to_owned(), 1.2);
    }
    for (other, together, alone) in changed_together(root.path(), path) {
        if view.file_number(&other).is_some() {
            note(
                &other,
                format!("changes-with ({together} of {alone} commits)"),
                together as f64 / alone as f64,
            );
        }
    }
    let mut related: Vec<Related> = found.into_values().collect();
    related.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.path.cmp(&b.path)));
    related.truncate(limit);
    related
}

fn imports_of(root: &Root, path: &str) -> Vec<String> {
    let Ok(reading) = reading::read(root, path, None) else { return Vec::new() };
    reading::dependencies(root, &reading, false).files.into_iter().map(|file| file.path).collect()
}

/// Files that mention this file's own name, and whose imports lead to it.
fn importers(root: &Root, view: &View, path: &str) -> Vec<String> {
    const LOOKED_AT: usize = 200;
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = match stem {
        "mod" | "index" | "__init__" | "lib" => path.rsplit('/').nth(1).unwrap_or(stem),
        stem => stem,
    };
    let tokens = crate::tokens::unique_tokens(stem);
    let Some(whole) = tokens.last() else { return Vec::new() };
    let mut candidates: Vec<u32> = Vec::new();
    for (number, segment) in view.segments.iter().enumerate() {
        for posting in segment.postings(whole) {
            let doc = segment.chunk(posting.chunk).doc;
            candidates
                .extend(view.holders(crate::index::DocId { segment: number as u32, doc }).files());
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    let paths =
        candidates.into_iter().map(|file| view.files()[file as usize].path.clone()).take(LOOKED_AT);
    paths
        .filter(|candidate| {
            candidate != path && imports_of(root, candidate).iter().any(|imported| imported == path)
        })
        .collect()
}

/// Tests of a file, or the files a test tests, by their names.
fn tests_of(view: &View, path: &str) -> Vec<(String, &'static str)> {
    let is_test = PathKind::of(path) == PathKind::Test;
    let subject = subject(path);
    let other_side =
        view.files().iter().filter(|file| (PathKind::of(&file.path) == PathKind::Test) != is_test);
    let same_subject = other_side.filter(|file| {
        file.path != path && crate::language::name_of(&file.path) == crate::language::name_of(path)
    });
    let reason = if is_test { "tested-by-it" } else { "test" };
    same_subject
        .filter(|file| self::subject(&file.path) == subject)
        .map(|file| (file.path.clone(), reason))
        .take(20)
        .collect()
}

/// What a file is about, by its name without the marks of a test.
fn subject(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let endings = ["_test", "_tests", "_spec", "tests", "test"];
    let stem = endings
        .iter()
        .find_map(|ending| stem.strip_suffix(ending))
        .filter(|s| !s.is_empty())
        .unwrap_or(stem);
    stem.trim_matches(['_', '-']).to_owned()
}

/// Files that changed in the same commits: path, commits together, commits of the file. Empty without git.
fn changed_together(root: &Path, path: &str) -> Vec<(String, usize, usize)> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args([
        "log",
        "--no-merges",
        "--format=%x01",
        "--name-only",
        "--relative",
        "-n",
        COMMITS,
        "--full-diff",
        "--",
        path,
    ]);
    git.stdin(Stdio::null())
        .stderr(Stdio::null())
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_LITERAL_PATHSPECS", "1");
    let Ok(output) = git.output() else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut together, mut commits): (BTreeMap<&str, usize>, usize) = (BTreeMap::new(), 0);
    for commit in text.split('\u{1}').skip(1) {
        let files: Vec<&str> = commit.lines().filter(|line| !line.is_empty()).collect();
        commits += 1;
        if files.len() <= WIDE {
            for file in files.into_iter().filter(|file| *file != path) {
                *together.entry(file).or_default() += 1;
            }
        }
    }
    let mut found: Vec<_> = together
        .into_iter()
        .filter(|(_, n)| *n > 1)
        .map(|(file, n)| (file.to_owned(), n, commits))
        .collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(15);
    found
}
