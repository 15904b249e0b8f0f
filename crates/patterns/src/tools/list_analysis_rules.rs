//! `list_analysis_rules`: the rules, and which of them can be trusted.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shapes::some;
use crate::desk::{Desk, beside};
use crate::pattern::Severity;
use crate::rules::{Rule, SelfTest};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Output {
    #[serde(rename = "analysisRules:v1")]
    Rules(Catalogue),
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Catalogue {
    /// How many rules run: dead ones are listed and not counted.
    count: usize,
    /// How many failed their self-test and do not run.
    dead_count: usize,
    rules: Vec<Entry>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    title: String,
    message: String,
    /// low, medium or high.
    severity: String,
    /// What a finding is reported as: error, warning, info or hint.
    level: String,
    /// error, warn or off; a dead rule is off.
    default_level: String,
    category: String,
    /// The fix's id, where there is a fix.
    fix_ids: Vec<String>,
    languages: Vec<String>,
    /// The files it is for, where it is not for all: globs relative to the project root.
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Vec<String>>,
    /// The pattern that it belongs to.
    pattern_id: String,
    has_fix: bool,
    /// The fix was applied to the pattern's anti-patterns: it parses and the finding is gone.
    fix_verified: bool,
    self_test: Verdict,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Verdict {
    /// pass, none (no anti-pattern to try it on) or dead.
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ListAnalysisRules(pub(crate) Arc<Desk>);

impl Tool for ListAnalysisRules {
    const NAME: &'static str = "list_analysis_rules";
    const TITLE: &'static str = "List analysis rules";
    const DESCRIPTION: &'static str = "Lists the rules that analyze_code runs: languages, severity, the pattern each \
        belongs to, whether it has a fix, and the result of its self-test against its own pattern's good and bad \
        examples. Rules that fail it are listed as dead and never run.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, _: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let library = self.0.library(cx).await?;
        let shared = Arc::clone(&library);
        let catalogue = cx.blocking(move |_| catalogue(shared.rules().all())).await?;
        let text = text(&catalogue);
        Ok(beside(Answer::new(Output::Rules(catalogue)).shown_as(text), &library))
    }
}

fn catalogue(rules: &[Rule]) -> Catalogue {
    let dead = rules.iter().filter(|rule| !rule.is_alive()).count();
    Catalogue {
        count: rules.len() - dead,
        dead_count: dead,
        rules: rules.iter().map(entry).collect(),
    }
}

fn entry(rule: &Rule) -> Entry {
    let (severity, level) = match rule.severity {
        Severity::Error => ("high", "error"),
        Severity::Warning => ("medium", "warn"),
        Severity::Info | Severity::Hint => ("low", "warn"),
    };
    let (status, reason) = match &rule.self_test {
        SelfTest::Pass => ("pass", None),
        SelfTest::Untested => ("none", None),
        SelfTest::Fail(why) => ("dead", Some(why.clone())),
    };
    let owned = str::to_owned;
    Entry {
        id: rule.id.clone(),
        title: rule.title.clone(),
        message: rule.message.clone(),
        severity: owned(severity),
        level: owned(rule.severity.word()),
        default_level: owned(if rule.is_alive() { level } else { "off" }),
        category: rule.category.clone(),
        fix_ids: if rule.has_fix { vec![rule.id.clone()] } else { Vec::new() },
        languages: rule.languages().into_iter().map(owned).collect(),
        paths: some(&rule.paths),
        pattern_id: rule.pattern.clone(),
        has_fix: rule.has_fix,
        fix_verified: rule.fix_verified,
        self_test: Verdict { status: owned(status), reason },
    }
}

fn text(catalogue: &Catalogue) -> String {
    let mut lines =
        vec![format!("{} rules run, {} are dead.", catalogue.count, catalogue.dead_count)];
    for rule in &catalogue.rules {
        let fix = match (rule.has_fix, rule.fix_verified) {
            (true, true) => ", verified fix",
            (true, false) => ", fix",
            _ => "",
        };
        lines.push(format!(
            "- `{}` ({}; {}; self-test {}{fix}): {} Pattern `{}`.",
            rule.id,
            rule.level,
            rule.languages.join(", "),
            rule.self_test.status,
            rule.message,
            rule.pattern_id
        ));
    }
    lines.join("\n")
}
