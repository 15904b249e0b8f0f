//! `proofstone context sessions`: the last stretches of work.

use std::process::ExitCode;

use serde_json::json;

use crate::fit::terminal_width;
use crate::out;
use crate::settings::Settings;
use crate::table::{Align, Table};
use crate::toolsets;

/// List the last sessions.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many
    #[arg(long, short = 'n', default_value_t = 10)]
    limit: usize,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let toolset = toolsets::context(settings)?;
    let sessions = toolset.project().memory()?.recent_sessions(args.limit)?;
    if args.json {
        let shown = sessions.iter().map(|s| {
            json!({
                "id": s.id, "startedAt": s.started_at, "endedAt": s.ended_at, "status": s.status.name(), "seconds": s.seconds(), "goal": s.goal,
                "summary": s.summary, "topics": s.topics, "toolCalls": s.tool_calls, "discoveries": s.discoveries,
                "files": s.files.iter().map(|f| json!({ "path": f.path, "accessCount": f.count })).collect::<Vec<_>>(),
            })
        });
        out::json(&shown.collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let heads = [
        ("id", Align::Left),
        ("started", Align::Left),
        ("status", Align::Left),
        ("files", Align::Right),
        ("calls", Align::Right),
        ("about", Align::Left),
    ];
    let mut table = Table::new(&heads).flexible(5);
    for s in &sessions {
        let about =
            s.goal.clone().or_else(|| s.summary.clone()).unwrap_or_else(|| s.topics.join("; "));
        let id = s.id.chars().take(8).collect();
        let (files, calls) = (s.files.len().to_string(), s.tool_calls.to_string());
        table.row(vec![id, s.started_at.clone(), s.status.name().to_owned(), files, calls, about]);
    }
    out::line(if sessions.is_empty() {
        "No sessions yet.".to_owned()
    } else {
        table.render(terminal_width())
    });
    Ok(ExitCode::SUCCESS)
}
