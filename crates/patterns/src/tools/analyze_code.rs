//! `analyze_code`: runs the rules on code.

use std::collections::BTreeMap;
use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shapes::{FoundAt, Skipped};
use crate::analysis::{self, Report, Taken};
use crate::desk::{Desk, beside};

const MOST_FINDINGS: usize = 100;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Code to look at; with language, or with a fileName that tells it.
    #[serde(default)]
    code: Option<String>,
    /// The code's language: typescript, tsx, javascript, python, rust, go or solidity.
    #[serde(default)]
    language: Option<String>,
    /// What the code is called in the findings.
    #[serde(default)]
    file_name: Option<String>,
    /// Instead of code: files and folders beneath the project root. Ignored files are left out of folders.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    paths: Option<Vec<String>>,
    /// Only these rules.
    #[serde(default)]
    #[schemars(length(max = 500))]
    rules: Option<Vec<String>>,
    /// The most findings to return; 100 unless given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Output {
    #[serde(rename = "analysisFindings:v1")]
    Found(AnalysisFindings),
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnalysisFindings {
    /// How many places were found in all.
    total_count: usize,
    /// The most severe first, then by file and place.
    findings: Vec<FoundAt>,
    /// How many findings each severity has.
    severities: BTreeMap<String, usize>,
    /// How many files were scanned.
    files_scanned: usize,
    /// How many rules were run.
    rules_run: usize,
    /// What was not scanned, and why.
    skipped: Vec<Skipped>,
    /// Files with places that the parser could not make sense of: findings there may be missing.
    files_with_syntax_errors: Vec<String>,
    /// Whether there are more findings than are listed.
    truncated: bool,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct AnalyzeCode(pub(crate) Arc<Desk>);

impl Tool for AnalyzeCode {
    const NAME: &'static str = "analyze_code";
    const TITLE: &'static str = "Find anti-patterns in code";
    const DESCRIPTION: &'static str = "Runs the library's tested rules on a piece of code, or on files and folders \
        of the project, and returns each finding with its range, message, the pattern that says what to do \
        instead, and the fix where there is one. Says what was not scanned and why. No findings means that these \
        rules found nothing, not that the code is right.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let library = self.0.library(cx).await?;
        let (root, asked) = (cx.root().to_path_buf(), input.clone());
        let (units, skipped) = cx.blocking(move |_| units(&root, asked)).await??;
        let rules = input.rules.unwrap_or_default();
        let mut report =
            analysis::scan(&library, self.0.scanner(), units, &rules, cx.deadline()).await?;
        report.skipped.extend(skipped);
        let findings = findings(&report, input.limit.unwrap_or(MOST_FINDINGS));
        let text = text(&findings);
        Ok(beside(Answer::new(Output::Found(findings)).shown_as(text), &library))
    }
}

fn units(root: &std::path::Path, input: Input) -> Result<Taken, Failure> {
    match (input.code, input.paths) {
        (Some(code), None) => {
            let unit = analysis::unit(code, input.language.as_deref(), input.file_name.as_deref())?;
            Ok((vec![unit], Vec::new()))
        }
        (None, Some(paths)) if !paths.is_empty() => {
            Ok(analysis::files(&analysis::open(root)?, &paths)?)
        }
        (Some(_), Some(_)) => Err(Failure::invalid("", "give either code or paths, not both")),
        _ => Err(Failure::invalid(
            "",
            "give code (with language or fileName), or paths beneath the project root",
        )),
    }
}

fn findings(report: &Report<'_>, limit: usize) -> AnalysisFindings {
    let mut severities = BTreeMap::new();
    for finding in &report.findings {
        *severities.entry(finding.rule.severity.word().to_owned()).or_default() += 1;
    }
    let total = report.findings.len() + report.dropped;
    AnalysisFindings {
        total_count: total,
        findings: report.findings.iter().take(limit).map(FoundAt::of).collect(),
        severities,
        files_scanned: report.scanned,
        rules_run: report.rules,
        skipped: Skipped::all(&report.skipped),
        files_with_syntax_errors: report.syntax_errors.clone(),
        truncated: total > limit.min(report.findings.len()),
    }
}

fn text(findings: &AnalysisFindings) -> String {
    let mut lines = vec![format!(
        "{} findings in {} files, {} rules run, {} files skipped.",
        findings.total_count,
        findings.files_scanned,
        findings.rules_run,
        findings.skipped.len()
    )];
    lines.extend(findings.findings.iter().map(FoundAt::line));
    if findings.truncated {
        lines.push(format!(
            "({} more are not listed)",
            findings.total_count - findings.findings.len()
        ));
    }
    for skipped in findings.skipped.iter().take(20) {
        lines.push(skipped.line());
    }
    for file in findings.files_with_syntax_errors.iter().take(20) {
        lines.push(format!("- syntax errors in `{file}`: findings there may be missing"));
    }
    lines.join("\n")
}
