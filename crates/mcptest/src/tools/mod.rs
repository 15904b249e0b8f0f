//! The tools, one file each, and what their answers share.

pub(crate) mod call_tool;
pub(crate) mod check_server;
pub(crate) mod connect_to_server;
pub(crate) mod diff_contract;
pub(crate) mod disconnect;
mod files;
pub(crate) mod fuzz_tool;
pub(crate) mod get_connection_status;
pub(crate) mod get_frames;
pub(crate) mod get_prompt;
pub(crate) mod lint_server;
pub(crate) mod list_prompts;
pub(crate) mod list_resources;
pub(crate) mod list_tools;
pub(crate) mod load_test;
pub(crate) mod read_resource;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod respond;
pub(crate) mod restart_server;
pub(crate) mod snapshot_contract;

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use proofstone_contract::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::connection::{CURRENT, Connection, Connections, iso};
use crate::dialect::CONNECTION;
use crate::fault::last_lines;
use crate::oauth::Trouble;
use crate::{Anomaly, Fault, Scripted};

/// Input of the tools that take nothing but a connection's name.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnConnection {
    /// Name of the connection, if it was given one on connecting
    pub(crate) connection: Option<String>,
}

/// The server an answer is about.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConnectionInfo {
    /// Address of the server, or the command that started it
    server_url: String,
    /// How it is reached
    #[schemars(extend("enum" = ["streaming-http", "stdio", "sse"]))]
    transport: &'static str,
    /// Since when, with timezone
    #[schemars(extend("format" = "date-time"))]
    connected_at: String,
    /// Name and version, as the server gave them
    server_info: ServerInfo,
    /// The protocol revision in force
    protocol_version: String,
    /// The connection's name
    name: String,
}

/// What a server calls itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ServerInfo {
    /// Its name
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Its version
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// Whatever else it says of itself
    #[serde(flatten)]
    more: Map<String, Value>,
}

impl From<&Connection> for ConnectionInfo {
    fn from(connection: &Connection) -> Self {
        let era = connection.client.era();
        Self {
            server_url: connection.url(),
            transport: connection.target.transport(),
            connected_at: iso(connection.since),
            server_info: ServerInfo::from(era.server_info()),
            protocol_version: era.revision.unwrap_or_default(),
            name: connection.name.clone(),
        }
    }
}

impl From<Value> for ServerInfo {
    fn from(value: Value) -> Self {
        let mut more = value.as_object().cloned().unwrap_or_default();
        let mut text = |key: &str| match more.shift_remove(key) {
            Some(Value::String(text)) => Some(text),
            Some(other) => Some(other.to_string()),
            None => None,
        };
        Self { name: text("name"), version: text("version"), more }
    }
}

/// When an answer was got and how long that took.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Timing {
    /// When, with timezone
    #[schemars(extend("format" = "date-time"))]
    retrieved_at: String,
    /// How long it took
    request_time_ms: u64,
    /// Numbers of the frames that carried the answer: see get_frames
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<u64>,
    /// What the server did meanwhile and should not have done
    #[serde(skip_serializing_if = "Vec::is_empty")]
    anomalies: Vec<Oddity>,
}

/// Something that a server did and should not have done.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Oddity {
    /// What it is
    kind: &'static str,
    /// What happened
    message: String,
    /// The frame that shows it
    frame: u64,
}

impl From<Anomaly> for Oddity {
    fn from(anomaly: Anomaly) -> Self {
        Self { kind: anomaly.kind, message: anomaly.message, frame: anomaly.frame }
    }
}

/// Measures an exchange: its time, and what went wrong beside it.
#[derive(Debug)]
pub(crate) struct Watch {
    started: Instant,
    connection: Arc<Connection>,
    first_frame: u64,
}

impl Watch {
    pub(crate) fn start(connection: &Arc<Connection>) -> Self {
        let first_frame = connection.client.journal().last() + 1;
        Self { started: Instant::now(), connection: Arc::clone(connection), first_frame }
    }

