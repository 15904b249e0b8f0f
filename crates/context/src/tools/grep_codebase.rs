//! `grep_codebase`: fast text search across the codebase using regular expressions.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failures::grep_refused;
use crate::grep::{self, Outcome, Request, wider};
use crate::project::Project;
use crate::redact::redact;
use crate::tracker::Event;
use crate::walk::EXCLUDED;

/// What to search for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    /// Regex pattern to search for
    #[schemars(length(min = 1, max = 200))]
    pattern: String,
    /// Glob pattern to filter files (e.g., "**/*.ts")
    file_pattern: Option<String>,
    /// Case-sensitive search
    #[serde(default)]
    case_sensitive: bool,
    /// Maximum number of matches to return
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

fn default_limit() -> u32 {
    50
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// Matching lines, by path and line
    matches: Vec<ShownMatch>,
    /// The pattern searched for
    pattern: String,
    /// Matching lines in all, also past the limit
    total_matches: u64,
    /// Files that were searched
    files_searched: u64,
    /// Files with a match
    files_matched: u64,
    /// How long it took, in milliseconds
    search_time: u64,
    /// Whether there are more matches than were returned
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Said when the search ended before every file was searched: the counts are lower bounds
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
    /// Said when nothing matched
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// When nothing matched: a change to the question under which something would
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
    /// What was not searched
    skipped: Skipped,
}

/// What was not searched.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Skipped {
    /// Files that are not text
    binary: u64,
    /// Files that could not be read
    unreadable: u64,
    /// Files and folders that may hold secrets
    denied: u64,
    /// Excluded folders met
    excluded_folders: u64,
    /// The names of the excluded folders; what .gitignore and .ignore name is left out too
    excluded: Vec<&'static str>,
}

/// A matching line.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownMatch {
    /// Path relative to the project root
    file: String,
    /// Line, 1-based
    line: u64,
    /// Column of the first match on the line, 1-based, in characters
    column: u64,
    /// The line
    text: String,
    /// The lines around it
    context: Around,
}

/// Lines around a match.
#[derive(Debug, Serialize, JsonSchema)]
struct Around {
    /// Up to two lines before
    before: Vec<String>,
    /// Up to two lines after
    after: Vec<String>,
}

/// The tool.
pub(super) struct GrepCodebase(pub(super) Arc<Project>);

impl Tool for GrepCodebase {
    const NAME: &'static str = "grep_codebase";
    const TITLE: &'static str = "Search text with a regex";
    const DESCRIPTION: &'static str = "Fast text search across codebase using regex. Good for exact matches and when semantic search unavailable. \
        Respects .gitignore; totalMatches counts past the limit; when nothing matches it says what was searched and what wider pattern would match.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits =
        Limits::DEFAULT.deadline(Duration::from_secs(15)).per_minute(60).concurrent(4);

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        project.track(Event::Called);
        let request = Request {
            pattern: input.pattern,
            file_pattern: input.file_pattern,
            case_sensitive: input.case_sensitive,
            limit: input.limit as usize,
        };
        let pattern = request.pattern.clone();
        let output = cx.blocking(move |stop| search(&project, request, stop.deadline())).await?;
        output.map(Answer::new).map_err(|error| grep_refused(error, &pattern))
    }
}

fn search(
    project: &Project,
    request: Request,
    deadline: std::time::Instant,
) -> Result<Output, grep::GrepError> {
    let stop = AtomicBool::new(false);
    let outcome = grep::grep(project.root(), &request, &stop, Some(deadline))?;
    let suggestion = (outcome.total == 0 && outcome.complete)
        .then(|| wider(project.root(), &request, &stop))
        .flatten();
    let suggestion = suggestion
        .map(|w| format!("{} ({} matches, first in {})", w.advice, w.total, w.first_file));
    Ok(Output::new(request, outcome, suggestion))
}

/// A line without the secrets in it.
fn shown(line: String) -> String {
    match redact(&line) {
        (_, 0) => line,
        (redacted, _) => redacted.into_owned(),
    }
}

impl Output {
    fn new(request: Request, outcome: Outcome, suggestion: Option<String>) -> Self {
        let incomplete = (!outcome.complete)
            .then(|| "the time was up before every file was searched: totalMatches and filesSearched are lower bounds; narrow it with filePattern".to_owned());
        let message = (outcome.total == 0)
            .then(|| format!("No matches found for pattern '{}'", request.pattern));
        let matches: Vec<ShownMatch> = outcome
            .matches
            .into_iter()
            .map(|m| ShownMatch {
                file: m.file,
                line: m.line,
                column: m.column,
                text: shown(m.text),
                context: Around {
                    before: m.before.into_iter().map(shown).collect(),
                    after: m.after.into_iter().map(shown).collect(),
                },
            })
            .collect();
        Self {
            truncated: outcome.total > matches.len() as u64,
            matches,
            pattern: request.pattern,
            total_matches: outcome.total,
            files_searched: outcome.files_searched,
            files_matched: outcome.files_matched,
            search_time: outcome.elapsed.as_millis() as u64,
            incomplete,
            message,
            suggestion,
            skipped: Skipped {
                binary: outcome.binary,
                unreadable: outcome.unreadable + outcome.left_out.unreadable,
                denied: outcome.left_out.denied,
                excluded_folders: outcome.left_out.excluded,
                excluded: EXCLUDED.to_vec(),
            },
        }
    }
}
