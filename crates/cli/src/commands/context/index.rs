//! `proofstone context index`: build or refresh the index, with a progress bar.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use proofstone_context::index::Progress;
use serde_json::json;

use crate::out::{self, DIM, styled};
use crate::settings::Settings;
use crate::table::bar;
use crate::toolsets;

/// Build or refresh the index.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let toolset = toolsets::context(settings)?;
    let project = toolset.project();
    let index = project.index()?;
    let started = Instant::now();
    let on_terminal = std::io::stderr().is_terminal();
    let drawn = Mutex::new(Instant::now());
    let tell = |progress: Progress| {
        let Ok(mut last) = drawn.try_lock() else { return };
        if on_terminal && last.elapsed().as_millis() >= 80 {
            *last = Instant::now();
            draw(progress);
        }
    };
    let ready = index.refresh(project.root(), &AtomicBool::new(false), &tell)?;
    if on_terminal {
        let _ = write!(std::io::stderr(), "\r\x1b[2K");
    }
    let (seconds, view) = (started.elapsed().as_secs_f64(), index.view());
    if args.json {
        out::json(&json!({
            "files": ready.files, "searchable": ready.searchable, "chunks": view.chunk_count(), "seconds": seconds,
            "denied": ready.left_out.denied, "unreadable": ready.left_out.unreadable, "excludedFolders": ready.left_out.excluded, "folder": index.folder(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    out::line(format!(
        "{} of {} files indexed, {} chunks, {seconds:.2} s",
        ready.searchable,
        ready.files,
        view.chunk_count()
    ));
    let skipped = ready.files - ready.searchable;
    out::line(styled(
        DIM,
        format!(
            "not indexed: {skipped} binary, unreadable or over 1 MB; left out by name: {} denied, {} excluded folders",
            ready.left_out.denied, ready.left_out.excluded
        ),
    ));
    out::line(styled(DIM, format!("kept in {}", index.folder().display())));
    Ok(ExitCode::SUCCESS)
}

fn draw(progress: Progress) {
    let share = progress.done as f64 / progress.total.max(1) as f64;
    let _ = write!(
        std::io::stderr(),
        "\r\x1b[2K{} {}/{} files",
        bar(share, 30),
        progress.done,
        progress.total
    );
}
