//! Fixtures that ask the client: during the call in the older revisions, with the answer in
//! 2026-07-28.

use std::sync::{Arc, LazyLock};

use proofstone_contract::{Entry, Failure, Toolset};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, ClientCapabilities, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, InputRequests, InputRequiredResult, PromptMessage, RequestStateCodec, Role,
};
use serde_json::{Value, json};

use super::plain::{none, text};
use super::{Blocks, Call, asking, fixture};
use crate::handler::Wire;

pub(super) fn tools() -> Vec<Entry> {
    let message = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    vec![
        fixture("test_sampling", message("prompt"), |call| Box::pin(sampling(call))),
        fixture("test_elicitation", message("message"), |call| Box::pin(elicitation(call))),
        fixture("test_elicitation_sep1034_defaults", none(), |call| {
            Box::pin(elicit(
                call,
                "Please review the defaults",
                defaults_schema(),
                "Elicitation completed",
            ))
        }),
        fixture("test_elicitation_sep1330_enums", none(), |call| {
            Box::pin(elicit(call, "Please choose", enums_schema(), "Elicitation completed"))
        }),
        asking("test_missing_capability", missing_capability),
        asking("test_streaming_elicitation", name_asked),
        asking("test_input_required_result_elicitation", name_asked),
        asking("test_input_required_result_sampling", capital_asked),
        asking("test_input_required_result_list_roots", roots_asked),
        asking("test_input_required_result_request_state", with_state),
        asking("test_input_required_result_tampered_state", with_state),
        asking("test_input_required_result_multiple_inputs", all_asked),
        asking("test_input_required_result_multi_round", two_rounds),
        asking("test_input_required_result_capabilities", what_client_can),
    ]
}

/// Seals what travels through the client, so that a change of it is noticed.
static STATE: LazyLock<RequestStateCodec> = LazyLock::new(|| {
    let mut key = [0_u8; 32];
    let filled = getrandom::fill(&mut key);
    debug_assert!(filled.is_ok(), "the system gives random bytes");
    RequestStateCodec::try_new(key.to_vec()).expect("a key of 32 bytes is long enough")
});

#[expect(deprecated, reason = "sampling is part of the older revisions that the suite tests")]
async fn sampling(call: Call) -> Blocks {
    let prompt = call.arguments["prompt"].as_str().unwrap_or_default();
    let params = serde_json::from_value(json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
        "maxTokens": 100,
    }))
    .map_err(|error| fault(&error))?;
    let answer = call.wire()?.context.peer.create_message(params).await;
    let answer = serde_json::to_value(answer.map_err(|error| fault(&error))?).unwrap_or_default();
    text(&format!("LLM response: {}", content_text(&answer)))
}

async fn elicitation(call: Call) -> Blocks {
    let message = call.arguments["message"].as_str().unwrap_or_default().to_owned();
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    });
    elicit(call, &message, schema, "User response").await
}

async fn elicit(call: Call, message: &str, schema: Value, said: &str) -> Blocks {
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let params = serde_json::from_value(params).map_err(|error| fault(&error))?;
    let answer = call.wire()?.context.peer.create_elicitation(params).await;
    let answer = serde_json::to_value(answer.map_err(|error| fault(&error))?).unwrap_or_default();
    let action = answer["action"].as_str().unwrap_or_default();
    text(&format!("{said}: action={action}, content={}", answer["content"]))
}

fn defaults_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    })
}

fn enums_schema() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = |what: &str| {
        json!([
            { "const": "value1", "title": format!("First {what}") },
            { "const": "value2", "title": format!("Second {what}") },
            { "const": "value3", "title": format!("Third {what}") },
        ])
    };
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        },
    })
}

fn missing_capability(wire: &Wire) -> Blocks {
    if can(wire, "sampling") {
        return text("the client can sample");
    }
    let needed: ClientCapabilities =
        serde_json::from_value(json!({ "sampling": {} })).map_err(|error| fault(&error))?;
    answer_instead(wire, Err(ErrorData::missing_required_client_capability(needed)))
}

fn name_asked(wire: &Wire) -> Blocks {
    match reply(wire, "user_name").and_then(|reply| reply["content"]["name"].as_str()) {
        Some(name) => text(&format!("Hello, {name}!")),
        None => ask(
            wire,
            json!({ "user_name": question("What is your name?", "name", "string") }),
            None,
        ),
    }
}

fn capital_asked(wire: &Wire) -> Blocks {
    match reply(wire, "capital_question") {
        Some(reply) => text(&content_text(reply)),
        None => ask(
            wire,
            json!({ "capital_question": sample("What is the capital of France?", 100) }),
            None,
        ),
    }
}

fn roots_asked(wire: &Wire) -> Blocks {
    match reply(wire, "client_roots") {
        Some(reply) => text(&format!("The client's roots: {}", reply["roots"])),
        None => ask(wire, json!({ "client_roots": roots() }), None),
    }
}

fn with_state(wire: &Wire) -> Blocks {
    if wire.request_state.is_none() {
        let questions = json!({ "confirm": question("Please confirm", "ok", "boolean") });
        return ask(wire, questions, Some("asked"));
    }
    match (opened(wire), reply(wire, "confirm")) {
        (None, _) => rejected_state(wire),
        (Some(_), Some(_)) => text("state-ok"),
        (Some(_), None) => ask(
            wire,
            json!({ "confirm": question("Please confirm", "ok", "boolean") }),
            Some("asked"),
        ),
    }
}

