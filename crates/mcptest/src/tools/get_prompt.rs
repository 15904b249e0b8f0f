//! `get_prompt`: a prompt, filled in by the server.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{ConnectionInfo, Timing, Watch, connected, described, failure, on};
use crate::Fault;
use crate::connection::{Connection, Connections, Listed};

/// The prompt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Name of the prompt to retrieve (as returned by list_prompts)
    name: String,
    /// Arguments for the prompt (must match prompt's argument schema)
    #[serde(default)]
    arguments: Map<String, Value>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// The filled-in prompt.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    prompt: Prompt,
    metadata: Timing,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Prompt {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The messages, as the server sent them
    #[schemars(extend("items" = { "type": "object" }))]
    messages: Vec<Value>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetPrompt(pub(crate) Arc<Connections>);

impl Tool for GetPrompt {
    const NAME: &'static str = "get_prompt";
    const TITLE: &'static str = "Get a prompt";
    const DESCRIPTION: &'static str = "Gets a specific prompt from the currently connected MCP server. \
        Provide the prompt name and any required arguments.";
    const EFFECT: Effect = Effect::READS.in_open_world();
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let params = json!({ "name": input.name, "arguments": input.arguments });
        let reply = match connection.request("prompts/get", params, None).await {
            Ok(reply) => reply,
            Err(fault) => return Err(refusal(&fault, &connection, &input.name).await),
        };
        connection.counts.prompts_retrieved.fetch_add(1, Ordering::Relaxed);
        let prompt = Prompt {
            name: input.name,
            description: reply.result["description"].as_str().map(str::to_owned),
            messages: reply.result["messages"].as_array().cloned().unwrap_or_default(),
        };
        let metadata = watch.timing(vec![reply.frame]);
        let connection = ConnectionInfo::from(connection.as_ref());
        Ok(Output { success: true, connection, prompt, metadata }.into())
    }
}

/// A prompt that the server does not list is not there; one that it lists refuses its arguments.
async fn refusal(fault: &Fault, connection: &Connection, name: &str) -> Failure {
    let Fault::Rpc { code, .. } = fault else { return failure(fault, connection) };
    let known = connection.lists(Listed::Prompts, name).await;
    let (kind, hint) = match (known, code) {
        (false, _) => ("prompt_not_found", "use a name from list_prompts"),
        (true, -32602) => ("invalid_arguments", "give the arguments that list_prompts shows"),
        (true, _) => ("execution_error", "the server failed to make the prompt; look at its log"),
    };
    on(connection, described(fault, kind).hint(hint))
}
