//! Findings as SARIF 2.1.0, which code hosts show beside the code.

use proofstone_patterns::analysis::{Finding, Report};
use proofstone_patterns::pattern::Severity;
use serde_json::{Value, json};

/// The whole log.
pub(crate) fn log(report: &Report<'_>) -> Value {
    let mut rules: Vec<&proofstone_patterns::rules::Rule> = Vec::new();
    for finding in &report.findings {
        if !rules.iter().any(|known| known.id == finding.rule.id) {
            rules.push(finding.rule);
        }
    }
    let described = rules.iter().map(|rule| {
        json!({
            "id": rule.id,
            "name": rule.title,
            "shortDescription": { "text": rule.message },
            "help": { "text": format!("proofstone patterns show {}", rule.pattern) },
            "defaultConfiguration": { "level": level(rule.severity) },
        })
    });
    let index = |finding: &Finding<'_>| rules.iter().position(|rule| rule.id == finding.rule.id);
    let results = report.findings.iter().map(|finding| result(finding, index(finding)));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "proofstone patterns",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn result(finding: &Finding<'_>, rule_index: Option<usize>) -> Value {
    let span = finding.found.span;
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": level(finding.rule.severity),
        "message": { "text": finding.rule.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": finding.path },
            "region": {
                "startLine": span.start_line, "startColumn": span.start_column,
                "endLine": span.end_line, "endColumn": span.end_column,
            },
        } }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    }
}