fn all_asked(wire: &Wire) -> Blocks {
    let answered =
        ["user_name", "greeting", "client_roots"].iter().all(|key| reply(wire, key).is_some());
    match (answered, wire.request_state.is_some(), opened(wire)) {
        (_, true, None) => rejected_state(wire),
        (true, true, Some(_)) => text("All three answers arrived"),
        _ => {
            let questions = json!({
                "user_name": question("What is your name?", "name", "string"),
                "greeting": sample("Generate a greeting", 50),
                "client_roots": roots(),
            });
            ask(wire, questions, Some("asked"))
        }
    }
}

fn two_rounds(wire: &Wire) -> Blocks {
    let first = json!({ "step1": question("Step 1: What is your name?", "name", "string") });
    let second =
        json!({ "step2": question("Step 2: What is your favorite color?", "color", "string") });
    match (wire.request_state.is_some(), opened(wire).as_deref()) {
        (true, None) => rejected_state(wire),
        (true, Some("round 1")) if reply(wire, "step1").is_some() => {
            ask(wire, second, Some("round 2"))
        }
        (true, Some("round 2")) if reply(wire, "step2").is_some() => text("Both rounds are done"),
        (true, Some("round 2")) => ask(wire, second, Some("round 2")),
        _ => ask(wire, first, Some("round 1")),
    }
}

fn what_client_can(wire: &Wire) -> Blocks {
    if wire.input_responses.is_some() {
        return text("the answers arrived");
    }
    let all = [
        ("elicitation", "user_name", question("What is your name?", "name", "string")),
        ("sampling", "greeting", sample("Generate a greeting", 50)),
        ("roots", "client_roots", roots()),
    ];
    let possible = all.into_iter().filter(|(capability, ..)| can(wire, capability));
    let questions: serde_json::Map<_, _> =
        possible.map(|(_, key, question)| (key.to_owned(), question)).collect();
    if questions.is_empty() {
        return text("the client can't be asked anything");
    }
    ask(wire, Value::Object(questions), None)
}

/// The fixture prompt that needs input, if that is what is asked for.
pub(crate) fn prompt_with_input(
    toolsets: &[Arc<dyn Toolset>],
    request: &GetPromptRequestParams,
) -> Option<GetPromptResponse> {
    let served = toolsets.iter().any(|set| set.name() == "conformance");
    if !served || request.name != "test_input_required_result_prompt" {
        return None;
    }
    let context = request
        .input_responses
        .as_ref()
        .and_then(|replies| replies.get("user_context")?["content"]["context"].as_str());
    if let Some(context) = context {
        let message = PromptMessage::new_text(Role::User, format!("Use this context: {context}"));
        return Some(GetPromptResult::new(vec![message]).into());
    }
    let question = question("What context should the prompt use?", "context", "string");
    let questions: InputRequests =
        serde_json::from_value(json!({ "user_context": question })).ok()?;
    Some(InputRequiredResult::from_input_requests(questions).into())
}

fn question(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({
        "type": "object", "properties": { field: { "type": kind } }, "required": [field],
    });
    json!({
        "method": "elicitation/create",
        "params": { "mode": "form", "message": message, "requestedSchema": schema },
    })
}

fn sample(prompt: &str, tokens: u32) -> Value {
    let messages = json!([{ "role": "user", "content": { "type": "text", "text": prompt } }]);
    json!({ "method": "sampling/createMessage", "params": { "messages": messages, "maxTokens": tokens } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

fn reply<'a>(wire: &'a Wire, key: &str) -> Option<&'a Value> {
    wire.input_responses.as_ref()?.get(key).filter(|reply| reply.is_object())
}

fn opened(wire: &Wire) -> Option<String> {
    let bytes = STATE.open(wire.request_state.as_deref()?).ok()?;
    String::from_utf8(bytes).ok()
}

fn rejected_state(wire: &Wire) -> Blocks {
    let said = "the request state was changed on its way";
    answer_instead(wire, Err(ErrorData::invalid_params(said, None)))
}

fn can(wire: &Wire, capability: &str) -> bool {
    let capabilities = wire.context.client_capabilities();
    let capabilities = serde_json::to_value(capabilities).unwrap_or_default();
    capabilities.get(capability).is_some_and(|value| !value.is_null())
}

fn ask(wire: &Wire, questions: Value, state: Option<&str>) -> Blocks {
    let questions = serde_json::from_value(questions).map_err(|error| fault(&error))?;
    let state = state.map(|state| STATE.seal(state.as_bytes()));
    answer_instead(wire, Ok(InputRequiredResult::new(Some(questions), state).into()))
}

fn answer_instead(wire: &Wire, answer: Result<CallToolResponse, ErrorData>) -> Blocks {
    *wire.instead.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(answer);
    text("another answer is sent")
}

fn content_text(message: &Value) -> String {
    let content = &message["content"];
    let block = content.get(0).unwrap_or(content);
    block["text"].as_str().unwrap_or_default().to_owned()
}

fn fault(error: &dyn std::fmt::Display) -> Failure {
    Failure::refused("CLIENT", error.to_string())
}
