//! A client that can show questions is asked for what a call needs, in both eras of the protocol.

use std::process::Command;
use std::time::Duration;

use proofstone_testkit::Session;
use serde_json::{Value, json};

fn server() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
    command.args(["serve", "--toolsets", "patterns"]);
    command
}

#[test]
fn in_a_session_the_question_comes_during_the_call() {
    let mut session = Session::start(&mut server());
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "test", "version": "1" },
    });
    session.request("initialize", params);
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let id = session.ask("tools/call", json!({ "name": "search_patterns", "arguments": {} }));
    let question = session.next(Duration::from_secs(30)).expect("a question");
    assert_eq!(question["method"], "elicitation/create", "{question:#}");
    let reply = json!({ "action": "accept", "content": { "q": "retry with backoff" } });
    session.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
    let answer = session.answer(&json!(id));
    assert_eq!(
        answer["result"]["structuredContent"]["kind"], "patternSearchResults:v1",
        "{answer:#}"
    );
}

#[test]
fn a_client_that_can_not_ask_gets_the_plain_answer() {
    let mut session = Session::open(&mut server());
    let answer = session.call("search_patterns", json!({}));
    assert_eq!(answer["result"]["structuredContent"]["kind"], "needsInput:v1", "{answer:#}");
}

#[test]
fn without_sessions_the_question_comes_with_the_answer_and_the_call_again() {
    let mut session = Session::start(&mut server());
    let call = |replies: Option<Value>| {
        let mut params = json!({
            "name": "search_patterns",
            "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            },
        });
        if let Some(replies) = replies {
            params["inputResponses"] = replies;
        }
        params
    };
    let asked = session.request("tools/call", call(None));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked:#}");
    assert_eq!(asked["result"]["inputRequests"]["q"]["method"], "elicitation/create");
    let replies = json!({ "q": { "action": "accept", "content": { "q": "retry with backoff" } } });
    let answer = session.request("tools/call", call(Some(replies)));
    assert_eq!(
        answer["result"]["structuredContent"]["kind"], "patternSearchResults:v1",
        "{answer:#}"
    );
}
