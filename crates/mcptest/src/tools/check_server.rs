//! `check_server`: does the connected server keep to the protocol?

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ConnectionInfo, Timing, Watch, connected, failure};
use crate::check::{self, Calls, Finding, Severity};
use crate::connection::Connections;

/// What may be done for the check.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Which tools may be called: never, read_only (those that say they only read), or all
    #[serde(default)]
    calls: CallsInput,
    /// Give the frames that prove each finding, too
    #[serde(default)]
    with_frames: bool,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CallsInput {
    /// None.
    Never,
    /// Those that say they only read.
    #[default]
    ReadOnly,
    /// All of them, with whatever they change.
    All,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Whether nothing was found that breaks a rule
    conforms: bool,
    /// How many findings of each kind
    totals: Totals,
    /// Each with the rule, its place in the specification, and how to mend it; the worst first
    #[schemars(extend("items" = { "type": "object" }))]
    findings: Vec<Value>,
    /// Every check and how it ended
    #[schemars(extend("items" = { "type": "object" }))]
    checks: Vec<Value>,
    metadata: Timing,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    errors: usize,
    warnings: usize,
    notes: usize,
    /// Checks that were passed over, each with its reason in `checks`
    skipped: usize,
    /// Tools called for the check
    tools_called: usize,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct CheckServer(pub(crate) Arc<Connections>);

impl Tool for CheckServer {
    const NAME: &'static str = "check_server";
    const TITLE: &'static str = "Check a server against the protocol";
    const DESCRIPTION: &'static str = "Checks the connected server against the rules of the protocol, on \
        its own surface: every message against the schema of the revision, tool schemas that clients \
        reject, declared output schemas against what comes back, errors for invalid input, pagination, \
        cancellation, sessions, origins. It opens connections of its own. Tools are called only if they \
        say that they only read, unless `calls` allows more.";
    const EFFECT: Effect = Effect::ADDS.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(10));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let calls = match input.calls {
            CallsInput::Never => Calls::Never,
            CallsInput::ReadOnly => Calls::ReadOnly,
            CallsInput::All => Calls::All,
        };
        let report =
            check::check(connection.target.clone(), connection.opening.clone(), calls).await;
        let report = report.map_err(|fault| failure(&fault, &connection))?;
        let count = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
        let totals = Totals {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
            skipped: report.checks.iter().filter(|check| check.skipped.is_some()).count(),
            tools_called: report.tools_called,
        };
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            conforms: totals.errors + totals.warnings == 0,
            totals,
            findings: report.findings.iter().map(|f| shown(f, input.with_frames)).collect(),
            checks: report.checks.iter().map(|check| json!(check)).collect(),
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}

fn shown(finding: &Finding, with_frames: bool) -> Value {
    let mut value = json!(finding);
    if let (false, Some(fields)) = (with_frames, value.as_object_mut()) {
        fields.shift_remove("frames");
    }
    value
}
