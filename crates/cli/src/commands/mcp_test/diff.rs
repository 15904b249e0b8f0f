//! `proofstone mcp-test diff`: a server, or a lock file, against a lock file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use proofstone_mcptest::Surface;
use proofstone_mcptest::diff::{Class, diff};

use super::{Server, change};
use crate::out;

/// Compare a server with its lock file, or write one. Fails if a change is breaking or suspicious.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = "mcp-contract.lock.json")]
    lock: PathBuf,
    /// Write the lock file anew after comparing
    #[arg(long)]
    update: bool,
    /// Fail on any change
    #[arg(long)]
    strict: bool,
    /// Print the changes as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let now = match args.server.words.as_slice() {
        [file]
            if Path::new(file).is_file()
                && Path::new(file).extension().is_some_and(|end| end == "json") =>
        {
            read(Path::new(file))?
        }
        _ => live(&args.server).await?,
    };
    if args.update && !args.lock.exists() {
        std::fs::write(&args.lock, now.written())?;
        out::note(format!("{} written: {} tools", args.lock.display(), now.tools.len()));
        return Ok(ExitCode::SUCCESS);
    }
    let changes = diff(&read(&args.lock)?, &now);
    if args.update {
        std::fs::write(&args.lock, now.written())?;
    }
    match args.json {
        true => out::json(&changes)?,
        false if changes.is_empty() => out::line("no change"),
        false => changes.iter().for_each(|changed| out::line(change(changed))),
    }
    let bad = if args.strict { Class::Wording } else { Class::Breaking };
    let failed = changes.iter().any(|change| change.class >= bad);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn live(server: &Server) -> anyhow::Result<Surface> {
    let connection = server.connect().await?;
    let surface = Surface::of(&connection).await;
    connection.client.close().await;
    Ok(surface?)
}

fn read(file: &Path) -> anyhow::Result<Surface> {
    let hint = "write it with `proofstone mcp-test diff --update`";
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} can't be read; {hint}", file.display()))?;
    Surface::read(&text).with_context(|| format!("{} can't be used", file.display()))
}
