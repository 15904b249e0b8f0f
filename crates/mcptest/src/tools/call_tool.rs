//! `call_tool`: one call, with everything that came back.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    ConnectionInfo, ScriptedInput, Timing, Watch, connected, failure, on, patience, scripted,
};
use crate::connection::{Connection, Connections, Listed, iso};
use crate::pending::{self, Call, Question, Turn};
use crate::{Fault, Reply};

/// The call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Name of the tool to call (as returned by list_tools)
    name: String,
    /// Arguments to pass to the tool (must match tool's input schema)
    arguments: Map<String, Value>,
    /// Answers for what the server will ask during this call and after it; what has none is returned
    /// as waiting
    #[serde(default)]
    answers: Vec<ScriptedInput>,
    /// How long the server may take, if not as long as agreed on connecting
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// The call and its result, or what it waits for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    pub(super) success: bool,
    pub(super) connection: ConnectionInfo,
    pub(super) tool_call: ToolCall,
    /// What the server asks before it goes on: answer each with respond. There is no result yet
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) waiting: Vec<Asked>,
    pub(super) metadata: Timing,
}

/// A call and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ToolCall {
    tool_name: String,
    arguments: Map<String, Value>,
    /// The actual result returned by the tool: all content blocks, structured content and metadata
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    execution: Execution,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Execution {
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    /// Left out while the call waits
    #[schemars(extend("format" = "date-time"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<String>,
    duration_ms: u64,
    /// Whether the tool has ended without an error
    success: bool,
}

/// A question of the server's.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Asked {
    /// What respond must name
    id: Value,
    /// What is asked: sampling/createMessage, elicitation/create or roots/list
    method: String,
    /// What exactly is asked
    params: Value,
    /// The frame that carried it
    frame: u64,
}

impl From<Question> for Asked {
    fn from(Question { id, method, params, frame }: Question) -> Self {
        Self { id, method, params, frame }
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct CallTool(pub(crate) Arc<Connections>);

impl Tool for CallTool {
    const NAME: &'static str = "call_tool";
    const TITLE: &'static str = "Call a tool";
    const DESCRIPTION: &'static str = "Calls a specific tool on the currently connected MCP server with \
        provided arguments. Returns verbose execution details including the result, execution time, and \
        metadata.\n\nUse this to test that tools work correctly and return expected values. If the \
        server asks for sampling, elicitation or roots meanwhile, the answer has `waiting` instead of \
        a result: answer with respond.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(11));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        connection.client.script(scripted(&input.answers)?);
        let patience = patience(input.timeout_ms).unwrap_or_else(|| connection.patience());
        let Input { name, arguments, .. } = input;
        let call = Call::new(name, arguments);
        connection.counts.tools_called.fetch_add(1, Ordering::Relaxed);
        let turn = pending::call(&connection, call.clone(), patience).await;
        finish(&connection, call, turn, &watch).await.map(Answer::from)
    }
}

/// How a call stands, as the contract shows it.
pub(crate) async fn finish(
    connection: &Connection,
    call: Call,
    turn: Turn,
    watch: &Watch,
) -> Result<Output, Failure> {
    let (reply, waiting) = match turn {
        Turn::Ended(answer) => (Some(checked(answer, connection, &call).await?), Vec::new()),
        Turn::Waits(questions) => (None, questions),
    };
    let now = Timestamp::now();
    let execution = Execution {
        started_at: iso(call.started),
        completed_at: reply.as_ref().map(|_| iso(now)),
        duration_ms: u64::try_from(now.duration_since(call.started).as_millis()).unwrap_or(0),
        success: reply.is_some(),
    };
    let frames = reply.iter().map(|reply| reply.frame).collect();
    let Call { name: tool_name, arguments, .. } = call;
    let result = reply.map(|reply| reply.result);
    Ok(Output {
        success: true,
        connection: ConnectionInfo::from(connection),
        tool_call: ToolCall { tool_name, arguments, result, execution },
        waiting: waiting.into_iter().map(Asked::from).collect(),
        metadata: watch.timing(frames),
    })
}

/// The reply, or why it is a failure. Whether the tool exists and whether the arguments fit is asked of
/// what the server advertises, not of the words of its message.
async fn checked(
    answer: Result<Reply, Fault>,
    connection: &Connection,
    input: &Call,
) -> Result<Reply, Failure> {
    let (code, said, reply) = match answer {
        Ok(reply) if reply.result.get("isError") != Some(&Value::Bool(true)) => return Ok(reply),
        Ok(reply) => (None, text_of(&reply.result), Some(reply)),
        Err(fault @ Fault::Rpc { code, .. }) => (Some(code), fault.to_string(), None),
        Err(fault) => {
            connection.counts.faults.fetch_add(1, Ordering::Relaxed);
            return Err(failure(&fault, connection));
        }
    };
    let advertised =
        connection.list(Listed::Tools).await.map(|(tools, _)| tools).unwrap_or_default();
    let tool = advertised.iter().find(|tool| tool["name"] == input.name.as_str());
    let failed = match tool {
        None => {
            let names: Vec<&Value> = advertised.iter().map(|tool| &tool["name"]).collect();
            Failure::refused("tool_not_found", format!("the server has no tool `{}`", input.name))
                .hint("use a name from details.available_tools")
                .detail("available_tools", json!(names))
                .detail("server_message", said)
        }
        Some(tool) => match misfits(tool, &input.arguments) {
            misfits if !misfits.is_empty() => Failure::refused(
                "invalid_arguments",
                format!("the arguments don't fit the tool's schema: {}", misfits.join("; ")),
            )
            .hint("correct the arguments as the schema in list_tools says")
            .detail("schema_violations", misfits)
            .detail("server_message", said),
            _ if code == Some(-32602) => Failure::refused("invalid_arguments", said.clone()).hint(
                "the server refuses arguments that fit its own schema; correct them as it says",
            ),
            _ => Failure::refused("execution_error", said.clone()).hint(match reply {
                Some(_) => "the tool ran and failed; details.result is all that it answered",
                None => "the server refused the call; details.code is its JSON-RPC error",
            }),
        },
    };
    let failed = match reply {
        Some(reply) => failed.detail("result", reply.result).detail("frame", reply.frame),
        None => failed.detail("code", code),
    };
    Err(on(connection, failed.detail("arguments", json!(input.arguments))))
}

/// Where arguments break the schema that the server advertises; nothing if it advertises none that can
/// be used.
fn misfits(tool: &Value, arguments: &Map<String, Value>) -> Vec<String> {
    let Ok(validator) = jsonschema::validator_for(&tool["inputSchema"]) else { return Vec::new() };
    let arguments = Value::Object(arguments.clone());
    let errors = validator.iter_errors(&arguments);
    let told = |error: jsonschema::ValidationError<'_>| {
        format!("{} {error}", error.instance_path()).trim_start().to_owned()
    };
    errors.map(told).take(20).collect()
}

fn text_of(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    match texts.join("\n") {
        text if text.is_empty() => "the tool returned an error without a text".to_owned(),
        text => text,
    }
}
