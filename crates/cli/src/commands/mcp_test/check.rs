//! `proofstone mcp-test check`: the protocol's rules, tried on a server.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use proofstone_mcptest::check::{self, Calls, Finding, Report, Severity};

use super::{Server, html, reports};
use crate::fit::{fitted, hanging, terminal_width};
use crate::out::{self, BAD, BOLD, DIM, GOOD, WARN, styled};

/// Check a server against the rules of the protocol.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which tools may be called
    #[arg(long, value_enum, default_value_t = Allowed::ReadOnly)]
    calls: Allowed,
    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
    /// Print the whole report as JSON
    #[arg(long)]
    json: bool,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report as SARIF
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write the report as a page, with the frames behind each finding
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    server: Server,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Allowed {
    /// None
    Never,
    /// Those that say they only read
    ReadOnly,
    /// All, with whatever they change
    All,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let calls = match args.calls {
        Allowed::Never => Calls::Never,
        Allowed::ReadOnly => Calls::ReadOnly,
        Allowed::All => Calls::All,
    };
    let report = check::check(args.server.enter().await?, args.server.opening()?, calls).await?;
    if let Some(file) = &args.junit {
        std::fs::write(file, reports::junit(&report))?;
    }
    if let Some(file) = &args.sarif {
        std::fs::write(file, serde_json::to_string_pretty(&reports::sarif(&report))?)?;
    }
    if let Some(file) = &args.html {
        std::fs::write(file, html::page(&report))?;
    }
    match args.json {
        true => out::json(&report)?,
        false => show(&report),
    }
    let bad = if args.strict { Severity::Warning } else { Severity::Error };
    let failed = report.findings.iter().any(|finding| finding.severity >= bad);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(report: &Report) {
    let name = report.server_info["name"].as_str().unwrap_or("(no name)");
    let version = report.server_info["version"].as_str().unwrap_or("(no version)");
    out::line(styled(BOLD, format!("{name} {version}")));
    out::line(styled(
        DIM,
        format!("{}, {}, revision {}", report.server, report.transport, report.revision),
    ));
    for outcome in &report.checks {
        let (mark, more) = match (outcome.findings, &outcome.skipped) {
            (Some(0), _) => (styled(GOOD, "ok     "), String::new()),
            (Some(count), _) => (worst(report, outcome.check), format!(" ({count})")),
            (None, why) => {
                (styled(DIM, "skipped"), format!(" ({})", why.as_deref().unwrap_or_default()))
            }
        };
        out::line(format!("{mark} {}", hanging(&format!("{}{more}", outcome.about), 8)));
    }
    for finding in &report.findings {
        show_finding(finding);
    }
    let count = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
    out::line(format!(
        "\n{} errors, {} warnings, {} notes; {} tools called",
        count(Severity::Error),
        count(Severity::Warning),
        count(Severity::Note),
        report.tools_called
    ));
}

fn worst(report: &Report, check: &str) -> String {
    let worst = report.findings.iter().filter(|f| f.check == check).map(|f| f.severity).max();
    mark(worst.unwrap_or(Severity::Note))
}

pub(super) fn mark(severity: Severity) -> String {
    match severity {
        Severity::Error => styled(BAD, "error  "),
        Severity::Warning => styled(WARN, "warning"),
        Severity::Note => styled(DIM, "note   "),
    }
}

fn show_finding(finding: &Finding) {
    out::line(format!("\n{} {}", mark(finding.severity), styled(BOLD, finding.check)));
    out::line(format!("        {}", hanging(&finding.message, 8)));
    out::line(styled(DIM, format!("        {}", hanging(finding.specification, 8))));
    out::line(format!("        {}", hanging(finding.fix, 8)));
    for frame in finding.frames.iter().take(2) {
        let text = serde_json::to_string(&frame.payload).unwrap_or_default();
        let line = format!("        frame {} {:?}: {text}", frame.id, frame.direction);
        out::line(styled(DIM, fitted(&line, 2 * terminal_width())));
    }
}
