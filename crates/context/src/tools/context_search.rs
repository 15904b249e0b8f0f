//! `context_search`: discoveries, sessions and code, ranked by how well they answer a question.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shown;
use crate::embed::{CANDIDATES, Model};
use crate::find::{CodeHit, Found, find};
use crate::index::{Progress, Readiness, StoreError};
use crate::memory::{self, DiscoveryKind, Recalled, recall};
use crate::module;
use crate::project::{Project, leaving_time};
use crate::redact::redact;
use crate::search::{Filter, Question};
use crate::tracker::Event;

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Search query describing what to find
    #[schemars(length(min = 3, max = 500))]
    query: String,
    /// Filter by discovery type
    #[serde(default)]
    r#type: Kind,
    /// Filter by module name
    module: Option<String>,
    /// Maximum number of results to return
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 20))]
    limit: u32,
}

fn default_limit() -> u32 {
    5
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Kind {
    #[default]
    All,
    Pattern,
    Rule,
    Decision,
    Issue,
}

impl Kind {
    fn discovery(self) -> Option<DiscoveryKind> {
        match self {
            Self::All => None,
            Self::Pattern => Some(DiscoveryKind::Pattern),
            Self::Rule => Some(DiscoveryKind::Rule),
            Self::Decision => Some(DiscoveryKind::Decision),
            Self::Issue => Some(DiscoveryKind::Issue),
        }
    }
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// Results, best first; spans of one file count less the more of them there are
    results: Vec<SearchResult>,
    /// The query as asked
    query: String,
    /// How much there was to choose from
    total_found: usize,
    /// How long it took, in milliseconds
    search_time: u64,
    /// Said when only a part of the project has been indexed yet
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
    /// Said when a filter left nothing
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

/// One result.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchResult {
    /// The discovery's or session's id; for code, the place as file:startLine-endLine
    id: String,
    /// pattern, rule, decision, issue, session or code
    r#type: &'static str,
    /// What it says
    content: String,
    /// The module it belongs to
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    /// The session it comes from
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// When it was recorded or last changed
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// How well it answers, 0 to 1
    score: f64,
    /// discovery, session or code
    source: &'static str,
    /// For code: the file, relative to the project root
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// For code: first line, 1-based
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    /// For code: last line, 1-based
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    /// For code: the definition there
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// For code: hash of the content this was computed from, verified when answering
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    /// For code: whether content leaves out lines at the end
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_cut: bool,
    /// For code: other files with the same content
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_at: Vec<String>,
    /// For a discovery about code: holds, suspect (the code changed since) or gone
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor_state: Option<&'static str>,
}

/// The tool.
pub(super) struct ContextSearch(pub(super) Arc<Project>);

impl Tool for ContextSearch {
    const NAME: &'static str = "context_search";
    const TITLE: &'static str = "Search by meaning";
    const DESCRIPTION: &'static str = "Search project context semantically. Returns relevant discoveries, patterns, rules, past decisions, sessions and code, \
        ranked by how well they answer. Ask in plain words or with a name.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits =
        Limits::DEFAULT.deadline(Duration::from_secs(5)).per_minute(30).concurrent(4);

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        project.track(Event::Searched(input.query.clone()));
        let progress = cx.clone();
        cx.blocking(move |stop| {
            let tell = |p: Progress| {
                progress.progress(p.done as f64, Some(p.total as f64), Some("indexing"));
            };
            answer(&project, input, stop.deadline(), &tell)
        })
        .await?
        .map_err(Failure::from)
    }
}

fn answer(
    project: &Project,
    input: Input,
    deadline: Instant,
    tell: &(dyn Fn(Progress) + Sync),
) -> Result<Answer<Output>, StoreError> {
    let started = Instant::now();
    let question = Question::parse(&input.query);
    let limit = input.limit as usize;
    let remembered = remember(project, &question, &input);
    let found = match input.r#type {
        Kind::All => Some(find(
            project,
            &question,
            &Filter { module: input.module.clone() },
            if project.vectors().is_some() { limit.max(CANDIDATES) } else { limit },
            leaving_time(deadline),
            tell,
        )?),
        _ => None,
    };
    let mut found = found;
    let vectors = vectors(project, &input.query, found.as_mut(), deadline);
    let total_found =
        remembered.len() + found.as_ref().map_or(0, |found| in_all(found, &input, limit));
    let readiness = found.as_ref().map(|found| found.readiness);
    let mut why: Vec<(f32, SearchResult, Value)> =
        remembered.into_iter().map(|(score, what)| from_memory(score, what)).collect();
    why.extend(found.into_iter().flat_map(|found: Found| found.hits).map(from_code));
    why.sort_by(|a, b| b.0.total_cmp(&a.0));
    why.truncate(limit);
    let ranking: Vec<Value> =
        why.iter().map(|(_, result, why)| json!({ "id": result.id, "because": why })).collect();
    let suggestion = input.module.as_ref().filter(|_| why.is_empty()).map(|module| {
        format!(
            "Nothing was found in the module `{module}`: leave `module` out to search everywhere; \
             get_project_overview lists the modules"
        )
    });
    let output = Output {
        results: why.into_iter().map(|(_, result, _)| result).collect(),
        query: input.query,
        total_found,
        search_time: started.elapsed().as_millis() as u64,
        incomplete: readiness.filter(|r| !r.complete).map(|r| incomplete(&r)),
        suggestion,
    };
    let meta = json!({
        "questionKind": question.kind.name(),
        "words": question.terms,
        "vectors": vectors,
        "ranking": ranking,
        "index": readiness.map(shown::index_meta),
    });
    Ok(Answer::new(output).meta(shown::META, meta))
}

