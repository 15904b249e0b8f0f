//! `search_patterns`: patterns that answer a question.

use std::collections::BTreeMap;
use std::sync::Arc;

use proofstone_contract::{Answer, Ask, AskError, CallCx, Effect, Elicited, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shapes::{Choice, Format, Provenance, Question, Summary, in_format};
use crate::cards;
use crate::desk::{Desk, beside};
use crate::library::{Filter, Found, Library};
use crate::pattern::{Difficulty, Pattern};

/// More results than this without a filter are too many to read.
const TOO_MANY: usize = 20;
const DEFAULT_LIMIT: usize = 3;
const DEFAULT_CARDS: usize = 3;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// What you want to know, as a question, a symptom or keywords.
    #[serde(default)]
    #[schemars(length(max = 20_000))]
    q: Option<String>,
    /// Only this category; an unknown one is answered with the known ones.
    #[serde(default)]
    #[schemars(length(max = 200))]
    category: Option<String>,
    /// Only this difficulty.
    #[serde(default)]
    difficulty: Option<Difficulty>,
    /// The most patterns to return; 3 unless given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// What the text is: markdown unless given.
    #[serde(default)]
    format: Option<Format>,
    /// The most patterns to show as cards with code; 3 unless given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10))]
    limit_cards: Option<usize>,
    /// Say where the answer comes from.
    #[serde(default)]
    include_provenance_panel: Option<bool>,
    /// Put the cards' guidance and code into the structured answer too.
    #[serde(default)]
    include_structured_patterns: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Output {
    #[serde(rename = "patternSearchResults:v1")]
    Results(Box<Results>),
    #[serde(rename = "needsInput:v1")]
    NeedsInput(Question),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Results {
    query: Query,
    metadata: Metadata,
    /// The matches, best first.
    patterns: Vec<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Provenance>,
}

/// The question as it was understood.
#[derive(Debug, Serialize, JsonSchema)]
struct Query {
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty: Option<Difficulty>,
    limit: usize,
    format: Format,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    /// How many patterns match, whatever the limit.
    total_count: usize,
    /// How many of all matches each category has.
    categories: BTreeMap<String, usize>,
    /// How many of all matches each difficulty has.
    difficulties: BTreeMap<String, usize>,
    /// How many patterns are shown as cards.
    rendered_cards: usize,
    /// Which ones, in order.
    rendered_card_ids: Vec<String>,
    contract_markers: Markers,
}

/// How many markers the text has.
#[derive(Debug, Serialize, JsonSchema)]
struct Markers {
    index: usize,
    cards: usize,
    version: String,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct SearchPatterns(pub(crate) Arc<Desk>);

impl Tool for SearchPatterns {
    const NAME: &'static str = "search_patterns";
    const TITLE: &'static str = "Search patterns";
    const DESCRIPTION: &'static str = "Searches the pattern library (the project's own patterns, the user's and \
        the built-in ones) by question, symptom or keywords, narrowed by category and difficulty. Ask in plain \
        words; typing errors are forgiven. Returns an index, cards with guidance and code, the true number of \
        matches, and facets over all of them.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, mut input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let library = self.0.library(cx).await?;
        if input.question().is_empty() && input.filter().is_empty() {
            input.q = asked(cx).await?;
        }
        let answer = match needed(&input, &library) {
            Some((heading, needs)) => {
                let text = needs.text(heading);
                in_format(Output::NeedsInput(needs), input.format(), vec![text])
            }
            None => results(&input, &library),
        };
        Ok(beside(answer, &library))
    }
}

impl Input {
    fn question(&self) -> &str {
        self.q.as_deref().unwrap_or_default().trim()
    }

    fn format(&self) -> Format {
        self.format.unwrap_or_default()
    }

    fn filter(&self) -> Filter {
        Filter { category: self.category.clone(), difficulty: self.difficulty }
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT)
    }
}

/// Asks the person behind the client what is looked for, where the client can show questions.
async fn asked(cx: &CallCx) -> Result<Option<String>, Failure> {
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "q": { "type": "string", "title": "What are you looking for?" } },
        "required": ["q"],
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    let message = "Which pattern are you looking for? Say it in your own words.".to_owned();
    match cx.ask("q", Ask { message, schema }).await {
        Ok(Elicited::Accepted(fields)) => {
            Ok(fields.get("q").and_then(|q| q.as_str()).map(str::to_owned))
        }
        // The call comes again with the reply, and nobody sees this failure.
        Err(AskError::Later) => Err(Failure::refused("NEEDS_INPUT", "the question was sent")),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// What has to be asked before there is anything to answer.
fn needed(input: &Input, library: &Library) -> Option<(&'static str, Question)> {
    let filter = input.filter();
    if let Some(category) =
        filter.category.as_ref().filter(|c| !library.categories().contains_key(c.as_str()))
    {
        return Some(("Unknown Category", unknown_category(category, library)));
    }
    if input.question().is_empty() && filter.is_empty() {
        return Some(("Search Query Needed", query_needed(library)));
    }
    let found = library.search(input.question(), &filter);
    let returned = found.patterns.len().min(input.limit());
    (returned > TOO_MANY && filter.is_empty()).then(|| ("Narrow Your Search", too_broad(&found)))
}

fn query_needed(library: &Library) -> Question {
    let mut categories: Vec<(&str, usize)> = library.categories().into_iter().collect();
    categories.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let words = categories.iter().take(6).map(|(name, _)| name.replace('-', " ")).collect();
    let message = "Say what you are looking for: a question, a symptom or keywords.";
    Question::new(&["q"], message, "The search query is missing or blank.", vec![("q", words)])
}

fn unknown_category(category: &str, library: &Library) -> Question {
    let known = library.suggest_categories(category);
    let counts = library.categories();
    let options = known.iter().map(|name| Choice {
        label: format!("{name} ({})", counts.get(name).unwrap_or(&0)),
        value: (*name).to_owned(),
        description: None,
        field: Some("category".to_owned()),
    });
    let options = options.collect();
    let values = known.iter().map(ToString::to_string).collect();
    let message = format!("The library has no category \"{}\".", cards::cut(category, 80));
    Question::new(
        &["category"],
        message,
        "The category is not in the library.",
        vec![("category", values)],
    )
    .with_options(options)
}

fn too_broad(found: &Found<'_>) -> Question {
    let total = found.patterns.len();
    let categories =
        found.categories.iter().map(|(name, count)| ("category", (*name).to_owned(), *count));
    let levels =
        found.difficulties.iter().map(|(d, count)| ("difficulty", d.word().to_owned(), *count));
    let choice = |(field, value, count): (&str, String, usize)| Choice {
        label: format!("{value} ({count})"),
        value,
        description: Some(format!("{count} of {total} matches")),
        field: Some(field.to_owned()),
    };
    let options: Vec<Choice> = categories.chain(levels).map(choice).collect();
    let values = |field: &str| -> Vec<String> {
        let of_field = options.iter().filter(|option| option.field.as_deref() == Some(field));
        of_field.map(|option| option.value.clone()).collect()
    };
    let suggestions = vec![("category", values("category")), ("difficulty", values("difficulty"))];
    let message = format!(
        "{total} patterns match. Choose a category or a difficulty, or ask for at most {TOO_MANY}."
    );
    Question::new(
        &["category", "difficulty"],
        message,
        "Too many matches to be useful.",
        suggestions,
    )
    .with_options(options)
}

fn results(input: &Input, library: &Library) -> Answer<Output> {
    let (question, format) = (input.question(), input.format());
    let found = library.search(question, &input.filter());
    let shown: Vec<&Pattern> = found.patterns.iter().take(input.limit()).copied().collect();
    let wanted = input.limit_cards.unwrap_or(DEFAULT_CARDS);
    let blocks = match (format, shown.is_empty()) {
        (Format::Json, _) => Vec::new(),
        (_, true) => vec![cards::nothing_found(question, library)],
        _ => cards::search_results(question, &found, &shown, wanted),
    };
    let (index, rendered) = cards::count_markers(&blocks);
    let card_ids = match format {
        Format::Json => Vec::new(),
        _ => shown.iter().take(wanted).map(|pattern| pattern.id.clone()).collect(),
    };
    let full = input.include_structured_patterns == Some(true);
    let patterns = shown.iter().enumerate().map(|(at, pattern)| match full && at < wanted {
        true => Summary::of(pattern).with_card(pattern),
        false => Summary::of(pattern),
    });
    let layers = || {
        let mut layers: Vec<&str> =
            shown.iter().map(|pattern| pattern.origin.layer.word()).collect();
        layers.sort_unstable();
        layers.dedup();
        format!("Proofstone patterns ({})", layers.join(", "))
    };
    let provenance = input.include_provenance_panel == Some(true);
    let output = Results {
        query: Query {
            q: input.q.clone(),
            category: input.category.clone(),
            difficulty: input.difficulty,
            limit: input.limit(),
            format,
        },
        metadata: Metadata {
            total_count: found.patterns.len(),
            categories: cards::counts(&found.categories),
            difficulties: found
                .difficulties
                .iter()
                .map(|(d, n)| (d.word().to_owned(), *n))
                .collect(),
            rendered_cards: card_ids.len(),
            rendered_card_ids: card_ids,
            contract_markers: Markers { index, cards: rendered, version: "v1".to_owned() },
        },
        patterns: patterns.collect(),
        provenance: provenance.then(|| Provenance::new(layers(), None)),
    };
    let mut blocks = blocks;
    if let (Some(panel), false) = (&output.provenance, blocks.is_empty()) {
        blocks.push(format!("**Source:** {}, version {}", panel.source, env!("CARGO_PKG_VERSION")));
    }
    in_format(Output::Results(Box::new(output)), format, blocks)
}
