//! `explain_coverage_change`: why coverage is another one than it was.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::{Change, Figures, Span, within_budget};
use super::remarks::Remarks;
use crate::change::{FileChange, explain};
use crate::desk::Desk;
use crate::ranges::neighbours;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The snapshot ID returned from start_coverage_snapshot
    snapshot_id: String,
    /// Path to the current coverage report
    lcov_path: String,
    /// The most ranges of lines to return
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
    /// Lines at the time of the snapshot
    before: Figures,
    /// Lines now
    now: Figures,
    /// The change of the percentage
    change: Change,
    /// How many lines changed in which way
    totals: Totals,
    /// Files with any such line, those that lost most first
    files: Vec<File>,
    /// Ranges left out because of maxRanges
    cut_ranges: usize,
}

/// How many lines changed in which way.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Totals {
    /// Lines nobody touched that ran then and do not run now: a test was lost
    lost_coverage: usize,
    /// New or changed lines that do not run
    new_uncovered: usize,
    /// New or changed lines that run
    new_covered: usize,
    /// Lines nobody touched that run now and did not then
    newly_covered: usize,
    /// Lines nobody touched that count as executable now and did not then, and do not run
    newly_executable: usize,
    /// Removed or changed lines that ran then
    removed_covered: u64,
    /// Removed or changed lines that did not run then
    removed_uncovered: u64,
}

/// What changed in one file; numbers are lines of the file as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File {
    /// The path now
    path: String,
    /// The path then, if it was another one
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
    /// Whether lines were followed across edits; if not, the source was not there at one of the two
    /// times and lines are compared by number
    followed: bool,
    /// Untouched lines that lost their coverage
    lost_coverage: Vec<Span>,
    /// New or changed lines that do not run
    new_uncovered: Vec<Span>,
    /// Untouched lines that gained coverage
    newly_covered: Vec<Span>,
    /// Untouched lines that became executable and do not run
    newly_executable: Vec<Span>,
    /// Removed or changed lines that ran then
    removed_covered: u64,
    /// Removed or changed lines that did not run then
    removed_uncovered: u64,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ExplainCoverageChange(pub(crate) Arc<Desk>);

impl Tool for ExplainCoverageChange {
    const NAME: &'static str = "explain_coverage_change";
    const TITLE: &'static str = "Why coverage changed";
    const DESCRIPTION: &'static str = "Explains how coverage changed since a snapshot, line by line \
        and followed across edits: lines nobody touched that lost their coverage, new lines that no \
        test runs, lines that are covered now. Use this when end_coverage_snapshot shows a fall.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let snapshot = seat.snapshots().load(&input.snapshot_id)?;
                let read = seat.report(&input.lcov_path)?;
                let mut changes = explain(&snapshot, &read.report, &seat.sources());
                changes.sort_by_key(|change| {
                    std::cmp::Reverse((change.lost.len(), change.new_uncovered.len()))
                });
                let (before, now) = (snapshot.lines(), read.report.lines());
                let totals = Totals::of(&changes);
                let (mut left, mut cut_ranges) = (input.max_ranges, 0);
                let shape = |change| File::of(change, &mut left, &mut cut_ranges);
                let files = changes.into_iter().map(shape).collect();
                let change = Change(now.change_since(before));
                let (before, now) = (before.into(), now.into());
                let output = Output { before, now, change, totals, files, cut_ranges };
                Ok(Remarks::about(&read).beside(output))
            })
            .await
    }
}

impl Totals {
    fn of(changes: &[FileChange]) -> Self {
        let mut totals = Self::default();
        for change in changes {
            totals.lost_coverage += change.lost.len();
            totals.new_uncovered += change.new_uncovered.len();
            totals.new_covered += change.new_covered.len();
            totals.newly_covered += change.gained.len();
            totals.newly_executable += change.newly_executable.len();
            totals.removed_covered += change.removed_covered;
            totals.removed_uncovered += change.removed_uncovered;
        }
        totals
    }
}

impl File {
    fn of(change: FileChange, left: &mut usize, cut: &mut usize) -> Self {
        let mut spans = |lines: Vec<u32>| within_budget(neighbours(lines), left, cut);
        Self {
            lost_coverage: spans(change.lost),
            new_uncovered: spans(change.new_uncovered),
            newly_covered: spans(change.gained),
            newly_executable: spans(change.newly_executable),
            path: change.path,
            renamed_from: change.renamed_from,
            followed: change.followed,
            removed_covered: change.removed_covered,
            removed_uncovered: change.removed_uncovered,
        }
    }
}
