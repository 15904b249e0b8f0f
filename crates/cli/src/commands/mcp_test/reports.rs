//! A check's report in the formats that CI systems read.

use std::fmt::Write;

use proofstone_mcptest::check::{Report, Severity};
use serde_json::{Value, json};

/// JUnit XML: a test case for each check.
pub(super) fn junit(report: &Report) -> String {
    let failed = |check: &'static str| {
        report.findings.iter().filter(move |f| f.check == check && f.severity > Severity::Note)
    };
    let failures = report.checks.iter().filter(|c| failed(c.check).next().is_some()).count();
    let skipped = report.checks.iter().filter(|check| check.skipped.is_some()).count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" skipped=\"{skipped}\">\n",
        escaped(&report.server),
        report.checks.len()
    );
    for check in &report.checks {
        let _ = writeln!(xml, "  <testcase classname=\"mcp\" name=\"{}\">", escaped(check.about));
        for finding in failed(check.check) {
            let (message, fix) = (escaped(&finding.message), escaped(finding.fix));
            let _ = writeln!(
                xml,
                "    <failure type=\"{}\" message=\"{message}\">{fix}</failure>",
                check.check
            );
        }
        if let Some(why) = &check.skipped {
            let _ = writeln!(xml, "    <skipped message=\"{}\"/>", escaped(why));
        }
        xml += "  </testcase>\n";
    }
    xml + "</testsuite>\n"
}

/// SARIF 2.1.0: a rule for each check, a result for each finding.
pub(super) fn sarif(report: &Report) -> Value {
    let rules: Vec<Value> = report
        .checks
        .iter()
        .map(|check| json!({ "id": check.check, "shortDescription": { "text": check.about } }))
        .collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let level = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            let text = format!("{} ({}). {}", finding.message, finding.specification, finding.fix);
            json!({ "ruleId": finding.check, "level": level, "message": { "text": text } })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "proofstone", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

pub(super) fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
