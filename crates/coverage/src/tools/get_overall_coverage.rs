//! `get_overall_coverage`: line coverage of the whole project.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::Percent;
use super::remarks::Remarks;
use crate::desk::Desk;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Path to the LCOV coverage file. Can be absolute or relative. Example: "./coverage/lcov.info"
    lcov_path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Overall coverage percentage (0-100, one decimal place)
    overall: Percent,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetOverallCoverage(pub(crate) Arc<Desk>);

impl Tool for GetOverallCoverage {
    const NAME: &'static str = "get_overall_coverage";
    const TITLE: &'static str = "Overall line coverage";
    const DESCRIPTION: &'static str = "Analyzes an LCOV coverage file and returns the overall line \
        coverage percentage for the entire project. Use this before making code changes to establish \
        a baseline. Returns a single percentage value representing total project coverage. Other \
        report formats (Cobertura, JaCoCo, Clover, Istanbul, coverage.py, Go, llvm-cov) are \
        recognised by content.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let overview = seat.overview(&input.lcov_path)?;
                let output = Output { overall: Percent(overview.lines.percent()) };
                let mut remarks = Remarks::about_totals(&overview);
                remarks.older_than_sources(&overview, &seat.sources());
                Ok(remarks.beside(output))
            })
            .await
    }
}
