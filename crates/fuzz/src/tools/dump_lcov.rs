//! `dump_lcov`: the coverage so far as an LCOV report.

use std::path::Path;
use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Shape, Tool};
use proofstone_jail::{Policy, Root};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::{PROMPT, campaign};
use crate::desk::Desk;

/// Export coverage in LCOV format
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "DumpLcovInput")]
pub(crate) struct Input {
    /// Output file path (optional, defaults to stdout)
    output_path: Option<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct DumpLcov(pub(crate) Arc<Desk>);

impl Tool for DumpLcov {
    const NAME: &'static str = "dump_lcov";
    const TITLE: &'static str = "Coverage as LCOV";
    const DESCRIPTION: &'static str = "Returns the campaign's coverage so far in LCOV format, with true hit \
        counts of lines, functions and branches. With outputPath the report is also written there, inside the \
        project root, where get_overall_coverage, get_uncovered_lines and the coverage snapshots read it.";
    const EFFECT: Effect = Effect::SETS;
    const LIMITS: Limits = PROMPT;
    const SHAPE: Shape = Shape::Text;
    type Input = Input;
    type Output = String;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<String>, Failure> {
        let run = campaign(&self.0, cx).await?;
        let root = cx.root().to_owned();
        cx.blocking(move |_| {
            let lcov = run.campaign().coverage().lcov();
            if let Some(path) = input.output_path {
                write(&root, &path, &lcov)?;
            }
            Ok(Answer::new(lcov.clone()).shown_as(lcov))
        })
        .await?
    }
}

fn write(root: &Path, path: &str, lcov: &str) -> Result<(), Failure> {
    let failed = |error: proofstone_jail::JailError| {
        Failure::invalid("/outputPath", format!("the report can't be written: {error}"))
    };
    let jail = Root::open(root, Policy::project()).map_err(failed)?;
    let relative = jail.relative(Path::new(path));
    let relative = relative.as_deref().and_then(Path::to_str).unwrap_or(path);
    jail.write(relative, lcov.as_bytes()).map_err(failed)
}
