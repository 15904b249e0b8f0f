//! `proofstone patterns search`: the best patterns for a question.

use std::process::ExitCode;

use proofstone_patterns::library::{Filter, Library};
use proofstone_patterns::pattern::{Difficulty, Pattern};
use serde_json::json;

use crate::fit::{terminal_width, wrapped};
use crate::out::{self, BOLD, DIM, GOOD, styled};

/// Find patterns by a question, a symptom or keywords.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, in plain words
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only this category
    #[arg(long)]
    category: Option<String>,
    /// Only this difficulty: beginner, intermediate or advanced
    #[arg(long, value_parser = difficulty)]
    difficulty: Option<Difficulty>,
    /// The most patterns to show
    #[arg(long, default_value_t = 5)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn difficulty(word: &str) -> Result<Difficulty, String> {
    Difficulty::parse(word).ok_or_else(|| "write beginner, intermediate or advanced".to_owned())
}

pub(crate) fn run(args: &Args, library: &Library) -> anyhow::Result<ExitCode> {
    let filter = Filter { category: args.category.clone(), difficulty: args.difficulty };
    if let Some(category) =
        filter.category.as_ref().filter(|c| !library.categories().contains_key(c.as_str()))
    {
        let known = library.suggest_categories(category).join(", ");
        return Err(
            out::BadUsage(format!("there is no category `{category}`; there are {known}")).into()
        );
    }
    let found = library.search(&args.words.join(" "), &filter);
    let shown: Vec<&Pattern> = found.patterns.iter().take(args.limit).copied().collect();
    if args.json {
        out::json(&json!({
            "totalCount": found.patterns.len(),
            "patterns": shown.iter().map(|p| json!({
                "id": p.id, "title": p.title, "category": p.category, "difficulty": p.difficulty,
                "languages": p.languages, "summary": p.summary, "layer": p.origin.layer.word(),
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        for pattern in &shown {
            card(pattern);
        }
        out::line(styled(DIM, format!("{} of {} matches", shown.len(), found.patterns.len())));
    }
    Ok(ExitCode::from(u8::from(shown.is_empty())))
}

fn card(pattern: &Pattern) {
    out::line(styled(BOLD, &pattern.title));
    let about =
        [pattern.category.as_str(), pattern.difficulty.word(), &pattern.languages.join(", ")]
            .join(" · ");
    out::line(format!("  {}  {}", styled(GOOD, &pattern.id), styled(DIM, about)));
    for line in wrapped(&pattern.summary, terminal_width().min(100).saturating_sub(2)) {
        out::line(format!("  {line}"));
    }
    out::line("");
}