    pub(crate) fn timing(&self, frames: Vec<u64>) -> Timing {
        let anomalies = self.connection.client.anomalies().into_iter();
        Timing {
            retrieved_at: iso(Timestamp::now()),
            request_time_ms: self.started.elapsed().as_millis() as u64,
            frames,
            anomalies: anomalies
                .filter(|a| a.frame >= self.first_frame)
                .map(Oddity::from)
                .collect(),
        }
    }
}

/// An answer for something that the server will ask.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptedInput {
    /// What it answers: sampling/createMessage, elicitation/create or roots/list
    method: String,
    /// The result to answer with
    result: Option<Map<String, Value>>,
    /// The error to answer with instead, with code and message
    error: Option<Map<String, Value>>,
    /// Whether it serves every time, not once
    #[serde(default)]
    always: bool,
}

/// The result or error that an answer gives: exactly one of them.
pub(crate) fn given(
    result: Option<Map<String, Value>>,
    error: Option<Map<String, Value>>,
    place: &str,
) -> Result<Result<Value, Value>, Failure> {
    match (result, error) {
        (Some(result), None) => Ok(Ok(Value::Object(result))),
        (None, Some(error)) => Ok(Err(Value::Object(error))),
        _ => Err(Failure::invalid(place, "give either a result or an error")),
    }
}

pub(crate) fn scripted(answers: &[ScriptedInput]) -> Result<Vec<Scripted>, Failure> {
    let one = |(at, input): (usize, &ScriptedInput)| {
        let place = format!("/answers/{at}");
        let answer = given(input.result.clone(), input.error.clone(), &place)?;
        Ok(Scripted { method: input.method.clone(), answer, always: input.always })
    };
    answers.iter().enumerate().map(one).collect()
}

/// The connection with a name, or the error that says how to get one.
pub(crate) fn connected(
    connections: &Connections,
    name: Option<&str>,
) -> Result<Arc<Connection>, Failure> {
    connections.get(name).ok_or_else(|| not_connected(connections, name))
}

pub(crate) fn not_connected(connections: &Connections, name: Option<&str>) -> Failure {
    let open = connections.names();
    let message = match name {
        Some(name) => format!("there is no connection named `{name}`"),
        None => "not connected to a server".to_owned(),
    };
    let hint = match open.as_slice() {
        [] => "call connect_to_server first".to_owned(),
        names if names.iter().any(|name| name == CURRENT) => {
            "leave `connection` out to use the current one".to_owned()
        }
        names => format!("name one of the open connections: {}", names.join(", ")),
    };
    Failure::refused("not_connected", message).hint(hint).detail("open_connections", open)
}

/// A fault as the contract's failure, on the connection where it happened.
pub(crate) fn failure(fault: &Fault, connection: &Connection) -> Failure {
    let kind = match fault {
        Fault::Timeout { .. } => "timeout",
        Fault::Rpc { .. } => "execution_error",
        _ => "transport_error",
    };
    on(connection, described(fault, kind))
}

/// How many of the server's oddities a failure shows.
const NEWEST: usize = 5;

/// Notes on a failure where it happened, the newest oddities there, and what the server wrote to stderr.
pub(crate) fn on(connection: &Connection, failure: Failure) -> Failure {
    let info = serde_json::to_value(ConnectionInfo::from(connection)).unwrap_or_default();
    let failure = failure.detail(CONNECTION, info);
    let odd = connection.client.anomalies();
    let failure = match &odd[odd.len().saturating_sub(NEWEST)..] {
        [] => failure,
        newest => failure.detail("anomalies", json!(newest)),
    };
    match connection.client.stderr() {
        said if said.trim().is_empty() => failure,
        said => failure.detail("stderr", last_lines(&said)),
    }
}

