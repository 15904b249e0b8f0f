//! `proofstone mcp-test replay`: a recorded session again, on another build.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use proofstone_mcptest::recording::Recording;

use super::{Server, show_replay};
use crate::out;

/// Have a recorded session again. Fails if anything differs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The recording
    #[arg(long, value_name = "FILE", default_value = "mcp-session.json")]
    file: PathBuf,
    /// A place of answers that may differ, as a JSON pointer such as /result/structuredContent/time
    #[arg(long = "ignore", value_name = "POINTER")]
    ignore: Vec<String>,
    /// Print the differences as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

pub(super) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let file = args.file.display();
    let text =
        std::fs::read_to_string(&args.file).with_context(|| format!("{file} can't be read"))?;
    let recording = Recording::read(&text).with_context(|| format!("{file} can't be used"))?;
    let connection = args.server.connect().await?;
    let replayed = recording.replay(&connection, &args.ignore).await;
    connection.client.close().await;
    let replayed = replayed?;
    match args.json {
        true => out::json(&replayed)?,
        false => show_replay(&replayed),
    }
    Ok(if replayed.is_same() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
