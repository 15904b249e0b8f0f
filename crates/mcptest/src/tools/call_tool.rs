//! `call_tool`: one call, with everything that came back.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{ConnectionInfo, Timing, Watch, connected, failure, on, patience};
use crate::connection::{Connection, Connections, Listed, iso};
use crate::{Fault, Reply};

/// The call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Name of the tool to call (as returned by list_tools)
    name: String,
    /// Arguments to pass to the tool (must match tool's input schema)
    arguments: Map<String, Value>,
    /// How long the server may take, if not as long as agreed on connecting
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// The call and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    tool_call: ToolCall,
    metadata: Timing,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ToolCall {
    tool_name: String,
    arguments: Map<String, Value>,
    /// The actual result returned by the tool: all content blocks, structured content and metadata
    result: Value,
    execution: Execution,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Execution {
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    #[schemars(extend("format" = "date-time"))]
    completed_at: String,
    duration_ms: u64,
    success: bool,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct CallTool(pub(crate) Arc<Connections>);

impl Tool for CallTool {
    const NAME: &'static str = "call_tool";
    const TITLE: &'static str = "Call a tool";
    const DESCRIPTION: &'static str = "Calls a specific tool on the currently connected MCP server with \
        provided arguments. Returns verbose execution details including the result, execution time, and \
        metadata.\n\nUse this to test that tools work correctly and return expected values.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(11));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let (started, clock) = (Timestamp::now(), Instant::now());
        let params = json!({ "name": input.name, "arguments": input.arguments });
        let answer = connection.request("tools/call", params, patience(input.timeout_ms)).await;
        connection.counts.tools_called.fetch_add(1, Ordering::Relaxed);
        let reply = checked(answer, &connection, &input).await?;
        let execution = Execution {
            started_at: iso(started),
            completed_at: iso(Timestamp::now()),
            duration_ms: clock.elapsed().as_millis() as u64,
            success: true,
        };
        let Input { name: tool_name, arguments, .. } = input;
        let metadata = watch.timing(vec![reply.frame]);
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            tool_call: ToolCall { tool_name, arguments, result: reply.result, execution },
            metadata,
        }
        .into())
    }
}

/// The reply, or why it is a failure. Whether the tool exists and whether the arguments fit is asked of
/// what the server advertises, not of the words of its message.
async fn checked(
    answer: Result<Reply, Fault>,
    connection: &Connection,
    input: &Input,
) -> Result<Reply, Failure> {
    let (code, said, reply) = match answer {
        Ok(reply) if reply.result.get("isError") != Some(&Value::Bool(true)) => return Ok(reply),
        Ok(reply) => (None, text_of(&reply.result), Some(reply)),
        Err(fault @ Fault::Rpc { code, .. }) => (Some(code), fault.to_string(), None),
        Err(fault) => return Err(failure(&fault, connection)),
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
    errors.map(|error| format!("{} {error}", error.instance_path())).take(20).collect()
}

fn text_of(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    match texts.join("\n") {
        text if text.is_empty() => "the tool returned an error without a text".to_owned(),
        text => text,
    }
}
