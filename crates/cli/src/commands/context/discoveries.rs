//! `proofstone context discoveries`: what was learned.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::{call, items, text_of};
use crate::fit::terminal_width;
use crate::out::{self, DIM, WARN, styled};
use crate::settings::Settings;
use crate::table::{Align, Table};

/// List what was learned.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only a type: pattern, rule, decision or issue
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only about this module
    #[arg(long)]
    module: Option<String>,
    /// active, superseded, withdrawn or any
    #[arg(long, default_value = "active")]
    status: String,
    /// Only those whose code changed since
    #[arg(long)]
    suspect: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut arguments = json!({ "status": args.status, "suspectOnly": args.suspect, "limit": 500 });
    if let Some(kind) = args.kind {
        arguments["type"] = kind.into();
    }
    if let Some(module) = args.module {
        arguments["module"] = module.into();
    }
    call(settings, "list_discoveries", arguments, args.json, None, show)
}

fn show(answer: &Value) {
    let heads = [
        ("id", Align::Left),
        ("type", Align::Left),
        ("module", Align::Left),
        ("code", Align::Left),
        ("what", Align::Left),
    ];
    let mut table = Table::new(&heads).flexible(4);
    for d in items(&answer["discoveries"]) {
        let state = text_of(&d["anchor"]["state"]);
        let state = if state == "holds" || state.is_empty() { state } else { styled(WARN, state) };
        let id: String = text_of(&d["id"]).chars().take(8).collect();
        table.row(vec![
            id,
            text_of(&d["type"]),
            text_of(&d["module"]),
            state,
            text_of(&d["content"]).replace('\n', " "),
        ]);
    }
    if items(&answer["discoveries"]).is_empty() {
        out::line(
            "Nothing recorded yet. The tool record_discovery records, and so does a file in .context/discoveries/.",
        );
    } else {
        out::line(table.render(terminal_width()));
    }
    for note in items(&answer["notes"]) {
        out::note(styled(DIM, text_of(note)));
    }
}
