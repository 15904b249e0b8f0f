//! A check's report as one page that stands alone: every check, every finding, the frames behind it.

use std::fmt::Write;

use proofstone_mcptest::check::{Finding, Report, Severity};

use super::reports::escaped;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1c1c1c;background:#fff}table{border-collapse:collapse;width:100%}td{padding:.25rem .5rem;border-top:1px solid #ddd}\
.error{color:#b00020}.warning{color:#8a5a00}.note,.skipped{color:#666}.ok{color:#1b6e2c}\
pre{background:#f4f4f4;padding:.75rem;overflow:auto;white-space:pre-wrap}article{border-top:2px solid #ddd;margin-top:1.5rem}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}pre{background:#222}td{border-color:#333}\
.error{color:#ff8a80}.warning{color:#ffcc66}.ok{color:#7ddc8f}}";

/// The page.
pub(super) fn page(report: &Report) -> String {
    let name = report.server_info["name"].as_str().unwrap_or("(no name)");
    let title = escaped(&format!("{name}: {} findings", report.findings.len()));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<p>{}, {}, revision {}</p>\n<table>\n",
        escaped(&report.server),
        report.transport,
        escaped(&report.revision)
    );
    for check in &report.checks {
        let (class, said) = match (check.findings, &check.skipped) {
            (Some(0), _) => ("ok", "ok".to_owned()),
            (Some(count), _) => (worst(report, check.check), format!("{count} found")),
            (None, why) => ("skipped", format!("skipped: {}", why.as_deref().unwrap_or_default())),
        };
        let (about, said) = (escaped(check.about), escaped(&said));
        let _ = writeln!(page, "<tr><td>{about}</td><td class=\"{class}\">{said}</td></tr>");
    }
    page += "</table>\n";
    report.findings.iter().for_each(|finding| page += &article(finding));
    page + "</body></html>\n"
}

fn article(finding: &Finding) -> String {
    let mut text = format!(
        "<article><h2 class=\"{}\">{}</h2><p>{}</p><p>{}</p><p>{}</p>\n",
        class(finding.severity),
        escaped(finding.check),
        escaped(&finding.message),
        escaped(finding.specification),
        escaped(finding.fix)
    );
    for frame in &finding.frames {
        let payload = serde_json::to_string_pretty(&frame.payload).unwrap_or_default();
        let _ = writeln!(
            text,
            "<details><summary>frame {} {:?} {} ({} bytes)</summary><pre>{}</pre></details>",
            frame.id,
            frame.direction,
            frame.at,
            frame.bytes,
            escaped(&payload)
        );
    }
    text + "</article>\n"
}

fn worst(report: &Report, check: &str) -> &'static str {
    let found = report.findings.iter().filter(|finding| finding.check == check);
    class(found.map(|finding| finding.severity).max().unwrap_or(Severity::Note))
}

fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
