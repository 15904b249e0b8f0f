//! Coverage of a change: of the lines that were added, which ran.

use crate::diff::FileDiff;
use crate::functions::{Functions, name};
use crate::paths::Found;
use crate::ranges::{LineSpan, neighbours};
use crate::ratio::Ratio;
use crate::report::{File, Report};

/// What a report says about the added lines of a change.
#[derive(Clone, Debug, Default)]
pub struct PatchCoverage {
    /// One entry for each changed file that still exists.
    pub files: Vec<PatchedFile>,
}

/// What a report says about the added lines of one file.
#[derive(Clone, Debug, Default)]
pub struct PatchedFile {
    /// The path after the change.
    pub path: String,
    /// The path before, if it was another one.
    pub renamed_from: Option<String>,
    /// Whether any report has the file's lines. Where none has, nothing is known about them.
    pub in_report: bool,
    /// Added lines that ran.
    pub covered: Vec<u32>,
    /// Added lines that did not run.
    pub uncovered: Vec<u32>,
    /// Added lines that can't run (comments, declarations).
    pub not_executable: u64,
    /// Added lines of a file that no report has.
    pub unknown: u64,
    /// Branches on added lines.
    pub branches: Ratio,
    /// Added or changed functions and whether each was called.
    pub functions: Vec<(String, LineSpan, bool)>,
}

impl PatchedFile {
    /// Runs of added lines that did not run.
    pub fn uncovered_spans(&self) -> Vec<LineSpan> {
        neighbours(self.uncovered.iter().copied())
    }
}

impl PatchCoverage {
    /// Holds a diff against a report.
    pub fn of(diff: &[FileDiff], report: &Report, root: &str) -> Self {
        let files = diff.iter().filter(|file| !file.binary && !file.added.is_empty());
        let patched = |diff: &FileDiff| {
            let path = diff.new.clone()?;
            let file = match report.index().find(&path, root) {
                Found::File(at, _) => Some(&report.files[at]),
                _ => None,
            };
            Some(PatchedFile::of(path, diff, file))
        };
        Self { files: files.filter_map(patched).collect() }
    }

    /// Added lines that could run.
    pub fn lines(&self) -> Ratio {
        let sum = |of: fn(&PatchedFile) -> usize| self.files.iter().map(of).sum::<usize>() as u64;
        let (covered, uncovered) = (sum(|f| f.covered.len()), sum(|f| f.uncovered.len()));
        Ratio::new(covered, covered + uncovered)
    }

    /// Branches on added lines.
    pub fn branches(&self) -> Ratio {
        self.files.iter().fold(Ratio::default(), |mut sum, file| {
            sum += file.branches;
            sum
        })
    }

    /// Functions with added lines: those called, all.
    pub fn functions(&self) -> Ratio {
        let functions = || self.files.iter().flat_map(|file| &file.functions);
        let called = functions().filter(|(_, _, called)| *called).count() as u64;
        Ratio::new(called, functions().count() as u64)
    }
}

impl PatchedFile {
    fn of(path: String, diff: &FileDiff, file: Option<&File>) -> Self {
        let renamed_from = diff.renamed_from().map(str::to_owned);
        let empty = Self { path, renamed_from, ..Self::default() };
        // A file of which only totals are known says nothing about any of its lines.
        let Some(file) = file.filter(|file| !file.coverage.lines.is_empty()) else {
            return Self { unknown: diff.added.len() as u64, ..empty };
        };
        let mut patched = Self { in_report: true, ..empty };
        for line in &diff.added {
            match file.coverage.lines.get(*line) {
                Some(0) => patched.uncovered.push(*line),
                Some(_) => patched.covered.push(*line),
                None => patched.not_executable += 1,
            }
        }
        let added = |line: u32| diff.added.binary_search(&line).is_ok();
        for branch in file.coverage.branches.iter().filter(|b| !b.unreachable && added(b.line)) {
            patched.branches += Ratio::new(u64::from(branch.taken.is_hit()), 1);
        }
        let touched = |span: LineSpan| {
            let first = diff.added.partition_point(|line| *line < span.start);
            diff.added.get(first).is_some_and(|line| *line <= span.end)
        };
        let functions = Functions::of(&file.coverage);
        let functions = functions.iter().filter(|(span, _)| touched(*span));
        patched.functions =
            functions.map(|(span, function)| (name(function), span, function.hits() > 0)).collect();
        patched
    }
}
