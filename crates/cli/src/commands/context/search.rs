//! `proofstone context search`: ask in plain words.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::{call, items, score, text_of};
use crate::fit::{fitted, terminal_width};
use crate::out::{self, BOLD, DIM, GOOD, styled};
use crate::settings::Settings;

/// Search by meaning.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to find, in plain words or a name
    #[arg(required = true)]
    query: Vec<String>,
    /// Only discoveries of a type: pattern, rule, decision or issue
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only this module
    #[arg(long)]
    module: Option<String>,
    /// How many results
    #[arg(long, short = 'n', default_value_t = 5)]
    limit: u32,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut arguments = json!({ "query": args.query.join(" "), "limit": args.limit });
    if let Some(kind) = args.kind {
        arguments["type"] = kind.into();
    }
    if let Some(module) = args.module {
        arguments["module"] = module.into();
    }
    call(settings, "context_search", arguments, args.json, Some("results"), show)
}

fn show(answer: &Value) {
    for result in items(&answer["results"]) {
        let place = match result["file"].as_str() {
            Some(file) if result["source"] == "code" => {
                format!("{file}:{}-{}", result["startLine"], result["endLine"])
            }
            _ => format!("{} {}", text_of(&result["type"]), text_of(&result["id"])),
        };
        out::line(format!(
            "{}  {}  {}",
            styled(GOOD, score(&result["score"])),
            styled(BOLD, place),
            styled(DIM, text_of(&result["symbol"]))
        ));
        for line in text_of(&result["content"]).lines().take(6) {
            out::line(format!("      {}", fitted(line, terminal_width().saturating_sub(6))));
        }
        out::line("");
    }
    if items(&answer["results"]).is_empty() {
        out::line(answer["suggestion"].as_str().unwrap_or("Nothing found."));
    }
    out::note(styled(
        DIM,
        format!(
            "{} found, {} ms {}",
            answer["totalFound"],
            answer["searchTime"],
            text_of(&answer["incomplete"])
        ),
    ));
}
