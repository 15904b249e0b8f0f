//! `apply_fix`: mends what a rule found, with proof, and writes only when told to.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::{self, Fixed};
use crate::desk::{Desk, beside};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The rule whose fix to apply.
    rule: String,
    /// The file beneath the project root.
    #[serde(default)]
    path: Option<String>,
    /// Instead of a file: code, with its language.
    #[serde(default)]
    code: Option<String>,
    /// The code's language: typescript, tsx, javascript, python, rust, go or solidity.
    #[serde(default)]
    language: Option<String>,
    /// Only the finding that begins on this line; all of the file unless given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    line: Option<usize>,
    /// Show the diff and write nothing; yes unless set to false.
    #[serde(default)]
    dry_run: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Output {
    #[serde(rename = "fixResult:v1")]
    Fix(FixResult),
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FixResult {
    rule_id: String,
    file: String,
    /// How many places are mended.
    applied: usize,
    /// Whether the file was written.
    written: bool,
    /// The change.
    diff: String,
    proof: Proof,
    /// The mended code, where code was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// What was checked on the result.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Proof {
    /// It has no syntax error that was not there before.
    parses: bool,
    /// The mended places are no longer found.
    finding_gone: bool,
    /// Rules that find more than before.
    new_findings: Vec<String>,
    /// Applying the fix again changes nothing.
    idempotent: bool,
    /// All of the above hold.
    holds: bool,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ApplyFix(pub(crate) Arc<Desk>);

impl Tool for ApplyFix {
    const NAME: &'static str = "apply_fix";
    const TITLE: &'static str = "Apply a rule's fix";
    const DESCRIPTION: &'static str = "Applies a rule's fix to a file or a piece of code and returns a unified diff \
        with proof: the result parses, the finding is gone, nothing new is found, and a second application changes \
        nothing. A dry run unless dryRun is false; a fix whose proof does not hold is never written.";
    const EFFECT: Effect = Effect::CHANGES;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let library = self.0.library(cx).await?;
        let (root, asked) = (cx.root().to_path_buf(), input.clone());
        let unit = cx.blocking(move |_| unit(&root, asked)).await??;
        let path = unit.path.clone();
        let fixed = analysis::try_fix(
            &library,
            self.0.scanner(),
            unit,
            &input.rule,
            input.line,
            cx.deadline(),
        )
        .await?;
        let wanted = input.dry_run == Some(false) && input.path.is_some();
        if wanted && fixed.is_proved() {
            let (root, path, fixed) = (cx.root().to_path_buf(), path.clone(), fixed.clone());
            cx.blocking(move |_| write(&root, &path, &fixed)).await??;
        }
        let result = result(&input, path, &fixed, wanted && fixed.is_proved());
        let text = text(&result);
        Ok(beside(Answer::new(Output::Fix(result)).shown_as(text), &library))
    }
}

fn unit(root: &std::path::Path, input: Input) -> Result<crate::engine::Unit, Failure> {
    match (input.path, input.code) {
        (Some(path), None) => Ok(analysis::file(&analysis::open(root)?, &path)?),
        (None, Some(code)) => Ok(analysis::unit(code, input.language.as_deref(), None)?),
        _ => Err(Failure::invalid(
            "",
            "give either a path beneath the project root or code with its language",
        )),
    }
}

/// Writes the result, unless the file changed meanwhile.
fn write(root: &std::path::Path, path: &str, fixed: &Fixed) -> Result<(), Failure> {
    let root = analysis::open(root)?;
    let now = root.read(path).map_err(analysis::AnalysisError::Path)?;
    if now != fixed.before.as_bytes() {
        let message = format!("{path} changed while the fix was being proved; nothing was written");
        return Err(Failure::refused("CONFLICT", message).retryable());
    }
    root.write(path, fixed.after.as_bytes())
        .map_err(|error| analysis::AnalysisError::Path(error).into())
}

fn result(input: &Input, file: String, fixed: &Fixed, written: bool) -> FixResult {
    FixResult {
        rule_id: input.rule.clone(),
        diff: fixed.diff(&file),
        file,
        applied: fixed.applied,
        written,
        proof: Proof {
            parses: fixed.parses,
            finding_gone: fixed.finding_gone,
            new_findings: fixed.new_findings.clone(),
            idempotent: fixed.idempotent,
            holds: fixed.is_proved(),
        },
        code: input.code.is_some().then(|| fixed.after.clone()),
    }
}

fn text(result: &FixResult) -> String {
    let proof = &result.proof;
    let word = |holds: bool| if holds { "yes" } else { "NO" };
    format!(
        "{} places of `{}` mended in `{}`, {}.\n\nParses: {}. Finding gone: {}. New findings: {}. \
         A second application changes nothing: {}.\n\n```diff\n{}```",
        result.applied,
        result.rule_id,
        result.file,
        if result.written { "written" } else { "not written" },
        word(proof.parses),
        word(proof.finding_gone),
        if proof.new_findings.is_empty() {
            "none".to_owned()
        } else {
            proof.new_findings.join(", ")
        },
        word(proof.idempotent),
        result.diff
    )
}
