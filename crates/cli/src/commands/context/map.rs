//! `proofstone context map`: the most connected definitions.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::{call, text_of};
use crate::out::{self, BOLD, DIM, styled};
use crate::settings::Settings;

/// Show the most connected definitions.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// About how many tokens the map may take
    #[arg(long, default_value_t = 2000)]
    budget: u32,
    /// Only this module or folder
    #[arg(long)]
    module: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut arguments = json!({ "budgetTokens": args.budget });
    if let Some(module) = args.module {
        arguments["module"] = module.into();
    }
    call(settings, "repo_map", arguments, args.json, None, show)
}

fn show(answer: &Value) {
    for line in text_of(&answer["map"]).lines() {
        out::line(if line.starts_with(' ') { line.to_owned() } else { styled(BOLD, line) });
    }
    out::note(styled(
        DIM,
        format!(
            "{} files, {} left out, about {} tokens",
            answer["files"], answer["leftOut"], answer["tokens"]
        ),
    ));
}
