//! Does a server keep to the protocol, on its own surface? No fixtures are needed.
//!
//! Every check is one entry of [`CHECKS`]: what it looks at, the place in the specification, how to
//! mend a fault, and the function that looks. A check says what it found with the frames that prove
//! it. Tools are called only as far as the caller allows.

mod behaviour;
mod claims;
mod http;
mod messages;
mod surface;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofstone_contract::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use crate::connection::{Connection, Listed};
use crate::{Fault, Frame, Opening, Target};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Against a SHOULD, or something that some clients will trip over.
    Warning,
    /// Against a MUST.
    Error,
}

/// Something that a server does wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The place in the specification.
    pub specification: &'static str,
    /// How to mend it.
    pub fix: &'static str,
    /// The frames that prove it.
    pub frames: Vec<Frame>,
}

/// How a check ended.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The check.
    pub check: &'static str,
    /// What it looks at.
    pub about: &'static str,
    /// How many things it found wrong; none if it was passed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<usize>,
    /// Why it was passed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// Everything that was found out about a server.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The server.
    pub server: String,
    /// The transport.
    pub transport: &'static str,
    /// The protocol revision that was spoken.
    pub revision: String,
    /// What the server calls itself.
    pub server_info: Value,
    /// Every check and how it ended.
    pub checks: Vec<Outcome>,
    /// What is wrong, the worst first.
    pub findings: Vec<Finding>,
    /// How many tools were called.
    pub tools_called: usize,
}

/// Which tools may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Calls {
    /// None.
    Never,
    /// Those that say they only read.
    #[default]
    ReadOnly,
    /// All.
    All,
}

/// What a check looks with.
pub(crate) struct Look {
    pub(crate) connection: Connection,
    pub(crate) target: Target,
    pub(crate) opening: Opening,
    pub(crate) calls: Calls,
    pub(crate) patience: Duration,
    pub(crate) tools: Result<Vec<Value>, Fault>,
    pub(crate) resources: Result<Vec<Value>, Fault>,
    pub(crate) prompts: Result<Vec<Value>, Fault>,
    pub(crate) effort: Mutex<Effort>,
}

/// What calling tools has cost so far.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    /// How long calls took, all together.
    pub(crate) spent: Duration,
    /// The tools that did not answer in time: they are not called again.
    pub(crate) silent: BTreeSet<String>,
}

/// What a check says: what it found, or why it did not look.
pub(crate) type Said = Result<Vec<Found>, String>;

/// One thing found, before it is dressed as a finding.
pub(crate) struct Found {
    severity: Severity,
    message: String,
    frames: Vec<u64>,
}

impl Found {
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), frames: Vec::new() }
    }

    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, message: message.into(), frames: Vec::new() }
    }

    pub(crate) fn note(message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, message: message.into(), frames: Vec::new() }
    }

    pub(crate) fn shown_by(mut self, frames: impl IntoIterator<Item = u64>) -> Self {
        self.frames.extend(frames);
        self
    }
}

/// One check.
pub(crate) struct Check {
    id: &'static str,
    about: &'static str,
    specification: &'static str,
    fix: &'static str,
    run: fn(&Look) -> BoxFuture<'_, Said>,
}

/// All checks, in the order they run. What only looks comes first, what disturbs the server last.
const CHECKS: &[Check] = &[
    surface::OPENING,
    surface::TOOL_NAMES,
    surface::TOOL_SCHEMAS,
    surface::SAME_LIST_TWICE,
    surface::CAPABILITIES,
    behaviour::UNKNOWN_METHOD,
    behaviour::UNKNOWN_TOOL,
    behaviour::UNKNOWN_CURSOR,
    behaviour::UNKNOWN_RESOURCE,
    behaviour::RESOURCES_READ,
    behaviour::UNKNOWN_PROMPT,
    behaviour::MISSING_PROMPT_ARGUMENTS,
    behaviour::PING,
    claims::INVALID_ARGUMENTS,
    claims::OUTPUT_SCHEMAS,
    claims::EFFECTS,
    behaviour::STRAY_CANCELLATION,
    http::FOREIGN_ORIGIN,
    http::UNKNOWN_SESSION,
    http::UNKNOWN_REVISION,
    behaviour::MALFORMED_JSON,
    messages::SCHEMA,
    messages::ANOMALIES,
    behaviour::ENDS_WHEN_CLOSED,
];

