//! `proofstone patterns show`: one pattern in full.

use std::process::ExitCode;

use anyhow::bail;
use proofstone_patterns::library::Library;
use proofstone_patterns::markdown::Role;
use serde_json::json;

use crate::fit::{prose, terminal_width, wrapped};
use crate::out::{self, BAD, BOLD, DIM, GOOD, styled};

/// Show one pattern in full.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The pattern's id
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, library: &Library) -> anyhow::Result<ExitCode> {
    let Some(pattern) = library.get(&args.id) else {
        let near: Vec<&str> =
            library.suggest(&args.id, 5).iter().map(|pattern| pattern.id.as_str()).collect();
        bail!("there is no pattern `{}`; did you mean {}?", args.id, near.join(", "));
    };
    if args.json {
        out::json(&json!({
            "id": pattern.id, "title": pattern.title, "summary": pattern.summary,
            "category": pattern.category, "difficulty": pattern.difficulty, "languages": pattern.languages,
            "tags": pattern.tags, "useWhen": pattern.use_when, "avoidWhen": pattern.avoid_when,
            "related": pattern.related, "layer": pattern.origin.layer.word(), "file": pattern.origin.file,
            "sections": pattern.sections.iter()
                .map(|s| json!({ "title": s.title, "content": s.content })).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = terminal_width().min(100);
    out::line(styled(BOLD, &pattern.title));
    let from =
        format!("{} · {} · {}", pattern.category, pattern.difficulty.word(), pattern.origin.layer);
    out::line(format!("{}  {}\n", styled(GOOD, &pattern.id), styled(DIM, from)));
    out::line(wrapped(&pattern.summary, width).join("\n"));
    for (title, items) in [("Use when", &pattern.use_when), ("Avoid when", &pattern.avoid_when)] {
        if !items.is_empty() {
            out::line(format!("\n{}", styled(BOLD, title)));
            for item in items {
                out::line(format!("  - {}", wrapped(item, width - 4).join("\n    ")));
            }
        }
    }
    for section in
        pattern.sections.iter().filter(|s| !matches!(s.role, Role::UseWhen | Role::AvoidWhen))
    {
        let style = if section.role == Role::AntiPattern { BAD.bold() } else { BOLD };
        let content = prose(section.content.trim_end(), width);
        out::line(format!("\n{}\n{content}", styled(style, &section.title)));
    }
    if !pattern.related.is_empty() {
        out::line(format!("\n{} {}", styled(DIM, "related:"), pattern.related.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}
