//! The client that the official conformance suite drives: it connects, lists, and calls what it finds,
//! through the same raw client that tests servers.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use proofstone_mcptest::connection::{Connection, Listed};
use proofstone_mcptest::oauth::{Access, Login};
use proofstone_mcptest::pending::{self, Call, Question, Turn};
use proofstone_mcptest::{HttpTarget, Opening, Target, mirrored, sample_arguments};
use serde_json::{Map, Value, json};

/// The address of a document about a client that the suite knows.
const CLIENT_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Run as the client of the conformance suite.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The suite's server
    url: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(converse(&args.url))?;
    Ok(ExitCode::SUCCESS)
}

async fn converse(url: &str) -> anyhow::Result<()> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let access = Some(Access::new(login(&context)));
    let target = HttpTarget { url: url.to_owned(), access, ..HttpTarget::default() };
    let opening = Opening {
        revision: std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").ok(),
        capabilities: json!({ "elicitation": { "applyDefaults": true }, "sampling": {}, "roots": {} }),
        patience: PATIENCE,
        ..Opening::default()
    };
    let connection = Connection::open("conformance", Target::Http(target), opening).await?;
    let connection = Arc::new(connection);
    let claims = connection.client.era().opening["capabilities"].clone();
    for (capability, what) in [("resources", Listed::Resources), ("prompts", Listed::Prompts)] {
        if claims.get(capability).is_some() {
            drop(connection.list(what).await);
        }
    }
    let (tools, _) = connection.list(Listed::Tools).await?;
    for (tool, arguments) in calls(&tools, &context) {
        let mut turn = pending::call(&connection, Call::new(tool, arguments), PATIENCE).await;
        while let Turn::Waits(questions) = turn {
            let Some(question) = questions.first() else { break };
            let answer = Ok(answer_to(question));
            let gone_on = pending::answer(&connection, &question.id, answer, PATIENCE).await;
            let Ok(Some((_, next))) = gone_on else { break };
            turn = next;
        }
    }
    connection.client.close().await;
    Ok(())
}

/// The calls that the suite asks for, or one of each tool whose definition can be used.
fn calls(tools: &[Value], context: &Value) -> Vec<(String, Map<String, Value>)> {
    let named = |call: &Value, arguments: Value| {
        let name = call["name"].as_str().unwrap_or_default().to_owned();
        (name, arguments.as_object().cloned().unwrap_or_default())
    };
    if let Some(wanted) = context["toolCalls"].as_array() {
        return wanted.iter().map(|call| named(call, call["arguments"].clone())).collect();
    }
    let usable = tools.iter().filter(|tool| mirrored(tool).is_ok());
    usable.map(|tool| named(tool, arguments(tool, tools))).collect()
}

/// Arguments that fit a tool. One tool of the suite wants the schema of the other one back, to see
/// whether anything of it was lost.
fn arguments(tool: &Value, tools: &[Value]) -> Value {
    match (tool["name"].as_str(), tools) {
        (Some("json_schema_echo"), [other, ..]) => json!({ "schema": other["inputSchema"] }),
        _ => sample_arguments(&tool["inputSchema"]),
    }
}

/// Who we are for the suite: the client that it registered, or one named by the address that it expects.
fn login(context: &Value) -> Login {
    let given = |field: &str| context[field].as_str().map(str::to_owned);
    Login {
        client_id: given("client_id"),
        client_secret: given("client_secret"),
        client_metadata_url: Some(CLIENT_DOCUMENT.to_owned()),
        ..Login::default()
    }
}

/// What a person who accepts everything would answer: every default, and what is required.
fn answer_to(question: &Question) -> Value {
    match question.method.as_str() {
        "elicitation/create" => {
            let schema = &question.params["requestedSchema"];
            let mut content = sample_arguments(schema).as_object().cloned().unwrap_or_default();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(default) = property.get("default") {
                    content.insert(name.clone(), default.clone());
                }
            }
            json!({ "action": "accept", "content": content })
        }
        "roots/list" => json!({ "roots": [] }),
        _ => {
            let content = json!({ "type": "text", "text": "hello" });
            json!({ "role": "assistant", "model": "none", "content": content })
        }
    }
}
