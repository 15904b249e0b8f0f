//! What can go wrong between us and a server, by what happened and never by the words of a message.

use std::time::Duration;

use serde_json::Value;

use crate::Anomaly;
use crate::oauth::Trouble;

/// How a stdio server ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last lines it wrote to stderr.
    pub stderr: String,
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}")?,
            (None, Some(signal)) => write!(f, "signal {signal}")?,
            (None, None) => write!(f, "unknown status")?,
        }
        match self.stderr.trim() {
            "" => write!(f, ", nothing on stderr"),
            said => write!(f, "; its stderr ends with:\n{said}"),
        }
    }
}

/// Why a request has no proper answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The program can't be started.
    #[error("`{command}` can't be started: {reason}")]
    Start {
        /// The command.
        command: String,
        /// What the system said.
        reason: String,
    },
    /// The address can't be reached.
    #[error("{url} can't be reached: {reason}")]
    Unreachable {
        /// The address.
        url: String,
        /// What the network said.
        reason: String,
    },
    /// The address can't be used.
    #[error("`{url}` is not an address that can be connected to: {reason}")]
    Address {
        /// What was given.
        url: String,
        /// Why not.
        reason: String,
    },
    /// The server's process has ended.
    #[error("the server has ended ({0})")]
    Ended(Exit),
    /// The server closed its output and still runs.
    #[error("the server closed its stdout without ending")]
    Closed,
    /// An HTTP answer that carries no JSON-RPC message.
    #[error("the server answered HTTP {status}{}", said(body, location.as_deref()))]
    Http {
        /// The status.
        status: u16,
        /// The start of the body.
        body: String,
        /// What the server asks for in `WWW-Authenticate`.
        challenge: Option<String>,
        /// Where a redirect leads; it is not followed.
        location: Option<String>,
    },
    /// An HTTP answer of a kind that the protocol does not know.
    #[error(
        "the server answered with the content type `{0}`, which is neither JSON nor an event stream"
    )]
    ContentType(String),
    /// The stream ended before the answer.
    #[error("the answer's stream ended before the answer came")]
    StreamEnded,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// The server's authorization server gave us no token.
    #[error("the server wants authorization: {0}")]
    Authorization(#[from] Trouble),
    /// No answer in time.
    #[error("no answer to `{method}` within {} ms", .after.as_millis())]
    Timeout {
        /// The request.
        method: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The answer's id is not the request's.
    #[error("the answer to the request with the id {expected} carries the id {got}")]
    WrongId {
        /// The request's id.
        expected: Value,
        /// The answer's.
        got: Value,
    },
    /// The answer is not a JSON-RPC response.
    #[error("the answer is not a JSON-RPC response: {0}")]
    Malformed(String),
    /// The server answered with a JSON-RPC error.
    #[error("the server answered with the error {code}: {message}")]
    Rpc {
        /// The error's code.
        code: i64,
        /// The error's message.
        message: String,
        /// The error's data.
        data: Option<Value>,
    },
    /// The server speaks no protocol revision that we know.
    #[error("no common protocol revision: {0}")]
    Revision(String),
    /// A session did not begin, and this is what the server did meanwhile.
    #[error("{why}{}", meanwhile(anomalies, stderr))]
    Opening {
        /// Why it did not begin.
        why: Box<Fault>,
        /// What the server did and should not have done.
        anomalies: Vec<Anomaly>,
        /// What it wrote to stderr.
        stderr: String,
    },
    /// A list that has no end.
    #[error("the list `{method}` has no end: {pages} pages, and a cursor for more")]
    Endless {
        /// The list.
        method: String,
        /// How many pages were read.
        pages: usize,
    },
    /// A list whose cursor does not advance.
    #[error("the list `{method}` gives the cursor {cursor} twice, so it would never end")]
    Cursor {
        /// The list.
        method: String,
        /// The cursor.
        cursor: String,
    },
}

/// What a server did instead of answering: the first oddity and its last words.
fn meanwhile(anomalies: &[Anomaly], stderr: &str) -> String {
    let odd = anomalies.first().map(|odd| format!("; meanwhile: {}", odd.message));
    let said = Some(stderr.trim()).filter(|said| !said.is_empty());
    let said = said.map(|said| format!("; its stderr ends with:\n{}", last_lines(said)));
    odd.unwrap_or_default() + &said.unwrap_or_default()
}

/// The end of what a server wrote, as much as a person reads.
pub(crate) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// What an HTTP answer says besides its status.
fn said(body: &str, location: Option<&str>) -> String {
    match (location, body.trim()) {
        (Some(location), _) => format!(", a redirect to {location}"),
        (None, "") => " without a body".to_owned(),
        (None, body) => format!(": {body}"),
    }
}
