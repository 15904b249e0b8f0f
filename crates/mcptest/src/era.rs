//! The protocol's two eras: sessions opened by `initialize` (up to 2025-11-25), and requests that each
//! say everything themselves (from 2026-07-28).

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::mirrored::header_text;
use crate::wire::Envelope;
use crate::{Client, Fault, Scripted};

/// The first revision without sessions.
pub const MODERN: &str = "2026-07-28";
/// The last revision with sessions, which we ask for.
pub const LEGACY: &str = "2025-11-25";
/// All revisions that there are.
pub const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN];

/// How long a server may take to say whether it knows the newer era.
const PROBE: Duration = Duration::from_secs(5);
/// The error of a server that does not speak the request's revision.
const UNSUPPORTED: i64 = -32022;
/// How long the stream for the server's own requests may take to open before we go on.
const LISTENING: Duration = Duration::from_secs(1);
/// The most pages of a list that are read.
const MOST_PAGES: usize = 1000;

/// What was agreed on and what the server said of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Era {
    /// The revision in force; none before the opening.
    pub revision: Option<String>,
    /// Whether requests stand alone.
    pub stateless: bool,
    /// The server's answer to the opening, as it was sent.
    pub opening: Value,
    /// What we say we can do.
    pub capabilities: Value,
}

/// How to open a connection.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The revision to use, or the newest that both know.
    pub revision: Option<String>,
    /// What we say we can do.
    pub capabilities: Value,
    /// How long the server may take.
    pub patience: Duration,
    /// What is answered when the server asks.
    pub answers: Vec<Scripted>,
}

impl Default for Opening {
    fn default() -> Self {
        let (capabilities, patience) = (json!({}), Duration::from_secs(30));
        Self { revision: None, capabilities, patience, answers: Vec::new() }
    }
}

impl Era {
    /// The server's name and version, as it gave them.
    pub fn server_info(&self) -> Value {
        let in_meta = || self.opening["_meta"].get("io.modelcontextprotocol/serverInfo");
        self.opening.get("serverInfo").or_else(in_meta).cloned().unwrap_or_else(|| json!({}))
    }

    /// A request's parameters and headers, as the revision wants them.
    pub(crate) fn dress(&self, method: &str, mut params: Value) -> (Value, Envelope) {
        let mut envelope = self.envelope();
        if self.stateless {
            envelope.headers.push(("Mcp-Method".into(), method.into()));
            let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
            if let Some(name) = name {
                envelope.headers.push(("Mcp-Name".into(), header_text(name)));
            }
            if let Some(params) = params.as_object_mut() {
                let meta = params.entry("_meta").or_insert_with(|| json!({}));
                if let Some(meta) = meta.as_object_mut() {
                    self.fill(meta);
                }
            }
        }
        (params, envelope)
    }

    fn fill(&self, meta: &mut Map<String, Value>) {
        let key = |name: &str| format!("io.modelcontextprotocol/{name}");
        let revision = self.revision.clone().unwrap_or_default();
        meta.entry(key("protocolVersion")).or_insert_with(|| json!(revision));
        meta.entry(key("clientInfo")).or_insert_with(client_info);
        meta.entry(key("clientCapabilities")).or_insert_with(|| self.capabilities.clone());
    }
}

/// Whether a server refuses a revision and names the newer era's as one it speaks.
fn only_modern(fault: &Fault) -> bool {
    let Fault::Rpc { code: UNSUPPORTED, data: Some(data), .. } = fault else { return false };
    data["supported"].as_array().is_some_and(|all| all.contains(&json!(MODERN)))
}

fn client_info() -> Value {
    json!({ "name": "proofstone", "version": env!("CARGO_PKG_VERSION") })
}