/// How much code there was to choose from. What the search counts knows nothing of modules, and nothing of
/// what is near in meaning without sharing a word.
fn in_all(found: &Found, input: &Input, limit: usize) -> usize {
    let all_shown = input.module.is_some() && found.hits.len() < limit;
    if all_shown { found.hits.len() } else { found.total.max(found.hits.len()) }
}

/// Lets vectors have their say, where they are made; tells what became of it.
fn vectors(project: &Project, query: &str, found: Option<&mut Found>, deadline: Instant) -> String {
    let own = match Model::embedded() {
        Some(model) => format!("by the embedded model {}", model.name()),
        None => "none: ranked by words, names, definitions and paths".to_owned(),
    };
    let (Some(vectors), Some(found)) = (project.vectors(), found) else { return own };
    // Leaves time to answer without them.
    let until = deadline.checked_sub(Duration::from_millis(200)).unwrap_or(deadline);
    match vectors.rerank(query, &mut found.hits, until) {
        Ok(()) => format!("by the model {}, after {own}", vectors.model()),
        Err(error) => format!("{own}; Failed to generate query embedding: {error}"),
    }
}

fn incomplete(readiness: &Readiness) -> String {
    format!(
        "{} of {} files are indexed so far; the rest is being indexed in the background: ask again, or use grep_codebase",
        readiness.searchable, readiness.files
    )
}

/// What memory has to say. A project whose memory can't be opened still has its code searched.
fn remember(project: &Project, question: &Question, input: &Input) -> Vec<(f32, Recalled)> {
    let Ok(memory) = project.memory() else { return Vec::new() };
    let filter = memory::Filter {
        kind: input.r#type.discovery(),
        module: input.module.clone(),
        ..memory::Filter::default()
    };
    let discoveries = memory.discoveries(project.root(), &filter).unwrap_or_default();
    let wants_sessions = input.r#type == Kind::All && input.module.is_none();
    let sessions =
        if wants_sessions { memory.recent_sessions(50).unwrap_or_default() } else { Vec::new() };
    // The session going on is the one asking: its own questions are no answer.
    let past = sessions.into_iter().filter(|s| s.status != memory::SessionStatus::Active).collect();
    recall(question, discoveries, past)
}

fn from_memory(score: f32, what: Recalled) -> (f32, SearchResult, Value) {
    let result = match what {
        Recalled::Discovery(d) => SearchResult {
            id: d.id,
            r#type: d.kind.name(),
            content: d.content,
            module: d.module,
            session: d.session,
            date: Some(d.created_at),
            score: rounded(score),
            source: "discovery",
            anchor_state: d.anchor_state.map(memory::AnchorState::name),
            file: d.anchor.map(|anchor| anchor.path),
            ..SearchResult::default()
        },
        Recalled::Session(s) => SearchResult {
            content: session_text(&s),
            session: Some(s.id.clone()),
            id: s.id,
            r#type: "session",
            date: Some(s.started_at),
            score: rounded(score),
            source: "session",
            ..SearchResult::default()
        },
    };
    (score, result, json!({ "words": rounded(score) }))
}

fn session_text(s: &memory::Session) -> String {
    let files: Vec<&str> = s.files.iter().take(10).map(|f| f.path.as_str()).collect();
    let parts = [
        s.goal.clone(),
        s.summary.clone(),
        Some(format!("Topics: {}", s.topics.join("; "))),
        Some(format!("Files: {}", files.join(", "))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn from_code(hit: CodeHit) -> (f32, SearchResult, Value) {
    let (place, f) = (&hit.hit, &hit.hit.features);
    let because = json!({
        "text": rounded(f.text), "coverage": rounded(f.coverage), "file": rounded(f.file), "names": rounded(f.named), "bestName": rounded(f.name), "fileName": rounded(f.stem),
        "folder": rounded(f.folder), "definition": rounded(f.defines), "pathKind": f.kind.name(),
        "meaning": rounded(f.meaning), "fileMeaning": rounded(f.file_meaning), "pathMeaning": rounded(f.path_meaning), "middleMeaning": rounded(f.middle_meaning), "besideMeaning": rounded(f.beside_meaning),
        "endpoint": hit.likeness.map(rounded),
    });
    let result = SearchResult {
        id: format!("{}:{}-{}", place.path, place.span.start_line, place.span.end_line),
        r#type: "code",
        module: Some(module::of(&place.path)),
        date: hit.modified.and_then(shown::time),
        score: rounded(place.score),
        source: "code",
        file: Some(place.path.clone()),
        start_line: Some(place.span.start_line),
        end_line: Some(place.span.end_line),
        symbol: place.symbol.clone(),
        content_hash: Some(shown::hash(&hit.content)),
        content_cut: hit.cut,
        content: redact(&hit.excerpt).0.into_owned(),
        also_at: hit.also_at,
        ..SearchResult::default()
    };
    (place.score, result, because)
}

fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1000.0).round() / 1000.0
}
