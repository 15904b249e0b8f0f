//! `proofstone patterns lint`: what is wrong with pattern files and their rules.

use std::process::ExitCode;

use proofstone_patterns::diagnostic::{Diagnostic, Level};
use proofstone_patterns::library::Library;
use proofstone_patterns::pattern::Layer;
use proofstone_patterns::shelf;
use serde_json::json;

use super::{library, severity};
use crate::out::{self, DIM, GOOD, styled};
use crate::settings::Settings;

/// Say what is wrong with pattern files and their rules; exit 1 where something is.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder to look at by itself; the project's, the user's and the built-in patterns unless given
    folder: Option<std::path::PathBuf>,
    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (whole, alone, unread);
    let library: &Library = match &args.folder {
        None => {
            (whole, unread) = (library(settings)?, Vec::new());
            &whole
        }
        Some(folder) => {
            if !folder.is_dir() {
                return Err(out::BadUsage(format!("{} is not a folder", folder.display())).into());
            }
            let read = shelf::read_folder(folder, Layer::Project);
            (alone, unread) = (Library::of(read.0), read.1);
            &alone
        }
    };
    let all: Vec<&Diagnostic> =
        unread.iter().chain(library.diagnostics()).chain(library.rules().diagnostics()).collect();
    if args.json {
        let as_json = |d: &&Diagnostic| {
            json!({
                "level": word(d.level), "code": d.code, "file": d.file,
                "line": d.spot.line, "column": d.spot.column, "message": d.message,
            })
        };
        out::json(&json!({
            "patterns": library.patterns().len(),
            "rules": library.rules().all().len(),
            "diagnostics": all.iter().map(as_json).collect::<Vec<_>>(),
        }))?;
    } else {
        for d in &all {
            let place = format!("{}:{}:{}", d.file, d.spot.line, d.spot.column);
            out::line(format!(
                "{place}: {} {} {}",
                severity(word(d.level)),
                d.message,
                styled(DIM, d.code)
            ));
        }
        let figures =
            format!("{} patterns, {} rules", library.patterns().len(), library.rules().all().len());
        let verdict = if all.is_empty() {
            styled(GOOD, "nothing wrong")
        } else {
            format!("{} faults", all.len())
        };
        out::line(format!("{figures}, {verdict}"));
    }
    let failed = all.iter().any(|d| args.strict || d.level == Level::Error);
    Ok(ExitCode::from(u8::from(failed)))
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
    }
}
