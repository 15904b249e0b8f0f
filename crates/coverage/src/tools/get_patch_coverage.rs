//! `get_patch_coverage`: which of the changed lines a test runs.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::{Figures, Percent, Span, within_budget};
use super::remarks::Remarks;
use crate::changes::{Change, changed_files};
use crate::desk::Desk;
use crate::library::FileRow;
use crate::patch::{PatchCoverage, PatchedFile};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Path to the coverage report (LCOV or any other known format), absolute or relative
    lcov_path: String,
    /// More reports, united with the first line by line
    #[serde(default)]
    also_reports: Vec<String>,
    /// Compare the work tree with the point where it left this git revision, such as "main" or
    /// "origin/main". Without base, staged or diff, the work tree is compared with the last commit
    #[serde(default)]
    base: Option<String>,
    /// Compare what is staged with the last commit
    #[serde(default)]
    staged: bool,
    /// A unified diff to use instead of asking git; its new side must be what was tested
    #[serde(default)]
    diff: Option<String>,
    /// The most ranges of uncovered lines to return
    #[serde(default = "default_ranges")]
    #[schemars(range(min = 1, max = 1000))]
    max_ranges: usize,
}

fn default_ranges() -> usize {
    100
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// What the change was compared with
    compared_with: String,
    /// Percentage of the changed executable lines that ran; absent where no changed line is known to
    /// be executable
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<Percent>,
    /// Changed lines by what is known about them
    lines: ChangedLines,
    /// Branches on changed lines
    branches: Figures,
    /// Functions with changed lines: those that were called, all
    functions: Figures,
    /// Changed files
    files: Vec<ChangedFile>,
    /// Changed files that no report has: they may be untested, and are never counted as fine
    not_in_report: Vec<String>,
    /// Ranges of uncovered lines left out because of maxRanges
    cut_ranges: usize,
}

/// Changed lines by what is known about them.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedLines {
    /// Ran
    covered: u64,
    /// Did not run
    uncovered: u64,
    /// Can't run: comments, declarations, braces
    not_executable: u64,
    /// In files that no report has
    not_in_report: u64,
}

/// One changed file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedFile {
    /// The path after the change
    path: String,
    /// The path before, if it was another one
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
    /// Its changed lines
    lines: ChangedLines,
    /// Changed lines that did not run
    uncovered: Vec<Span>,
    /// Functions with changed lines that were never called
    uncalled_functions: Vec<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetPatchCoverage(pub(crate) Arc<Desk>);

impl Tool for GetPatchCoverage {
    const NAME: &'static str = "get_patch_coverage";
    const TITLE: &'static str = "Coverage of changed lines";
    const DESCRIPTION: &'static str = "Says which of the changed lines a test runs: against a git \
        revision, the last commit, the index, or a given unified diff. Use this after changing code \
        and running the tests, before saying the change is tested. Files that no report has are \
        listed apart and never counted as fine.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let change = change(&input)?;
                let diff = changed_files(&change, seat.place.root(), &seat.sources())?;
                let read = seat.union(&input.lcov_path, &input.also_reports)?;
                let patch = PatchCoverage::of(&diff, &read.report, &seat.root());
                let mut remarks = Remarks::about(&read);
                let changed = |path: &str| patch.files.iter().any(|f| path.ends_with(&f.path));
                let files = read.report.files.iter().filter(|file| changed(&file.path));
                remarks.staleness(files.map(FileRow::from), read.written, &seat.sources());
                Ok(remarks.beside(shape(change.against(), &patch, input.max_ranges)))
            })
            .await
    }
}

fn change(input: &Input) -> Result<Change, Failure> {
    match (&input.diff, &input.base, input.staged) {
        (Some(diff), None, false) => Ok(Change::Diff(diff.clone())),
        (None, Some(base), false) => Ok(Change::Since(base.clone())),
        (None, None, true) => Ok(Change::Staged),
        (None, None, false) => Ok(Change::WorkTree),
        _ => Err(Failure::invalid("", "give at most one of base, staged and diff")),
    }
}

fn shape(compared_with: String, patch: &PatchCoverage, budget: usize) -> Output {
    let (mut left, mut cut_ranges) = (budget, 0);
    let mut lines = ChangedLines::default();
    let mut files = Vec::new();
    for file in &patch.files {
        let counts = ChangedLines::of(file);
        lines.covered += counts.covered;
        lines.uncovered += counts.uncovered;
        lines.not_executable += counts.not_executable;
        lines.not_in_report += counts.not_in_report;
        let uncalled = file.functions.iter().filter(|(_, _, called)| !called);
        files.push(ChangedFile {
            path: file.path.clone(),
            renamed_from: file.renamed_from.clone(),
            lines: counts,
            uncovered: within_budget(file.uncovered_spans(), &mut left, &mut cut_ranges),
            uncalled_functions: uncalled.map(|(name, _, _)| name.clone()).collect(),
        });
    }
    let ratio = patch.lines();
    let unknown = patch.files.iter().filter(|file| !file.in_report);
    Output {
        compared_with,
        percent: (ratio.found > 0).then(|| Percent(ratio.percent())),
        lines,
        branches: patch.branches().into(),
        functions: patch.functions().into(),
        not_in_report: unknown.map(|file| file.path.clone()).collect(),
        files,
        cut_ranges,
    }
}

impl ChangedLines {
    fn of(file: &PatchedFile) -> Self {
        Self {
            covered: file.covered.len() as u64,
            uncovered: file.uncovered.len() as u64,
            not_executable: file.not_executable,
            not_in_report: file.unknown,
        }
    }
}
