//! `find_tests_for_lines`: which tests run these lines.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::{Span, within_budget};
use crate::attribution::{Attribution, TestHits};
use crate::desk::Desk;
use crate::ranges::{LineSpan, neighbours};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Path to an LCOV report with test names (TN), or to a coverage.py .coverage database made with
    /// dynamic contexts
    lcov_path: String,
    /// The source file
    file_path: String,
    /// The lines; the whole file if empty
    #[serde(default)]
    lines: Vec<Span>,
    /// The most tests to return, those that run most of the lines first
    #[serde(default = "default_tests")]
    #[schemars(range(min = 1, max = 1000))]
    max_tests: usize,
}

fn default_tests() -> usize {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The file in the report; absent where the report does not have it
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// How the file was matched: exact, root or suffix
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// Files of the report that fit equally well, where none was chosen
    ambiguous: Vec<String>,
    /// Tests that ran any of the lines
    tests: Vec<Test>,
    /// Tests left out because of maxTests
    cut_tests: usize,
}

/// A test and which of the lines it ran.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Test {
    /// The test's name, as the report spells it
    name: String,
    /// How many of the asked lines it ran
    lines_run: usize,
    /// Which, at most 20 ranges
    ranges: Vec<Span>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct FindTestsForLines(pub(crate) Arc<Desk>);

impl Tool for FindTestsForLines {
    const NAME: &'static str = "find_tests_for_lines";
    const TITLE: &'static str = "Tests that run these lines";
    const DESCRIPTION: &'static str = "Says which tests run given lines of a file, from a report that \
        carries test names: LCOV with TN records, or a coverage.py .coverage database with contexts, \
        read directly. Use this to choose which tests to run or to read after a change.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let asked = |span: &Span| LineSpan { start: span.start, end: span.end };
                let lines: Vec<LineSpan> = input.lines.iter().map(asked).collect();
                let found = seat.tests(&input.lcov_path, &input.file_path, &lines)?;
                Ok(shape(found, input.max_tests).into())
            })
            .await
    }
}

fn shape(found: Attribution, limit: usize) -> Output {
    let cut_tests = found.tests.len().saturating_sub(limit);
    let (file, rule) = found.file.map(|(path, rule)| (path, rule.name().to_owned())).unzip();
    let tests = found.tests.into_iter().take(limit).map(Test::from).collect();
    Output { file, rule, ambiguous: found.ambiguous, tests, cut_tests }
}

impl From<TestHits> for Test {
    fn from(hits: TestHits) -> Self {
        let (mut left, mut cut) = (20, 0);
        let lines_run = hits.lines.len();
        let ranges = within_budget(neighbours(hits.lines), &mut left, &mut cut);
        Self { name: hits.test, lines_run, ranges }
    }
}
