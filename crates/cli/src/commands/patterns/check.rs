//! `proofstone patterns check`: the rules on a project's code, for people and for CI.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use proofstone_patterns::analysis::{self, Finding, Report};
use proofstone_patterns::library::Library;
use proofstone_patterns::pattern::Severity;
use proofstone_patterns::scan::Scanner;
use serde_json::json;

use super::{sarif, severity};
use crate::out::{self, BAD, DIM, GOOD, WARN, styled};
use crate::settings::Settings;

/// Run the rules on files and folders; exit 1 where they find an error.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and folders of the project
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<String>,
    /// Only these rules
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    rules: Vec<String>,
    /// Also fail on findings of this severity: error, warning, info or hint
    #[arg(long, value_name = "SEVERITY", default_value = "error", value_parser = parse_severity)]
    fail_on: Severity,
    /// How many seconds the scan may take
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    time: u64,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print JSON, the same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// The findings
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

fn parse_severity(word: &str) -> Result<Severity, String> {
    Severity::parse(word).ok_or_else(|| "write error, warning, info or hint".to_owned())
}

pub(crate) fn run(args: &Args, library: &Library, settings: &Settings) -> anyhow::Result<ExitCode> {
    let root = analysis::open(&settings.root.value)?;
    let paths: Vec<String> = args.paths.iter().map(|path| beneath(&root, path)).collect();
    let (units, skipped) = analysis::files(&root, &paths)?;
    let deadline = Instant::now() + Duration::from_secs(args.time);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let scan = analysis::scan(library, &Scanner::Child, units, &args.rules, deadline);
    let mut report = runtime.block_on(scan)?;
    report.skipped.extend(skipped);
    match if args.json { Format::Json } else { args.format } {
        Format::Text => text(&report),
        Format::Json => out::json(&as_json(&report))?,
        Format::Sarif => out::json(&sarif::log(&report))?,
        Format::Github => report.findings.iter().for_each(annotation),
    }
    let failed = report.findings.iter().any(|finding| finding.rule.severity <= args.fail_on);
    Ok(ExitCode::from(u8::from(failed)))
}

/// An absolute path inside the project is as good as a relative one.
fn beneath(root: &proofstone_jail::Root, path: &str) -> String {
    let relative = root.relative(std::path::Path::new(path));
    match relative {
        Some(path) if path.as_os_str().is_empty() => ".".to_owned(),
        Some(relative) => relative.to_string_lossy().into_owned(),
        None => path.to_owned(),
    }
}

fn text(report: &Report<'_>) {
    for finding in &report.findings {
        let span = finding.found.span;
        let place = format!("{}:{}:{}", finding.path, span.start_line, span.start_column);
        out::line(format!(
            "{place}: {} {}",
            severity(finding.rule.severity.word()),
            finding.rule.message
        ));
        let code = finding.found.text.lines().next().unwrap_or_default().trim();
        out::line(format!("    {code}"));
        let fix = if finding.rule.has_fix { ", can be fixed" } else { "" };
        let about = format!("    rule {}, pattern {}{fix}", finding.rule.id, finding.rule.pattern);
        out::line(styled(DIM, about));
    }
    for (file, reason) in &report.skipped {
        out::note(format!("{} {file}: {reason}", styled(WARN, "not scanned:")));
    }
    for file in &report.syntax_errors {
        out::note(format!(
            "{} {file} has syntax errors; findings may be missing",
            styled(DIM, "note:")
        ));
    }
    let style = if report.findings.is_empty() { GOOD } else { BAD };
    let count = report.findings.len() + report.dropped;
    out::line(format!(
        "{}, {} files, {} rules",
        styled(style, format!("{count} findings")),
        report.scanned,
        report.rules
    ));
}

fn as_json(report: &Report<'_>) -> serde_json::Value {
    let finding = |f: &Finding<'_>| {
        json!({
            "rule": f.rule.id, "pattern": f.rule.pattern, "severity": f.rule.severity.word(),
            "message": f.rule.message, "file": f.path, "text": f.found.text,
            "startLine": f.found.span.start_line, "startColumn": f.found.span.start_column,
            "endLine": f.found.span.end_line, "endColumn": f.found.span.end_column,
            "fix": f.found.edit.as_ref().map(|edit| &edit.text),
        })
    };
    json!({
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "filesScanned": report.scanned,
        "rulesRun": report.rules,
        "skipped": report.skipped.iter()
            .map(|(file, reason)| json!({ "file": file, "reason": reason })).collect::<Vec<_>>(),
        "filesWithSyntaxErrors": report.syntax_errors,
    })
}

/// A workflow command; its values must not contain what separates them.
fn annotation(finding: &Finding<'_>) {
    let level = match finding.rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "notice",
    };
    let message =
        finding.rule.message.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let file = finding.path.replace('%', "%25").replace(',', "%2C").replace(':', "%3A");
    let span = finding.found.span;
    out::line(format!(
        "::{level} file={file},line={},col={},endLine={},title={}::{message}",
        span.start_line, span.start_column, span.end_line, finding.rule.id
    ));
}
