//! How times, discoveries, sessions and the index's state are written in answers.

use std::time::SystemTime;

use proofstone_contract::Answer;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::index::Readiness;
use crate::memory::{Discovery, Session};

/// A time as the contract writes it: `2025-01-15T09:00:00Z`.
pub(super) fn time(time: SystemTime) -> Option<String> {
    let timestamp = jiff::Timestamp::try_from(time).ok()?;
    Some(timestamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// A hash in short, for comparing.
pub(super) fn hash(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex()[..32].to_owned()
}

/// Where answers tell beside the contract what they were computed from.
pub(super) const META: &str = "proofstone/context";

/// How much of the project was searched.
pub(super) fn index_meta(ready: Readiness) -> Value {
    json!({ "files": ready.files, "searchable": ready.searchable, "complete": ready.complete })
}

/// An answer that says so where only a part of the project was ready for it.
pub(super) fn from_what_is_ready<T>(output: T, ready: Readiness) -> Answer<T> {
    match ready.complete {
        true => Answer::new(output),
        false => Answer::new(output).meta(META, json!({ "index": index_meta(ready) })),
    }
}

/// A discovery.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownDiscovery {
    /// Its id
    pub(super) id: String,
    /// pattern, rule, decision or issue
    pub(super) r#type: &'static str,
    /// What was learned
    pub(super) content: String,
    /// The module it is about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) module: Option<String>,
    /// The session it was learned in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    /// When it was first recorded
    pub(super) date: String,
    /// When it was last changed
    pub(super) updated: String,
    /// active, superseded or withdrawn
    pub(super) status: &'static str,
    /// The discovery that took its place
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) superseded_by: Option<String>,
    /// Where it came from: told, file or decision-record
    pub(super) provenance: &'static str,
    /// Who says so
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) author: Option<String>,
    /// How sure that is, 0 to 1
    pub(super) confidence: f64,
    /// The file it is kept in
    pub(super) file: String,
    /// The code it is about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) anchor: Option<ShownAnchor>,
}

/// The code a discovery is about.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownAnchor {
    /// The file
    pub(super) path: String,
    /// The definition in it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symbol: Option<String>,
    /// The commit that was checked out when it was recorded
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    /// holds: unchanged since; suspect: changed; gone: no longer there
    pub(super) state: &'static str,
}

impl From<Discovery> for ShownDiscovery {
    fn from(d: Discovery) -> Self {
        let state = d.anchor_state.map_or("holds", crate::memory::AnchorState::name);
        Self {
            id: d.id,
            r#type: d.kind.name(),
            content: d.content,
            module: d.module,
            session: d.session,
            date: d.created_at,
            updated: d.updated_at,
            status: d.status.name(),
            superseded_by: d.superseded_by,
            provenance: d.source.name(),
            author: d.author,
            confidence: d.confidence,
            file: d.file,
            anchor: d.anchor.map(|a| ShownAnchor {
                path: a.path,
                symbol: a.symbol,
                commit: a.commit,
                state,
            }),
        }
    }
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownSession {
    /// Its id
    pub(super) id: String,
    /// active, completed or archived
    pub(super) status: &'static str,
    /// When it began
    pub(super) started_at: String,
    /// When it ended
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ended_at: Option<String>,
    /// How long it went on, in seconds
    pub(super) duration_seconds: i64,
    /// What it was for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) goal: Option<String>,
    /// What came of it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    /// What was searched for
    pub(super) topics: Vec<String>,
    /// Files read, most read first
    pub(super) files: Vec<ShownAccess>,
    /// Calls made
    pub(super) tool_calls: u64,
    /// Discoveries recorded
    pub(super) discoveries: u64,
}

/// How a session used a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownAccess {
    /// The file
    pub(super) path: String,
    /// How often it was read
    pub(super) access_count: u64,
    /// Last time
    pub(super) last_accessed_at: String,
}

impl From<Session> for ShownSession {
    fn from(s: Session) -> Self {
        let files = s.files.iter().take(10);
        let files = files.map(|f| ShownAccess {
            path: f.path.clone(),
            access_count: f.count,
            last_accessed_at: f.last_at.clone(),
        });
        Self {
            status: s.status.name(),
            duration_seconds: s.seconds(),
            files: files.collect(),
            id: s.id,
            started_at: s.started_at,
            ended_at: s.ended_at,
            goal: s.goal,
            summary: s.summary,
            topics: s.topics,
            tool_calls: s.tool_calls,
            discoveries: s.discoveries,
        }
    }
}
