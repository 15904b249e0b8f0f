//! `get_pattern`: one pattern in full.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shapes::{Choice, Example, Format, Provenance, Question, in_format, some};
use crate::cards;
use crate::desk::{Desk, beside};
use crate::library::Library;
use crate::markdown::Role;
use crate::pattern::{Difficulty, Pattern};

const SUGGESTIONS: usize = 5;
/// The longest description without details.
const SHORT: usize = 400;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The pattern's id, as search_patterns gives it.
    #[schemars(length(max = 20_000))]
    id: String,
    /// What the text is: markdown unless given.
    #[serde(default)]
    format: Option<Format>,
    /// Put sections, examples and guidance into the structured answer; yes unless given.
    #[serde(default)]
    include_structured_details: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Output {
    #[serde(rename = "patternDetails:v1")]
    Details(Box<Details>),
    #[serde(rename = "needsInput:v1")]
    NeedsInput(Question),
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    id: String,
    title: String,
    category: String,
    difficulty: Difficulty,
    /// The summary, cut at 200 characters.
    summary: String,
    /// The guideline and why; cut at 400 characters without details.
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    use_guidance: Option<Guidance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<Part>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    examples: Option<Vec<Example>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Provenance>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Guidance {
    #[serde(skip_serializing_if = "Option::is_none")]
    use_when: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    avoid_when: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Part {
    title: String,
    content: String,
    #[serde(rename = "type")]
    kind: PartKind,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum PartKind {
    Description,
    Example,
    UseCase,
    Related,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetPattern(pub(crate) Arc<Desk>);

impl Tool for GetPattern {
    const NAME: &'static str = "get_pattern";
    const TITLE: &'static str = "Read one pattern";
    const DESCRIPTION: &'static str = "Returns one pattern in full by its id: guideline, rationale, good example, \
        anti-pattern, when to use and avoid it, related patterns and where it comes from. A blank or unknown id is \
        answered with ids that may have been meant.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let library = self.0.library(cx).await?;
        let format = input.format.unwrap_or_default();
        let full = input.include_structured_details.unwrap_or(true);
        let answer = match library.get(input.id.trim()) {
            Some(pattern) => in_format(
                Output::Details(Box::new(details(pattern, full))),
                format,
                cards::details(pattern),
            ),
            None => {
                let needs = which(&input.id, &library);
                let text = needs.text("Pattern Not Found");
                in_format(Output::NeedsInput(needs), format, vec![text])
            }
        };
        Ok(beside(answer, &library))
    }
}

fn which(id: &str, library: &Library) -> Question {
    let near = library.suggest(id, SUGGESTIONS);
    let options = near.iter().map(|pattern| Choice {
        label: pattern.title.clone(),
        value: pattern.id.clone(),
        description: Some(cards::short_summary(pattern)),
        field: Some("id".to_owned()),
    });
    let options: Vec<Choice> = options.collect();
    let ids: Vec<String> = near.iter().map(|pattern| pattern.id.clone()).collect();
    let (message, reason) = match id.trim() {
        "" => ("Say which pattern, by its id.".to_owned(), "The id is missing or blank."),
        id => {
            (format!("There is no pattern \"{}\".", cards::cut(id, 120)), "No pattern has this id.")
        }
    };
    let suggestions = if ids.is_empty() { Vec::new() } else { vec![("id", ids)] };
    Question::new(&["id"], message, reason, suggestions).with_options(options)
}

fn details(pattern: &Pattern, full: bool) -> Details {
    let description = description(pattern);
    let origin = &pattern.origin;
    let hides =
        origin.overrides.map_or(String::new(), |layer| format!(", in place of the {layer} one"));
    let source = format!("{} pattern, {}{hides}", origin.layer, origin.file);
    Details {
        id: pattern.id.clone(),
        title: pattern.title.clone(),
        category: pattern.category.clone(),
        difficulty: pattern.difficulty,
        summary: cards::short_summary(pattern),
        description: if full { description } else { cards::cut(&description, SHORT) },
        tags: some(&pattern.tags),
        use_guidance: guidance(pattern).filter(|_| full),
        sections: full.then(|| pattern.sections.iter().map(part).collect()),
        examples: full.then(|| examples(pattern)),
        provenance: full.then(|| Provenance::new(source, Some(cards::CARD_MARKER))),
    }
}

fn description(pattern: &Pattern) -> String {
    let mut text = pattern.summary.clone();
    for role in [Role::Guideline, Role::Rationale] {
        if let Some(section) =
            pattern.section(role).filter(|section| !section.prose.trim().is_empty())
        {
            text.push_str("\n\n");
            text.push_str(section.prose.trim());
        }
    }
    text
}

fn guidance(pattern: &Pattern) -> Option<Guidance> {
    let joined = |list: &[String]| (!list.is_empty()).then(|| list.join("; "));
    let guidance =
        Guidance { use_when: joined(&pattern.use_when), avoid_when: joined(&pattern.avoid_when) };
    (guidance.use_when.is_some() || guidance.avoid_when.is_some()).then_some(guidance)
}

fn part(section: &crate::markdown::Section) -> Part {
    let kind = match section.role {
        Role::GoodExample | Role::AntiPattern => PartKind::Example,
        Role::UseWhen | Role::AvoidWhen => PartKind::UseCase,
        Role::Related => PartKind::Related,
        _ => PartKind::Description,
    };
    Part { title: section.title.clone(), content: section.content.trim().to_owned(), kind }
}

fn examples(pattern: &Pattern) -> Vec<Example> {
    let described = |fence: &crate::markdown::Fence| match fence.role {
        Role::AntiPattern => Some("Anti-pattern: do not write this"),
        Role::GoodExample => Some("Good example"),
        _ => None,
    };
    pattern.fences.iter().map(|fence| Example::of(fence, described(fence))).collect()
}
