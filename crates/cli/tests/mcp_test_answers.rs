//! A server that asks during a call: the call comes back with what it asks, and goes on with `respond`.
//! Tried on the official reference server (sessions) and on our own conformance toolset (no sessions).

use std::path::PathBuf;
use std::process::Command;

use proofstone_testkit::Session;
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_proofstone");

fn everything() -> Value {
    let folder = std::env::var_os("PROOFSTONE_TOOLS").map(PathBuf::from);
    let folder =
        folder.expect("PROOFSTONE_TOOLS is not set: run ./ci/test, which installs what tests need");
    let path = "mcp-servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    json!({ "command": "node", "args": [folder.join(path), "stdio"] })
}

fn session() -> Session {
    let mut command = Command::new(PROGRAM);
    Session::open(command.args(["serve", "--toolsets", "mcp-test"]))
}

fn call(session: &mut Session, tool: &str, arguments: Value) -> Value {
    session.call(tool, arguments)["result"]["structuredContent"].clone()
}

fn connect(session: &mut Session, mut target: Value, more: Value) {
    target["capabilities"] = json!({ "sampling": {}, "elicitation": {}, "roots": {} });
    for (key, value) in more.as_object().expect("an object") {
        target[key] = value.clone();
    }
    let opened = call(session, "connect_to_server", target);
    assert_eq!(opened["success"], true, "{opened:#}");
}

fn sampled() -> Value {
    json!({ "role": "assistant", "model": "none", "content": { "type": "text", "text": "a pear" } })
}

#[test]
fn a_question_of_a_session_is_returned_and_answered() {
    let mut session = session();
    connect(&mut session, everything(), json!({ "answers": [roots()] }));
    let sampling =
        json!({ "name": "trigger-sampling-request", "arguments": { "prompt": "a fruit?" } });
    let asked = call(&mut session, "call_tool", sampling.clone());
    assert_eq!(asked["success"], true, "{asked:#}");
    assert_eq!(asked["waiting"][0]["method"], "sampling/createMessage", "{asked:#}");
    assert!(asked["waiting"][0]["params"].to_string().contains("a fruit?"), "{asked:#}");
    assert!(asked["tool_call"].get("result").is_none());
    assert_eq!(asked["tool_call"]["execution"]["success"], false);

    let unknown = call(&mut session, "respond", json!({ "id": "nothing", "result": {} }));
    assert_eq!(unknown["error"]["type"], "invalid_arguments", "{unknown:#}");
    let neither = call(&mut session, "respond", json!({ "id": asked["waiting"][0]["id"] }));
    assert_eq!(neither["error"]["type"], "invalid_arguments", "{neither:#}");

    let id = asked["waiting"][0]["id"].clone();
    let ended = call(&mut session, "respond", json!({ "id": id, "result": sampled() }));
    assert_eq!(ended["tool_call"]["execution"]["success"], true, "{ended:#}");
    assert!(ended["tool_call"]["result"].to_string().contains("a pear"), "{ended:#}");

    let asked = call(&mut session, "call_tool", sampling.clone());
    let error = json!({ "code": -1, "message": "the person said no" });
    let id = asked["waiting"][0]["id"].clone();
    let refused = call(&mut session, "respond", json!({ "id": id, "error": error }));
    assert!(refused.to_string().contains("the person said no"), "{refused:#}");

    let mut scripted = sampling;
    scripted["answers"] = json!([{ "method": "sampling/createMessage", "result": sampled() }]);
    let ended = call(&mut session, "call_tool", scripted);
    assert!(ended["tool_call"]["result"].to_string().contains("a pear"), "{ended:#}");

    let roots =
        call(&mut session, "call_tool", json!({ "name": "get-roots-list", "arguments": {} }));
    assert!(roots["tool_call"]["result"].to_string().contains("file:///somewhere"), "{roots:#}");
}

fn roots() -> Value {
    let roots = json!({ "roots": [{ "uri": "file:///somewhere", "name": "here" }] });
    json!({ "method": "roots/list", "result": roots, "always": true })
}

#[test]
fn a_result_that_asks_is_returned_and_the_call_sent_again() {
    let mut session = session();
    let target = json!({ "command": PROGRAM, "args": ["serve", "--toolsets", "conformance"] });
    connect(&mut session, target, json!({ "protocol": "2026-07-28" }));
    let elicited = json!({ "action": "accept", "content": { "name": "Ada" } });
    for tool in
        ["test_input_required_result_elicitation", "test_input_required_result_request_state"]
    {
        let asked = call(&mut session, "call_tool", json!({ "name": tool, "arguments": {} }));
        let question = &asked["waiting"][0];
        assert_eq!(question["method"], "elicitation/create", "{asked:#}");
        let content = match tool.ends_with("state") {
            true => json!({ "action": "accept", "content": { "ok": true } }),
            false => elicited.clone(),
        };
        let refused = json!({ "id": question["id"], "error": { "code": -1, "message": "no" } });
        let refused = call(&mut session, "respond", refused);
        assert_eq!(refused["error"]["type"], "invalid_arguments", "{refused:#}");
        let ended =
            call(&mut session, "respond", json!({ "id": question["id"], "result": content }));
        assert_eq!(ended["tool_call"]["execution"]["success"], true, "{ended:#}");
        assert_eq!(ended["tool_call"]["result"]["resultType"], "complete", "{ended:#}");
    }
    let scripted = json!({
        "name": "test_input_required_result_sampling", "arguments": {},
        "answers": [{ "method": "sampling/createMessage", "result": sampled() }],
    });
    let ended = call(&mut session, "call_tool", scripted);
    assert_eq!(ended["tool_call"]["execution"]["success"], true, "{ended:#}");
}
