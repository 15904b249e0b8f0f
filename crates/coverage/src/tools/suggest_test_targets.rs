//! `suggest_test_targets`: which functions to test next, and why.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::{Figures, Span};
use super::get_uncovered_lines::choose;
use super::remarks::Remarks;
use crate::desk::Desk;
use crate::git::recent_changes;
use crate::targets::{self, rank};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Path to the coverage report (LCOV or any other known format), absolute or relative
    lcov_path: String,
    /// More reports, united with the first line by line
    #[serde(default)]
    also_reports: Vec<String>,
    /// Only these files; all files of the report if empty
    #[serde(default)]
    file_paths: Vec<String>,
    /// The most targets to return
    #[serde(default = "default_targets")]
    #[schemars(range(min = 1, max = 200))]
    max_targets: usize,
}

fn default_targets() -> usize {
    10
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Functions worth a test, the most valuable first
    targets: Vec<Target>,
    /// Targets left out because of maxTargets
    cut_targets: usize,
    /// Asked files that are not in the report (or fit several)
    not_in_report: Vec<String>,
}

/// A function worth a test.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Target {
    /// The file, as the report spells it
    path: String,
    /// The function; absent for code outside functions, and where the report has no functions
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// Where it is
    span: Span,
    /// Its lines
    lines: Figures,
    /// Decisions in it, plus one
    complexity: u64,
    /// Commits that touched its file in the last 90 days; absent where git can't say
    #[serde(skip_serializing_if = "Option::is_none")]
    recent_commits: Option<u32>,
    /// Uncovered lines x complexity x (1 + ln(1 + recent commits))
    score: f64,
    /// Why it is worth a test
    reason: String,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct SuggestTestTargets(pub(crate) Arc<Desk>);

impl Tool for SuggestTestTargets {
    const NAME: &'static str = "suggest_test_targets";
    const TITLE: &'static str = "What to test next";
    const DESCRIPTION: &'static str = "Suggests which functions to test next, ranked by uncovered \
        lines, complexity and recent change in git, with the reason for each. Use this to decide \
        where a new test is worth most.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let read = seat.union(&input.lcov_path, &input.also_reports)?;
                let (chosen, not_in_report) = choose(&read.report, &input.file_paths, &seat.root());
                let mut remarks = Remarks::about(&read);
                let changes = recent_changes(seat.place.root());
                if let Err(error) = &changes {
                    remarks.warn(format!("recent changes are unknown: {error}"));
                }
                let changes = changes.as_ref().ok();
                let mut targets = rank(&read.report, &chosen, changes, &seat.sources());
                let cut_targets = targets.len().saturating_sub(input.max_targets);
                targets.truncate(input.max_targets);
                let targets = targets.into_iter().map(Target::from).collect();
                Ok(remarks.beside(Output { targets, cut_targets, not_in_report }))
            })
            .await
    }
}

impl From<targets::Target> for Target {
    fn from(target: targets::Target) -> Self {
        Self {
            reason: target.reason(),
            path: target.path,
            function: target.function,
            span: target.span.into(),
            lines: target.lines.into(),
            complexity: target.complexity,
            recent_commits: target.recent_commits,
            score: (target.score * 10.0).round() / 10.0,
        }
    }
}
