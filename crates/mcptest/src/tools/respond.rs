//! `respond`: answers what the server asks, and goes on with the call that waits for it.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call_tool::{self, Asked, ToolCall};
use super::{ConnectionInfo, Timing, Watch, connected, failure, given, on, patience};
use crate::connection::{Connection, Connections};
use crate::pending::{self, Unanswerable};

/// The answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Which question, as `waiting` names it
    id: Value,
    /// The result to answer with: for an elicitation {"action": "accept", "content": {…}}, for sampling
    /// {"role": "assistant", "content": {…}, "model": "…"}, for roots {"roots": […]}
    result: Option<Map<String, Value>>,
    /// The error to answer with instead, with code and message
    error: Option<Map<String, Value>>,
    /// How long the server may then take, if not as long as agreed on connecting
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// How the call stands now, if one waited for the answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// The call that waited, as call_tool shows it; left out if none did
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call: Option<ToolCall>,
    /// What the server asks before it goes on
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Asked>,
    metadata: Timing,
}

impl From<call_tool::Output> for Output {
    fn from(call: call_tool::Output) -> Self {
        let call_tool::Output { success, connection, tool_call, waiting, metadata } = call;
        Self { success, connection, tool_call: Some(tool_call), waiting, metadata }
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct Respond(pub(crate) Arc<Connections>);

impl Tool for Respond {
    const NAME: &'static str = "respond";
    const TITLE: &'static str = "Answer the server";
    const DESCRIPTION: &'static str = "Answers what the connected server asks (sampling, elicitation, \
        roots) and goes on with the call that waits for it: returns the call as call_tool does, ended \
        or waiting again.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(11));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let answer = given(input.result, input.error, "/result")?;
        let patience = patience(input.timeout_ms).unwrap_or_else(|| connection.patience());
        let answered = pending::answer(&connection, &input.id, answer, patience).await;
        let answered = answered.map_err(|why| unanswerable(&why, &connection))?;
        let output = match answered {
            Some((call, turn)) => call_tool::finish(&connection, call, turn, &watch).await?.into(),
            None => Output {
                success: true,
                tool_call: None,
                connection: ConnectionInfo::from(connection.as_ref()),
                waiting: connection.pending.questions().into_iter().map(Asked::from).collect(),
                metadata: watch.timing(Vec::new()),
            },
        };
        Ok(output.into())
    }
}

fn unanswerable(why: &Unanswerable, connection: &Connection) -> Failure {
    match why {
        Unanswerable::Fault(fault) => failure(fault, connection),
        other => {
            let waiting = connection.pending.questions();
            let ids: Vec<&Value> = waiting.iter().map(|question| &question.id).collect();
            let failed = Failure::refused("invalid_arguments", other.to_string())
                .hint("name one of details.waiting")
                .detail("waiting", json!(ids));
            on(connection, failed)
        }
    }
}
