//! How pages get their data: through the gate, like any client.

use std::time::Duration;

use proofstone_contract::{CallCx, Failure, ResourceBody};
use proofstone_gate::Outcome;
use serde_json::{Map, Value};

use crate::console::Console;

/// No page waits longer than this.
const LONGEST: Duration = Duration::from_mins(5);

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) value: Value,
    pub(crate) meta: Map<String, Value>,
}

/// Why there is none.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self { message: failure.message, hint: failure.hint }
    }
}

impl Console {
    /// Asks a tool for something to show. Nothing of it is counted or remembered.
    pub(crate) async fn look(&self, tool: &str, arguments: Value) -> Result<Reply, Trouble> {
        let outcome = self.host.gate().observe(tool, arguments, &self.cx()).await;
        reply(outcome.map_err(|unknown| Trouble { message: unknown.to_string(), hint: None })?)
    }

    /// Calls a tool because a person asked for it; gives the call's number in the journal.
    pub(crate) async fn act(&self, tool: &str, arguments: Value) -> Result<u64, Trouble> {
        let outcome = self.host.gate().call(tool, arguments, &self.cx()).await;
        let outcome =
            outcome.map_err(|unknown| Trouble { message: unknown.to_string(), hint: None })?;
        outcome.number.ok_or_else(|| Trouble {
            message: "this server keeps no journal, so the answer can't be shown".into(),
            hint: None,
        })
    }

    /// Reads a resource that is JSON, or text.
    pub(crate) async fn read(&self, uri: &str) -> Result<Value, Trouble> {
        let cx = self.cx();
        for set in self.host.gate().registry().toolsets() {
            let Some(resources) = set.resources() else { continue };
            let Some(bodies) = resources.read(uri, &cx).await else { continue };
            if let Some(ResourceBody::Text { text, .. }) = bodies?.into_iter().next() {
                return Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)));
            }
        }
        Err(Trouble { message: format!("there is no resource {uri}"), hint: None })
    }

    fn cx(&self) -> CallCx {
        CallCx::builder(self.host.root()).session("console").time(LONGEST).build()
    }
}

fn reply(outcome: Outcome) -> Result<Reply, Trouble> {
    match outcome.failure {
        Some(failure) => Err(failure.into()),
        None => Ok(Reply {
            value: outcome
                .rendered
                .structured
                .clone()
                .unwrap_or_else(|| outcome.rendered.text().into()),
            meta: outcome.rendered.meta,
        }),
    }
}

/// A field as text; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// A field as a whole number; 0 where there is none.
pub(crate) fn count(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_default()
}

/// A field as a number; 0 where there is none.
pub(crate) fn number(value: &Value, field: &str) -> f64 {
    value[field].as_f64().unwrap_or_default()
}

/// A field as a list; empty where there is none.
pub(crate) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}
