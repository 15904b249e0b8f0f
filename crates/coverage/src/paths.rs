//! Which file of a report a person means.
//!
//! Both sides are normalised first; then the rules are tried in order: the same path, the same path
//! under the project root, the longest suffix of whole segments. A tie is never guessed.

use std::collections::HashMap;

use proofstone_lcov::{normal_path, path_beneath};

use crate::report::readable_path;

/// How a path was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The same path, after normalising.
    Exact,
    /// The same path once both are taken relative to the project root.
    Root,
    /// One is the end of the other, in whole segments.
    Suffix,
}

impl Rule {
    /// The rule's name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Root => "root",
            Self::Suffix => "suffix",
        }
    }
}

/// What looking up a path came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// This file (its place in the report), by this rule.
    File(usize, Rule),
    /// Several files fit equally well.
    Ambiguous(Vec<usize>),
    /// No file fits.
    Absent,
}

/// A report's files by path.
#[derive(Debug)]
pub struct PathIndex {
    normal: Vec<String>,
    exact: HashMap<String, Vec<usize>>,
    by_name: HashMap<String, Vec<usize>>,
}

impl PathIndex {
    /// An index over these paths, in this order.
    pub fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let normal: Vec<String> = paths.map(normalise).collect();
        let mut exact: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, path) in normal.iter().enumerate() {
            exact.entry(path.clone()).or_default().push(at);
            by_name.entry(file_name(path).to_owned()).or_default().push(at);
        }
        Self { normal, exact, by_name }
    }

    /// Finds the file that `asked` means in a project at `root`.
    pub fn find(&self, asked: &str, root: &str) -> Found {
        let (asked, root) = (normalise(asked), normalise(root));
        if let Some(places) = self.exact.get(&asked) {
            return one_of(places, Rule::Exact);
        }
        let relative = relative_to(&asked, &root);
        let candidates = self.by_name.get(file_name(&asked)).map_or(&[][..], Vec::as_slice);
        let same_under_root: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|at| relative_to(&self.normal[*at], &root) == relative)
            .collect();
        if !same_under_root.is_empty() {
            return one_of(&same_under_root, Rule::Root);
        }
        self.longest_suffix(candidates, relative, &root)
    }

    fn longest_suffix(&self, candidates: &[usize], relative: &str, root: &str) -> Found {
        let mut best = (0, Vec::new());
        for at in candidates {
            let path = relative_to(&self.normal[*at], root);
            let length = suffix_length(relative, path);
            if length > best.0 {
                best = (length, vec![*at]);
            } else if length == best.0 && length > 0 {
                best.1.push(*at);
            }
        }
        if best.1.is_empty() { Found::Absent } else { one_of(&best.1, Rule::Suffix) }
    }

    /// The paths most like one that is not there, best first.
    pub fn nearest(&self, asked: &str, limit: usize) -> Vec<usize> {
        /// Beyond this, only files of the same name are compared.
        const COMPARED: usize = 20_000;
        let asked = normalise(asked);
        let same_name = self.by_name.get(file_name(&asked)).cloned().unwrap_or_default();
        let all = if self.normal.len() <= COMPARED { 0..self.normal.len() } else { 0..0 };
        let mut scored: Vec<(f64, usize)> = same_name
            .iter()
            .copied()
            .chain(all.filter(|at| !same_name.contains(at)))
            .map(|at| (likeness(&asked, &self.normal[at]), at))
            .filter(|(score, _)| *score > 0.75)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().take(limit).map(|(_, at)| at).collect()
    }
}

fn one_of(places: &[usize], rule: Rule) -> Found {
    match places {
        [at] => Found::File(*at, rule),
        many => Found::Ambiguous(many.to_vec()),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How alike two paths are, by their ends or by their file names alone; case is no difference.
fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let whole = strsim::jaro_winkler(&tail(&a), &tail(&b));
    whole.max(strsim::jaro_winkler(file_name(&a), file_name(&b)))
}

/// The last three segments: what people remember of a path.
fn tail(path: &str) -> String {
    let mut segments: Vec<_> = path.rsplit('/').take(3).collect();
    segments.reverse();
    segments.join("/")
}

/// How many segments match if one path is the whole end of the other, else 0.
fn suffix_length(a: &str, b: &str) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let short = short.trim_start_matches('/');
    let whole = long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    if whole { short.split('/').count() } else { 0 }
}

fn relative_to<'a>(path: &'a str, root: &str) -> &'a str {
    let rest = path_beneath(path.as_bytes(), root.as_bytes()).len();
    &path[path.len() - rest..]
}

/// The spelling under which files of several reports meet.
pub(crate) fn key(path: &str, root: &str) -> String {
    let path = normalise(path);
    relative_to(&path, &normalise(root)).to_owned()
}

/// One spelling for every way to write a path: slashes, no `.` or `..`, lower-case drive letter, no
/// `file://`.
pub fn normalise(path: &str) -> String {
    // What is UTF-8 stays UTF-8, unless a `file://` address spells other bytes.
    readable_path(&normal_path(path.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(report: &[&str], asked: &str, expected: Found) {
        let index = PathIndex::new(report.iter().copied());
        assert_eq!(index.find(asked, "/home/me/project"), expected, "{asked} in {report:?}");
    }

    #[test]
    fn rules_in_order() {
        check(&["src/a.ts"], "./src/a.ts", Found::File(0, Rule::Exact));
        check(&["C:\\p\\a.ts"], "c:/p/a.ts", Found::File(0, Rule::Exact));
        check(&["src/a.ts"], "/home/me/project/src/a.ts", Found::File(0, Rule::Root));
        check(&["/home/me/project/src/a.ts"], "src/a.ts", Found::File(0, Rule::Root));
        check(&["/build/ci/src/a.ts"], "src/a.ts", Found::File(0, Rule::Suffix));
        check(&["a.ts"], "/elsewhere/src/a.ts", Found::File(0, Rule::Suffix));
        check(&["src/a.ts", "x/src/a.ts"], "y/x/src/a.ts", Found::File(1, Rule::Suffix));
        check(&["example.com/mod/a.go"], "/home/me/project/a.go", Found::File(0, Rule::Suffix));
    }

    #[test]
    fn a_tie_is_not_guessed() {
        check(&["x/a.ts", "y/a.ts"], "a.ts", Found::Ambiguous(vec![0, 1]));
        check(&["x/src/a.ts", "y/src/a.ts"], "src/a.ts", Found::Ambiguous(vec![0, 1]));
    }

    #[test]
    fn what_is_near() {
        let index = PathIndex::new(["src/deep/recipes.py", "src/more.py", "x/y.c"].into_iter());
        assert_eq!(index.nearest("RECIPES.py", 3), [0]);
        assert_eq!(index.nearest("lib/recipe.py", 1), [0]);
        assert_eq!(index.nearest("zzz", 3), [0_usize; 0]);
    }

    #[test]
    fn a_shared_name_is_no_match() {
        check(&["src/a/index.ts"], "src/b/index.ts", Found::Absent);
        check(&["src/aa.ts"], "a.ts", Found::Absent);
    }
}
