//! `suggest_patterns`: search by code instead of words.

use std::collections::HashMap;
use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shapes::{FoundAt, Skipped, Summary};
use crate::analysis::{self, Change, Report};
use crate::desk::{Desk, beside};
use crate::engine::Unit;
use crate::language;
use crate::library::Library;
use crate::pattern::Pattern;

const DEFAULT_LIMIT: usize = 5;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// A unified diff, such as `git diff` prints: only its added lines count.
    #[serde(default)]
    diff: Option<String>,
    /// Instead of a diff: code, with its language.
    #[serde(default)]
    code: Option<String>,
    /// The code's language: typescript, tsx, javascript, python, rust, go or solidity.
    #[serde(default)]
    language: Option<String>,
    /// The most patterns to return; 5 unless given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Output {
    #[serde(rename = "patternSuggestions:v1")]
    Suggestions(Suggestions),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Suggestions {
    /// The patterns, those whose anti-pattern was found first.
    suggestions: Vec<Suggestion>,
    /// What was not scanned, and why.
    skipped: Vec<Skipped>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Suggestion {
    pattern: Summary,
    /// `anti-pattern`: a rule of the pattern matched. `words`: the code speaks of the same things.
    because: String,
    /// Where its rules matched.
    findings: Vec<FoundAt>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct SuggestPatterns(pub(crate) Arc<Desk>);

impl Tool for SuggestPatterns {
    const NAME: &'static str = "suggest_patterns";
    const TITLE: &'static str = "Suggest patterns for a change";
    const DESCRIPTION: &'static str = "Finds patterns for a diff or a piece of code: first those whose anti-pattern \
        the added lines contain, each with the place and the fix, then those that speak of the same things.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let library = self.0.library(cx).await?;
        let (root, asked) = (cx.root().to_path_buf(), input.clone());
        let pieces = cx.blocking(move |_| pieces(&root, asked)).await??;
        let units = pieces.iter().map(|piece| piece.unit.clone()).collect();
        let mut report =
            analysis::scan(&library, self.0.scanner(), units, &[], cx.deadline()).await?;
        keep_added(&mut report, &pieces);
        let suggestions = suggest(&library, &report, &pieces, input.limit.unwrap_or(DEFAULT_LIMIT));
        let text = text(&suggestions);
        Ok(beside(Answer::new(Output::Suggestions(suggestions)).shown_as(text), &library))
    }
}

/// Code to scan, and which of its lines are new.
struct Piece {
    unit: Unit,
    /// For each line of the unit: its number in the file, and whether it was added. Empty: all lines are new.
    lines: Vec<(usize, bool)>,
}

fn pieces(root: &std::path::Path, input: Input) -> Result<Vec<Piece>, Failure> {
    match (input.diff, input.code) {
        (None, Some(code)) => {
            let unit = analysis::unit(code, input.language.as_deref(), None)?;
            Ok(vec![Piece { unit, lines: Vec::new() }])
        }
        (Some(diff), None) => {
            let changes = analysis::changes(&diff);
            if changes.is_empty() && !diff.trim().is_empty() {
                return Err(Failure::invalid(
                    "/diff",
                    "this is not a unified diff: no hunk (`@@ -1,2 +1,3 @@`) in it",
                ));
            }
            let root = analysis::open(root).ok();
            let known =
                changes.into_iter().filter(|change| language::by_path(&change.path).is_some());
            Ok(known.filter_map(|change| piece(change, root.as_ref())).collect())
        }
        _ => Err(Failure::invalid("", "give either a diff or code with its language")),
    }
}

/// The changed file as it is now, where it agrees with the diff; otherwise what the diff shows of it.
fn piece(change: Change, root: Option<&proofstone_jail::Root>) -> Option<Piece> {
    let whole = root.and_then(|root| analysis::file(root, &change.path).ok());
    if let Some(unit) = whole {
        let lines: Vec<&str> = unit.code.lines().collect();
        let agrees = change
            .fragment
            .lines()
            .zip(&change.lines)
            .all(|(text, (number, _))| lines.get(number.wrapping_sub(1)) == Some(&text));
        if agrees {
            let mut marks: Vec<(usize, bool)> =
                (1..=lines.len()).map(|number| (number, false)).collect();
            for (number, added) in change.lines {
                marks[number - 1].1 = added;
            }
            return Some(Piece { unit, lines: marks });
        }
    }
    let unit = analysis::unit(change.fragment, None, Some(&change.path)).ok()?;
    Some(Piece { unit, lines: change.lines })
}

/// Keeps findings that touch an added line, with the line numbers of the file.
fn keep_added(report: &mut Report<'_>, pieces: &[Piece]) {
    let marks: HashMap<&str, &[(usize, bool)]> =
        pieces.iter().map(|piece| (piece.unit.path.as_str(), piece.lines.as_slice())).collect();
    report.findings.retain_mut(|finding| {
        let lines = marks.get(finding.path.as_str()).copied().unwrap_or_default();
        if lines.is_empty() {
            return true;
        }
        let span = &mut finding.found.span;
        let touched =
            lines.get(span.start_line - 1..span.end_line.min(lines.len())).unwrap_or_default();
        let added = touched.iter().any(|(_, added)| *added);
        if let (Some(first), Some(last)) = (touched.first(), touched.last()) {
            (span.start_line, span.end_line) = (first.0, last.0);
        }
        added
    });
}

fn suggest(library: &Library, report: &Report<'_>, pieces: &[Piece], limit: usize) -> Suggestions {
    let mut suggestions: Vec<Suggestion> = Vec::new();
    for finding in &report.findings {
        let Some(pattern) = library.get(&finding.rule.pattern) else { continue };
        let at = suggestions.iter().position(|known| known.pattern.id == pattern.id);
        let at = at.unwrap_or_else(|| {
            suggestions.push(suggestion(pattern, "anti-pattern"));
            suggestions.len() - 1
        });
        suggestions[at].findings.push(FoundAt::of(finding));
    }
    for pattern in by_words(library, pieces) {
        if suggestions.len() < limit
            && !suggestions.iter().any(|known| known.pattern.id == pattern.id)
        {
            suggestions.push(suggestion(pattern, "words"));
        }
    }
    suggestions.truncate(limit);
    Suggestions { suggestions, skipped: Skipped::all(&report.skipped) }
}

fn suggestion(pattern: &Pattern, because: &str) -> Suggestion {
    let pattern = Summary::of(pattern).with_card(pattern);
    Suggestion { pattern, because: because.to_owned(), findings: Vec::new() }
}

/// Patterns in the code's languages that its new lines sound like.
fn by_words<'a>(library: &'a Library, pieces: &[Piece]) -> Vec<&'a Pattern> {
    let mut question = String::new();
    for piece in pieces {
        for (number, line) in piece.unit.code.lines().enumerate() {
            if piece.lines.get(number).is_none_or(|(_, added)| *added) {
                question.push_str(line);
                question.push('\n');
            }
        }
    }
    let fits = |pattern: &Pattern| {
        let known = |piece: &Piece| {
            pattern.languages.iter().any(|l| language_fits(l, &piece.unit.language))
        };
        pieces.iter().any(known)
    };
    let hits = library.hits(&question);
    let patterns = hits.into_iter().map(|hit| &library.patterns()[hit.document]);
    patterns.filter(|pattern| fits(pattern)).take(5).collect()
}

fn language_fits(pattern: &str, code: &str) -> bool {
    let family = |name: &str| match name {
        "tsx" | "javascript" => "typescript".to_owned(),
        other => other.to_owned(),
    };
    family(pattern) == family(code)
}

fn text(suggestions: &Suggestions) -> String {
    let mut lines = vec![format!("{} patterns for this code.", suggestions.suggestions.len())];
    for Suggestion { pattern, because, findings } in &suggestions.suggestions {
        lines.push(format!(
            "\n**{}** (`{}`, {because}): {}",
            pattern.title, pattern.id, pattern.description
        ));
        lines.extend(findings.iter().map(FoundAt::line));
    }
    lines.extend(suggestions.skipped.iter().map(Skipped::line));
    lines.join("\n")
}
