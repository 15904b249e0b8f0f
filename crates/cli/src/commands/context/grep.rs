//! `proofstone context grep`: search text with a regular expression.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::{call, items, text_of};
use crate::out::{self, BAD, BOLD, DIM, GOOD, styled};
use crate::settings::Settings;

/// Search text with a regular expression.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The regular expression
    pattern: String,
    /// Only files that match this glob, such as "**/*.ts"
    #[arg(long = "files", short = 'g', value_name = "GLOB")]
    file_pattern: Option<String>,
    /// Case counts
    #[arg(long, short = 's')]
    case_sensitive: bool,
    /// How many matches
    #[arg(long, short = 'n', default_value_t = 50)]
    limit: u32,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut arguments = json!({ "pattern": args.pattern, "caseSensitive": args.case_sensitive, "limit": args.limit });
    if let Some(files) = args.file_pattern {
        arguments["filePattern"] = files.into();
    }
    call(settings, "grep_codebase", arguments, args.json, Some("matches"), show)
}

fn show(answer: &Value) {
    let mut last = String::new();
    for found in items(&answer["matches"]) {
        let file = text_of(&found["file"]);
        if file != last {
            out::line(format!(
                "{}{}",
                if last.is_empty() { "" } else { "\n" },
                styled(BOLD, &file)
            ));
            last = file;
        }
        out::line(format!(
            "{}:{} {}",
            styled(GOOD, format!("{:>5}", found["line"].as_u64().unwrap_or(0))),
            found["column"],
            marked(found)
        ));
    }
    if let Some(message) = answer["message"].as_str() {
        out::line(message);
    }
    let shown = items(&answer["matches"]).len();
    let counts = format!(
        "{shown} of {} matches in {} of {} files, {} ms",
        answer["totalMatches"],
        answer["filesMatched"],
        answer["filesSearched"],
        answer["searchTime"]
    );
    out::note(styled(DIM, counts));
    for more in [&answer["suggestion"], &answer["incomplete"]] {
        if let Some(text) = more.as_str() {
            out::note(text);
        }
    }
}

/// The line with everything from the match's first character marked.
fn marked(found: &Value) -> String {
    let text = text_of(&found["text"]);
    let start = found["column"].as_u64().map_or(0, |column| column as usize - 1);
    let (before, rest): (String, String) =
        (text.chars().take(start).collect(), text.chars().skip(start).collect());
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|end| *end > 0)
        .unwrap_or(rest.len());
    format!("{before}{}{}", styled(BAD.bold(), &rest[..end]), &rest[end..])
}
