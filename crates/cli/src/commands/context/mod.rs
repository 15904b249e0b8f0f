//! `proofstone context`: search, read about and remember a project, for people.
//!
//! All but `index` call the toolset's own tools through the gate and show their answers, so that a person sees
//! what an agent sees; `--json` prints the answer itself.

mod discoveries;
mod grep;
mod index;
mod map;
mod search;
mod sessions;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Subcommand;
use proofstone_context::Context;
use proofstone_contract::{CallCx, Toolset};
use proofstone_gate::{Gate, OutputPolicy};
use serde_json::Value;

use crate::out;
use crate::settings::Settings;
use crate::toolsets;

/// Search, map and remember a project.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build or refresh the index
    Index(index::Args),
    /// Search by meaning: code, discoveries and sessions
    Search(search::Args),
    /// Search text with a regular expression
    Grep(grep::Args),
    /// Show the most connected definitions
    Map(map::Args),
    /// List what was learned
    Discoveries(discoveries::Args),
    /// List the last sessions
    Sessions(sessions::Args),
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    proofstone_server::logs::start(&settings.log.value);
    match args.command {
        Command::Index(args) => index::run(&args, settings),
        Command::Search(args) => search::run(args, settings),
        Command::Grep(args) => grep::run(args, settings),
        Command::Map(args) => map::run(args, settings),
        Command::Discoveries(args) => discoveries::run(args, settings),
        Command::Sessions(args) => sessions::run(&args, settings),
    }
}

/// Calls a tool and shows its answer: as JSON, or as `show` does. A failure goes to stderr, exit code 1; so does an answer in which
/// the list that was `sought` is empty, as with other programs that search.
fn call(
    settings: &Settings,
    tool: &str,
    arguments: Value,
    json: bool,
    sought: Option<&str>,
    show: fn(&Value),
) -> anyhow::Result<ExitCode> {
    let toolset: Arc<Context> = Arc::new(toolsets::context(settings)?);
    let gate = Gate::new(vec![Arc::clone(&toolset) as Arc<dyn Toolset>], OutputPolicy::default())?;
    let cx = CallCx::builder(&settings.root.value).session("command line").build();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let outcome = gate.call(tool, arguments, &cx).await;
        toolset.shutdown().await;
        outcome
    })?;
    let rendered = outcome.rendered;
    match (&rendered.structured, rendered.is_error) {
        (Some(answer), false) if json => out::json(answer)?,
        (Some(answer), false) => show(answer),
        _ if json => out::line(rendered.text()),
        _ => out::note(format!(
            "{} {}",
            out::styled(out::BAD.bold(), "error:"),
            failure_text(&rendered.text())
        )),
    }
    let is_empty = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
    let in_vain =
        sought.zip(rendered.structured).is_some_and(|(list, answer)| is_empty(&answer[list]));
    Ok(ExitCode::from(u8::from(rendered.is_error || in_vain)))
}

/// A failure's JSON in words.
fn failure_text(text: &str) -> String {
    let Ok(failure) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut lines = vec![text_of(&failure["error"])];
    lines.extend(failure["message"].as_str().map(|message| format!("  {message}")));
    match &failure["details"] {
        Value::Array(details) => {
            lines.extend(details.iter().map(|d| format!("  {}", text_of(&d["message"]))));
        }
        details => lines.extend(details.as_str().map(|d| format!("  {}", d.replace('\n', "\n  ")))),
    }
    for hint in [&failure["suggestion"], &failure["fallback"]] {
        lines.extend(hint.as_str().map(|hint| format!("  {hint}")));
    }
    lines.join("\n")
}

/// A field's text without quotes; empty for what is not there.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// How far a score fills a short bar, with the number.
fn score(value: &Value) -> String {
    format!("{:.2}", value.as_f64().unwrap_or(0.0))
}
