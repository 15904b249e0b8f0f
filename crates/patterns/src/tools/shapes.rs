//! What several tools' answers share: formats, questions back to the caller, summaries and provenance.

use std::collections::BTreeMap;
use std::fmt::Write;

use proofstone_contract::{Answer, Content};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::Finding;
use crate::cards;
use crate::pattern::{Difficulty, Pattern};

/// What the text of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// One block of JSON.
    Json,
    /// Markdown.
    #[default]
    Markdown,
    /// Markdown, and JSON as the last block.
    Both,
}

/// An answer with its text in the wanted format.
pub(crate) fn in_format<O: Serialize>(
    output: O,
    format: Format,
    markdown: Vec<String>,
) -> Answer<O> {
    let json = || serde_json::to_string_pretty(&output).unwrap_or_default();
    let texts = match format {
        Format::Markdown => markdown,
        Format::Json => vec![json()],
        Format::Both => markdown.into_iter().chain([json()]).collect(),
    };
    let content =
        texts.into_iter().filter(|text| !text.trim().is_empty()).map(Content::text).collect();
    Answer::new(output).with_content(content)
}

/// A question back to the caller.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    #[serde(rename = "type")]
    form: Elicitation,
    /// What is needed, for a person.
    message: String,
    /// What is needed, for a program.
    needs_input: Needs,
    /// Choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<Choice>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Elicitation {
    Elicitation,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Needs {
    /// The arguments that are needed.
    fields: Vec<String>,
    /// Why.
    reason: String,
    /// Values that would do, by argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<BTreeMap<String, Vec<String>>>,
}

/// One choice.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Choice {
    /// What to show.
    pub(crate) label: String,
    /// What to send.
    pub(crate) value: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// The argument to send it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<String>,
}

impl Question {
    pub(crate) fn new(
        fields: &[&str],
        message: impl Into<String>,
        reason: impl Into<String>,
        suggestions: Vec<(&str, Vec<String>)>,
    ) -> Self {
        let suggestions: BTreeMap<String, Vec<String>> =
            suggestions.into_iter().map(|(field, values)| (field.to_owned(), values)).collect();
        Self {
            form: Elicitation::Elicitation,
            message: message.into(),
            needs_input: Needs {
                fields: fields.iter().map(ToString::to_string).collect(),
                reason: reason.into(),
                suggestions: (!suggestions.is_empty()).then_some(suggestions),
            },
            options: None,
        }
    }

    pub(crate) fn with_options(mut self, options: Vec<Choice>) -> Self {
        self.options = (!options.is_empty()).then_some(options);
        self
    }

    /// The question as one block of Markdown.
    pub(crate) fn text(&self, heading: &str) -> String {
        let mut text = format!("## {heading}\n\n{}\n", cards::clean(&self.message));
        for (field, values) in self.needs_input.suggestions.iter().flatten() {
            let values: Vec<String> = values.iter().map(|value| format!("- `{value}`")).collect();
            let title = if field == "id" {
                "Did you mean".to_owned()
            } else {
                format!("Values for `{field}`")
            };
            let _ = write!(text, "\n**{title}:**\n\n{}\n", values.join("\n"));
        }
        text
    }
}

/// A pattern in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) category: String,
    pub(crate) difficulty: Difficulty,
    /// The summary, cut at 200 characters.
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tags: Option<Vec<String>>,
    /// When it fits; with includeStructuredPatterns, on the patterns that have a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) use_when: Option<Vec<String>>,
    /// The card's code; with includeStructuredPatterns, on the patterns that have a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) example: Option<Example>,
}

impl Summary {
    pub(crate) fn of(pattern: &Pattern) -> Self {
        Self {
            id: pattern.id.clone(),
            title: pattern.title.clone(),
            category: pattern.category.clone(),
            difficulty: pattern.difficulty,
            description: cards::short_summary(pattern),
            tags: some(&pattern.tags),
            use_when: None,
            example: None,
        }
    }

    /// The same with what the card shows.
    pub(crate) fn with_card(mut self, pattern: &Pattern) -> Self {
        self.use_when = some(&pattern.use_when);
        self.example = pattern.example().map(|fence| Example::of(fence, None));
        self
    }
}

/// A list, if there is anything in it.
pub(crate) fn some(list: &[String]) -> Option<Vec<String>> {
    (!list.is_empty()).then(|| list.to_vec())
}

/// A piece of code.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Example {
    code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Example {
    pub(crate) fn of(fence: &crate::markdown::Fence, description: Option<&str>) -> Self {
        Self {
            code: fence.code.clone(),
            language: Some(fence.language.clone()).filter(|language| !language.is_empty()),
            description: description.map(str::to_owned),
        }
    }
}

/// Where an answer comes from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Provenance {
    /// The layers or the layer and file.
    pub(crate) source: String,
    /// When the built-in library was last revised; the same for every call of one version.
    pub(crate) timestamp: String,
    /// The program's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// The marker of the text that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) marker: Option<String>,
}

impl Provenance {
    pub(crate) fn new(source: String, marker: Option<&str>) -> Self {
        Self {
            source,
            timestamp: "2026-11-15T00:00:00Z".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            marker: marker.map(str::to_owned),
        }
    }
}

/// A range of code, counted from 1; the end column is behind the last character.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Range {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

/// A place where a rule matches.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundAt {
    /// Rule, file, line and column in one.
    id: String,
    rule_id: String,
    /// The pattern that says what to do instead.
    pattern_id: String,
    title: String,
    message: String,
    /// error, warning, info or hint.
    severity: String,
    file: String,
    range: Range,
    /// The code there, shortened.
    text: String,
    /// What the rule's fix would put there.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl FoundAt {
    pub(crate) fn of(finding: &Finding<'_>) -> Self {
        let (rule, span) = (finding.rule, &finding.found.span);
        Self {
            id: format!("{}:{}:{}:{}", rule.id, finding.path, span.start_line, span.start_column),
            rule_id: rule.id.clone(),
            pattern_id: rule.pattern.clone(),
            title: rule.title.clone(),
            message: rule.message.clone(),
            severity: rule.severity.word().to_owned(),
            file: finding.path.clone(),
            range: Range {
                start_line: span.start_line,
                start_column: span.start_column,
                end_line: span.end_line,
                end_column: span.end_column,
            },
            text: finding.found.text.clone(),
            fix: finding.found.edit.as_ref().map(|edit| edit.text.clone()),
        }
    }

    /// The finding as a line of Markdown.
    pub(crate) fn line(&self) -> String {
        let Range { start_line, start_column, .. } = self.range;
        let fix = if self.fix.is_some() { " (apply_fix can mend it)" } else { "" };
        let code = cards::cut(self.text.lines().next().unwrap_or_default().trim(), 100);
        format!(
            "- **{}** `{}:{start_line}:{start_column}` {}: `{}`. Rule `{}`, pattern `{}`{fix}",
            self.severity,
            self.file,
            self.message,
            cards::clean(&code).replace('`', "'"),
            self.rule_id,
            self.pattern_id
        )
    }
}

/// Code that was not looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Skipped {
    file: String,
    reason: String,
}

impl Skipped {
    pub(crate) fn all(skipped: &[(String, String)]) -> Vec<Self> {
        skipped
            .iter()
            .map(|(file, reason)| Self { file: file.clone(), reason: reason.clone() })
            .collect()
    }
}

impl Skipped {
    /// The same as a line of Markdown.
    pub(crate) fn line(&self) -> String {
        format!("- not scanned: `{}`: {}", self.file, self.reason)
    }
}