impl Client {
    /// Opens the session, or finds out that there is none to open.
    pub async fn begin(&self, opening: &Opening) -> Result<(), Fault> {
        match opening.revision.as_deref() {
            Some(MODERN) => self.discover(opening, opening.patience).await,
            Some(revision) => self.initialize(opening, revision).await,
            None => match self.discover(opening, PROBE.min(opening.patience)).await {
                Ok(()) => Ok(()),
                // Whatever an older server makes of the question, it is no reason to give up.
                Err(Fault::Ended(exit)) => Err(Fault::Ended(exit)),
                Err(
                    fault @ (Fault::Unreachable { .. }
                    | Fault::Address { .. }
                    | Fault::Authorization(_)),
                ) => Err(fault),
                Err(_) => match self.initialize(opening, LEGACY).await {
                    // It was slow to start, and has taken the first question after all.
                    Err(fault) if only_modern(&fault) => {
                        self.discover(opening, opening.patience).await
                    }
                    opened => opened,
                },
            },
        }
    }

    async fn discover(&self, opening: &Opening, patience: Duration) -> Result<(), Fault> {
        let era = Era {
            revision: Some(MODERN.to_owned()),
            stateless: true,
            opening: Value::Null,
            capabilities: opening.capabilities.clone(),
        };
        self.set_era(era.clone());
        let mut found = self.request("server/discover", json!({}), patience).await;
        // A server that refuses the revision and names it as supported is asked once more.
        if found.as_ref().is_err_and(only_modern) {
            found = self.request("server/discover", json!({}), patience).await;
        }
        let reply = found.inspect_err(|_| self.set_era(Era::default()))?;
        let versions = reply.result["supportedVersions"].as_array().cloned().unwrap_or_default();
        if !versions.contains(&json!(MODERN)) {
            self.set_era(Era::default());
            let said = format!("the server supports {}", Value::Array(versions));
            return Err(Fault::Revision(said));
        }
        self.set_era(Era { opening: reply.result, ..era });
        Ok(())
    }

    async fn initialize(&self, opening: &Opening, revision: &str) -> Result<(), Fault> {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": opening.capabilities,
            "clientInfo": client_info(),
        });
        let reply = self.request("initialize", params, opening.patience).await?;
        let agreed = reply.result["protocolVersion"].as_str().unwrap_or_default().to_owned();
        if !REVISIONS.contains(&agreed.as_str()) {
            let said = format!("the server answered with the revision `{agreed}`");
            return Err(Fault::Revision(said));
        }
        self.set_era(Era {
            revision: Some(agreed),
            stateless: false,
            opening: reply.result,
            capabilities: opening.capabilities.clone(),
        });
        self.notify("notifications/initialized", json!({})).await?;
        let listening = self.clone();
        let listening = tokio::spawn(async move { listening.listen().await });
        // What a server asks before its stream is open is lost. Some open it only with the first
        // message, so this is not waited for at any length.
        let _ = tokio::time::timeout(LISTENING, listening).await;
        Ok(())
    }

    /// All entries of a list, page by page. A cursor that comes twice is a fault; what was read until
    /// then is lost to nobody, since the frames are kept.
    pub async fn list_all(
        &self,
        method: &str,
        key: &str,
        patience: Duration,
    ) -> Result<(Vec<Value>, Vec<u64>), Fault> {
        let (mut entries, mut frames) = (Vec::new(), Vec::new());
        let mut seen: Vec<String> = Vec::new();
        let mut cursor = None::<String>;
        loop {
            let params = cursor.as_ref().map_or_else(|| json!({}), |c| json!({ "cursor": c }));
            let reply = self.request(method, params, patience).await?;
            let Some(page) = reply.result.get(key).and_then(Value::as_array) else {
                return Err(Fault::Malformed(format!("the result has no list `{key}`")));
            };
            entries.extend(page.iter().cloned());
            frames.push(reply.frame);
            let Some(next) = reply.result.get("nextCursor").and_then(Value::as_str) else {
                return Ok((entries, frames));
            };
            if seen.iter().any(|cursor| cursor == next) {
                let cursor = next.to_owned();
                return Err(Fault::Cursor { method: method.to_owned(), cursor });
            }
            if seen.len() == MOST_PAGES {
                return Err(Fault::Endless { method: method.to_owned(), pages: seen.len() });
            }
            seen.push(next.to_owned());
            cursor = Some(next.to_owned());
        }
    }
}