/// A fault with its facts and what to do about it.
pub(crate) fn described(fault: &Fault, kind: &'static str) -> Failure {
    let failure = Failure::refused(kind, fault.to_string()).hint(suggestion(fault));
    match fault {
        Fault::Rpc { code, message, data } => {
            let failure = failure.detail("code", *code).detail("server_message", message.as_str());
            match data {
                Some(data) => failure.detail("data", data.clone()),
                None => failure,
            }
        }
        Fault::Ended(exit) => {
            let failure = failure.detail("stderr", last_lines(&exit.stderr));
            match (exit.code, exit.signal) {
                (Some(code), _) => failure.detail("exit_code", code),
                (None, Some(signal)) => failure.detail("signal", signal),
                (None, None) => failure,
            }
        }
        Fault::Http { status, body, challenge, location } => {
            let failure = failure.detail("status", *status).detail("body", body.as_str());
            let more = [("www_authenticate", challenge), ("location", location)];
            more.into_iter().fold(failure, |failure, (name, value)| match value {
                Some(value) => failure.detail(name, value.as_str()),
                None => failure,
            })
        }
        Fault::WrongId { expected, got } => {
            failure.detail("expected_id", expected.clone()).detail("got_id", got.clone())
        }
        Fault::Authorization(Trouble::Person { url, redirect_uri }) => failure
            .detail("authorization_url", url.as_str())
            .detail("redirect_uri", redirect_uri.as_str()),
        Fault::Timeout { after, .. } => failure.detail("timeout_ms", after.as_millis() as u64),
        Fault::Opening { why, anomalies, stderr } => {
            let mut failure = failure;
            failure.details.extend(described(why, kind).details);
            let newest = &anomalies[anomalies.len().saturating_sub(NEWEST)..];
            failure.detail("anomalies", json!(newest)).detail("stderr", last_lines(stderr))
        }
        _ => failure,
    }
}

fn suggestion(fault: &Fault) -> &'static str {
    match fault {
        Fault::Start { .. } => "check the command, its path and that it can be run",
        Fault::Unreachable { .. } => "check the address and that the server is running",
        Fault::Address { .. } => "give a full http or https address, with its path (often /mcp)",
        Fault::Ended(_) => "look at details.stderr; after a fix, connect again",
        Fault::Closed => "the server must keep its stdout open; connect again",
        Fault::Http { location: Some(_), .. } => {
            "redirects are not followed: connect to details.location if you trust it"
        }
        Fault::Http { status: 401 | 403, .. } => {
            "give `auth` on connecting (its type authorization_code finds the way in by itself), or \
             `headers`"
        }
        Fault::Http { status: 404 | 405, .. } => {
            "check the path of the address (often /mcp or /sse)"
        }
        Fault::Http { .. } => "look at the server's log; details.body is what it answered",
        Fault::ContentType(_) => {
            "an MCP endpoint answers with JSON or an event stream; check the path"
        }
        Fault::StreamEnded | Fault::Broken(_) => "look at the server's log; then connect again",
        Fault::Authorization(trouble) => trouble.suggestion(),
        Fault::Timeout { .. } => "give a larger timeout_ms, or look at get_frames for what arrived",
        Fault::WrongId { .. } => "the server must answer with the request's id, of the same type",
        Fault::Malformed(_) => {
            "look at the frame with get_frames: the server breaks JSON-RPC there"
        }
        Fault::Rpc { .. } => "correct the request as the server's message says",
        Fault::Opening { anomalies, .. } if !anomalies.is_empty() => {
            "only JSON-RPC messages may go to stdout; details.anomalies show what the server wrote there"
        }
        Fault::Opening { .. } => "look at details.stderr, or give a larger timeout_ms",
        Fault::Revision(_) => "give `protocol` with a revision that the server supports",
        Fault::Endless { .. } => "the server must leave nextCursor out on the last page",
        Fault::Cursor { .. } => "the server must give a new nextCursor with every page, or none",
    }
}

pub(crate) fn patience(timeout_ms: Option<u64>) -> Option<Duration> {
    timeout_ms.map(Duration::from_millis)
}

/// A listed entry as the contract shows it: as it was sent, with one key renamed.
pub(crate) fn renamed(entry: &Value, from: &str, to: &str) -> Value {
    let Some(fields) = entry.as_object() else { return json!({ "malformed": entry }) };
    let fields = fields.iter().map(|(key, value)| match key == from {
        true => (to.to_owned(), value.clone()),
        false => (key.clone(), value.clone()),
    });
    Value::Object(fields.collect())
}