/// Checks a server.
pub async fn check(target: Target, opening: Opening, calls: Calls) -> Result<Report, Fault> {
    let connection = Connection::open("check", target.clone(), opening.clone()).await?;
    let listed = |what| {
        let connection = &connection;
        async move { connection.list(what).await.map(|(entries, _)| entries) }
    };
    let (tools, resources) = (listed(Listed::Tools).await, listed(Listed::Resources).await);
    let prompts = listed(Listed::Prompts).await;
    let patience = opening.patience.min(Duration::from_secs(10));
    let effort = Mutex::default();
    let look =
        Look { connection, target, opening, calls, patience, tools, resources, prompts, effort };
    let era = look.connection.client.era();
    let mut report = Report {
        server: look.target.to_string(),
        transport: look.target.transport(),
        revision: era.revision.clone().unwrap_or_default(),
        server_info: era.server_info(),
        checks: Vec::new(),
        findings: Vec::new(),
        tools_called: 0,
    };
    for check in CHECKS {
        run(check, &look, &mut report).await;
    }
    let counts = &look.connection.counts;
    report.tools_called = counts.tools_called.load(std::sync::atomic::Ordering::Relaxed) as usize;
    look.connection.client.close().await;
    report.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Ok(report)
}

async fn run(check: &Check, look: &Look, report: &mut Report) {
    // A server that has ended answers nothing; saying so once is enough.
    let over = look.connection.client.ended();
    let said = match over {
        Some(fault) if check.id != messages::ANOMALIES.id => Err(format!("{fault}")),
        _ => (check.run)(look).await,
    };
    let (findings, skipped) = match said {
        Ok(found) => (Some(found.len()), found_all(check, look, found, report)),
        Err(why) => (None, Some(why)),
    };
    report.checks.push(Outcome { check: check.id, about: check.about, findings, skipped });
}

fn found_all(check: &Check, look: &Look, found: Vec<Found>, report: &mut Report) -> Option<String> {
    for Found { severity, message, frames } in found {
        let client = &look.connection.client;
        report.findings.push(Finding {
            check: check.id,
            severity,
            message,
            specification: check.specification,
            fix: check.fix,
            frames: frames.iter().filter_map(|id| client.frame(*id)).collect(),
        });
    }
    None
}

impl Look {
    /// Whether the revision in force has no sessions.
    pub(crate) fn stateless(&self) -> bool {
        self.connection.client.era().stateless
    }

    /// Whether the server says it can do something.
    pub(crate) fn claims(&self, capability: &str) -> bool {
        self.connection.client.era().opening["capabilities"].get(capability).is_some()
    }

    /// Sends a request; the answer, and the frames from it on.
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: Value,
    ) -> (Result<crate::Reply, Fault>, Vec<u64>) {
        let first = self.connection.client.journal().last() + 1;
        let answer = self.connection.request(method, params, Some(self.patience)).await;
        let last = self.connection.client.journal().last();
        (answer, (first..=last).take(6).collect())
    }

    /// Whether the server still answers.
    pub(crate) async fn lives(&self) -> bool {
        let list = self.ask("tools/list", serde_json::json!({})).await;
        matches!(list.0, Ok(_) | Err(Fault::Rpc { .. }))
    }

    /// A second connection, for what would disturb the first.
    pub(crate) async fn another(&self) -> Result<Arc<Connection>, Fault> {
        let opening = self.opening.clone();
        Connection::open("check", self.target.clone(), opening).await.map(Arc::new)
    }
}
