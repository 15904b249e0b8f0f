//! `fuzz_tool`: one tool with many inputs made from its schema.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ConnectionInfo, Timing, Watch, connected, failure, on, patience};
use crate::connection::{Connection, Connections, Listed};
use crate::effects;
use crate::fuzz::{self, Plan};

/// Which tool, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Name of the tool (as returned by list_tools)
    name: String,
    /// How many inputs that fit the schema and as many that don't
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 2000))]
    cases: usize,
    /// Where chance starts: the same seed gives the same inputs
    #[serde(default)]
    seed: u64,
    /// Call the tool although it does not say that it only reads
    #[serde(default)]
    allow_side_effects: bool,
    /// How long each call may take
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

fn fifty() -> usize {
    50
}

/// What holds and what does not.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Whether every property held
    holds: bool,
    /// Inputs tried that fit the schema
    valid: usize,
    /// Inputs tried that break it
    invalid: usize,
    /// All calls, with those that made failures simpler
    calls: usize,
    seed: u64,
    /// Each with the property, what happened, the simplest arguments that show it, and their seed
    #[schemars(extend("items" = { "type": "object" }))]
    failures: Vec<Value>,
    /// How often each property was broken
    #[schemars(extend("type" = "object"))]
    broken: Value,
    /// What was watched for effects while a tool was called that claims to have none, or none but the
    /// first; nothing where it claims neither
    watched: Vec<String>,
    /// What effects can't be seen
    #[serde(skip_serializing_if = "Option::is_none")]
    not_seen: Option<&'static str>,
    /// Why it ended before all was tried
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_short: Option<String>,
    metadata: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct FuzzTool(pub(crate) Arc<Connections>);

impl Tool for FuzzTool {
    const NAME: &'static str = "fuzz_tool";
    const TITLE: &'static str = "Fuzz a tool";
    const DESCRIPTION: &'static str = "Calls one tool of the connected server with many inputs made from \
        its schema and checks what must hold: valid input is no protocol error, invalid input is an \
        error, output fits the declared schema, claims to be repeatable and to only read hold as far as \
        the server's lists and resources show effects, every call is answered. \
        Failures are made as simple as possible and come with a seed. A tool that does not say that it \
        only reads is called only with allow_side_effects.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(10));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let tool = allowed(&connection, &input).await?;
        let patience = patience(input.timeout_ms).unwrap_or_else(|| connection.patience());
        let plan = Plan { cases: input.cases, seed: input.seed, patience };
        let report = fuzz::fuzz(&connection, &tool, &plan).await.map_err(|error| {
            on(&connection, Failure::refused("execution_error", error.to_string()))
        })?;
        connection.counts.tools_called.fetch_add(report.calls as u64, Ordering::Relaxed);
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            holds: report.broken.is_empty() && report.cut_short.is_none(),
            valid: report.valid,
            invalid: report.invalid,
            calls: report.calls,
            seed: report.seed,
            failures: report.failures.iter().map(|failure| json!(failure)).collect(),
            broken: json!(report.broken),
            not_seen: (!report.watched.is_empty()).then_some(effects::UNSEEN),
            watched: report.watched,
            cut_short: report.cut_short,
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}

/// The tool's definition, if it is there and may be called at will.
async fn allowed(connection: &Connection, input: &Input) -> Result<Value, Failure> {
    let (tools, _) =
        connection.list(Listed::Tools).await.map_err(|fault| failure(&fault, connection))?;
    let names: Vec<Value> = tools.iter().map(|tool| tool["name"].clone()).collect();
    let Some(tool) = tools.into_iter().find(|tool| tool["name"] == input.name.as_str()) else {
        let said = format!("the server has no tool `{}`", input.name);
        let failed = Failure::refused("tool_not_found", said)
            .hint("use a name from details.available_tools")
            .detail("available_tools", json!(names));
        return Err(on(connection, failed));
    };
    if tool["annotations"]["readOnlyHint"] == true || input.allow_side_effects {
        return Ok(tool);
    }
    let said = format!("`{}` does not say that it only reads, so it is not called", input.name);
    let failed = Failure::refused("invalid_arguments", said)
        .hint("give allow_side_effects: true if its effects do no harm");
    Err(on(connection, failed))
}
