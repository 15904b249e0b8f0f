//! `proofstone doctor`: what works here, what is missing, and the fix for each.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde::Serialize;

use crate::fit::terminal_width;
use crate::out::{self, BOLD, DIM, GOOD, WARN, styled};
use crate::settings::Settings;
use crate::table::{Align, Table};

/// Say what works here, what is missing and how to mend it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// A program that some part can use.
struct Program {
    name: &'static str,
    arguments: &'static [&'static str],
    serves: &'static str,
    fix: &'static str,
}

const PROGRAMS: [Program; 3] = [
    Program {
        name: "git",
        arguments: &["--version"],
        serves: "coverage of changed lines, related files",
        fix: "install git with your package manager",
    },
    Program {
        name: "node",
        arguments: &["--version"],
        serves: "the npm package `solc`, and MCP servers written in JavaScript",
        fix: "install Node.js 20 or newer",
    },
    Program {
        name: "forge",
        arguments: &["--version"],
        serves: "running the Foundry tests that reproduce a finding",
        fix: "install Foundry",
    },
];

#[derive(Serialize)]
struct Finding {
    name: String,
    serves: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Serialize)]
struct Shown {
    name: String,
    value: String,
    from: String,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut findings: Vec<Finding> = PROGRAMS.iter().map(look_for).collect();
    findings.push(solidity(&settings.root.value));
    findings.extend(folders(settings));
    let rows = settings.rows();
    if args.json {
        let settings: Vec<Shown> =
            rows.into_iter().map(|[name, value, from]| Shown { name, value, from }).collect();
        let all = serde_json::json!({ "version": env!("CARGO_PKG_VERSION"), "findings": findings, "settings": settings });
        out::json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    out::line(styled(BOLD, format!("proofstone {}", env!("CARGO_PKG_VERSION"))));
    for finding in &findings {
        show(finding);
    }
    out::line("");
    let mut table =
        Table::new(&[("setting", Align::Left), ("value", Align::Left), ("from", Align::Left)])
            .flexible(1);
    for row in rows {
        table.row(row.to_vec());
    }
    out::line(table.render(terminal_width()));
    Ok(ExitCode::SUCCESS)
}

fn show(finding: &Finding) {
    match (&finding.version, &finding.fix) {
        (Some(version), _) => {
            out::line(format!("{} {}: {version}", styled(GOOD, "ok     "), finding.name));
        }
        (None, fix) => {
            out::line(format!(
                "{} {}: needed for {}",
                styled(WARN, "missing"),
                finding.name,
                finding.serves
            ));
            if let Some(fix) = fix {
                out::line(format!("        {}", styled(DIM, fix)));
            }
        }
    }
}

fn look_for(program: &Program) -> Finding {
    let output = Command::new(program.name)
        .args(program.arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let version = output.ok().filter(|output| output.status.success()).map(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find(|line| line.chars().any(|c| c.is_ascii_digit()));
        line.unwrap_or("found").trim().to_owned()
    });
    let fix = version.is_none().then(|| program.fix.to_owned());
    Finding { name: program.name.into(), serves: program.serves.into(), version, fix }
}

/// The compilers that fuzzing a `.sol` file would choose from, the preferred one first. A `solc` on the PATH that
/// can't tell its version is none: version managers leave such behind.
fn solidity(root: &Path) -> Finding {
    let found = proofstone_evm::artifact::find_compilers(root, None);
    let described: Vec<String> = found.iter().map(|compiler| compiler.describe()).collect();
    let fix = "put solc on the PATH, or run `npm install solc` in the project (needs node); compiled artifacts need none";
    Finding {
        name: "Solidity compiler".into(),
        serves: "compiling .sol files for fuzzing, and properties added to a campaign".into(),
        version: (!described.is_empty()).then(|| described.join("; ")),
        fix: described.is_empty().then(|| fix.to_owned()),
    }
}

fn folders(settings: &Settings) -> Vec<Finding> {
    let folder = |name: &str, path: &Path, serves: &str| {
        let ok = std::fs::metadata(path)
            .is_ok_and(|found| found.is_dir() && !found.permissions().readonly());
        Finding {
            name: name.into(),
            serves: serves.into(),
            version: ok.then(|| path.display().to_string()),
            fix: (!ok).then(|| format!("make {} a folder that can be written", path.display())),
        }
    };
    vec![
        folder("temporary folder", &std::env::temp_dir(), "coverage snapshots"),
        folder("project root", &settings.root.value, "discoveries and sessions in .context/"),
    ]
}
