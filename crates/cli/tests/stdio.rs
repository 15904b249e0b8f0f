//! The real server on stdio, given what a client should never send. It answers clearly and lives, and
//! stdout carries the protocol and nothing else (the session fails the test otherwise).

use std::process::Command;
use std::time::Duration;

use expect_test::{Expect, expect};
use proofstone_testkit::Session;
use serde_json::{Value, json};

fn server() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
    command.args(["serve", "--toolsets", "conformance"]);
    command
}

/// Checks that the server still does its work.
fn lives(session: &mut Session) {
    let answer = session.call("test_simple_text", json!({}));
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "This is a simple text response for testing."
    );
}

/// Sends one line and compares the answer; then the server must still serve.
fn check(line: &[u8], expected: Expect) {
    let mut session = Session::open(&mut server());
    session.send_bytes(line);
    session.send_bytes(b"\n");
    let answer = session.next(Duration::from_secs(30)).unwrap_or_default();
    expected.assert_eq(&answer.to_string());
    lives(&mut session);
}

#[test]
fn what_is_not_json_is_answered() {
    check(
        b"{nope",
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a line is not JSON: key must be a string at line 1 column 2"}}"#
        ]],
    );
    check(
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":NaN}}"#,
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a line is not JSON: expected value at line 1 column 61"}}"#
        ]],
    );
    check(
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}"#,
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a line is not JSON: number out of range at line 1 column 59"}}"#
        ]],
    );
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}",
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a line is not JSON: invalid unicode code point at line 1 column 35"}}"#
        ]],
    );
}

#[test]
fn what_is_no_message_is_answered_with_its_id() {
    check(
        br#"{"jsonrpc":"2.0","id":777}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":777,"error":{"code":-32600,"message":"a message is a request, a notification or a response; this is none"}}"#
        ]],
    );
    check(
        br#"{"id":778,"method":"ping"}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":778,"error":{"code":-32600,"message":"a message needs \"jsonrpc\": \"2.0\""}}"#
        ]],
    );
    check(
        br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"batches are not part of this protocol; send one message a line"}}"#
        ]],
    );
    check(
        b"42",
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"a message is a JSON object"}}"#
        ]],
    );
    check(
        br#"{"jsonrpc":"2.0","id":5,"method":7}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"a message is a request, a notification or a response; this is none"}}"#
        ]],
    );
}

#[test]
fn unknown_methods_and_misshapen_parameters_are_told_apart() {
    check(
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/destroy"}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"there is no method `tools/destroy`"}}"#
        ]],
    );
    check(
        br#"{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":5}}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"the parameters of `resources/read` don't have the shape that it takes"}}"#
        ]],
    );
    check(
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"no_such_tool"}}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Tool 'no_such_tool' not found; tools/list names the tools there are"}}"#
        ]],
    );
    check(br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"test_sampling","arguments":[1,2]}}"#, expect![[r#"{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"invalid input for test_sampling: the arguments must be an object"}],"isError":true,"_meta":{"proofstone/error":{"code":"INVALID_INPUT","kind":"invalid_input","retryable":false,"pointer":"","violations":[{"pointer":"","message":"the arguments must be an object","sent":[1,2],"allowed":"an object"}]}}}}"#]]);
    check(
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"arguments":{}}}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"`tools/call` takes the tool's `name` as text, and `arguments` as an object"}}"#
        ]],
    );
    check(br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":7}}}"#, expect![[r#"{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"invalid input for test_sampling: `prompt` must be a string"}],"isError":true,"_meta":{"proofstone/error":{"code":"INVALID_INPUT","kind":"invalid_input","retryable":false,"pointer":"/prompt","violations":[{"pointer":"/prompt","message":"`prompt` must be a string","sent":7,"allowed":"a string"}]}}}}"#]]);
    check(
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"zzz"}}"#,
        expect![[
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"the cursor is not one that this list gave; start again without a cursor"}}"#
        ]],
    );
}

#[test]
fn deep_nesting_is_answered() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{deep}}}}}"#);
    check(
        line.as_bytes(),
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a line is not JSON: recursion limit exceeded at line 1 column 180"}}"#
        ]],
    );
}

#[test]
fn a_line_of_17_mib_is_dropped_and_answered() {
    let long = "x".repeat(17 * 1024 * 1024);
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{long}"}}}}"#);
    check(
        line.as_bytes(),
        expect![[
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"a message may be at most 16777216 bytes long; this one was dropped"}}"#
        ]],
    );
}

#[test]
fn a_tool_that_panics_or_never_returns_is_answered() {
    let mut session = Session::open(&mut server());
    let panicked = session.call("fault_panics", json!({}));
    expect![[r#""fault_panics stopped on an internal fault: a fixture that panics""#]]
        .assert_eq(&panicked["result"]["content"][0]["text"].to_string());
    let hung = session.call("fault_never_returns", json!({}));
    expect![[r#"{"content":[{"type":"text","text":"Tool fault_never_returns exceeded 300ms"}],"isError":true,"_meta":{"proofstone/error":{"code":"EXECUTION_TIMEOUT","kind":"timed_out","retryable":true}}}"#]].assert_eq(&hung["result"].to_string());
    lives(&mut session);
}

#[test]
fn two_hundred_parallel_calls_are_all_answered() {
    let mut session = Session::open(&mut server());
    let params = json!({ "name": "test_tool_with_progress", "arguments": {} });
    let ids: Vec<u64> = (0..200).map(|_| session.ask("tools/call", params.clone())).collect();
    for id in ids {
        let answer = session.answer(&json!(id));
        assert_eq!(answer["result"]["isError"], Value::Bool(false), "{answer}");
    }
    lives(&mut session);
}

#[test]
fn a_cancelled_call_stops_working_and_is_not_answered() {
    let mut session = Session::open(&mut server());
    let id = session.ask("tools/call", json!({ "name": "fault_spins", "arguments": {} }));
    std::thread::sleep(Duration::from_millis(100));
    let params = json!({ "requestId": id, "reason": "changed my mind" });
    session
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    lives(&mut session);
    let before = cpu_ticks(session.pid());
    std::thread::sleep(Duration::from_millis(500));
    assert!(cpu_ticks(session.pid()) - before < 25, "the work goes on");
    assert!(session.aside().iter().all(|message| message["id"] != json!(id)));
}

#[test]
fn a_call_in_flight_is_answered_when_the_client_closes_or_the_system_asks_to_end() {
    for end in [Session::close_stdin as fn(&mut Session), terminate] {
        let mut session = Session::open(&mut server());
        let id = session.ask("tools/call", json!({ "name": "fault_slow", "arguments": {} }));
        std::thread::sleep(Duration::from_millis(200));
        end(&mut session);
        let answer = session.answer(&json!(id));
        assert_eq!(answer["result"]["content"][0]["text"], "slow and done");
        let (status, log) = session.end();
        assert!(status.success(), "{status} {log}");
    }
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let mut session = Session::start(&mut server());
    let (status, log) = session.end();
    assert!(status.success(), "{status} {log}");
}

#[test]
fn lists_come_in_pages_where_the_client_asks() {
    let mut session = Session::open(&mut server());
    let all = session.request("tools/list", json!({}));
    assert!(all["result"].get("nextCursor").is_none());
    let mut names = Vec::new();
    let mut cursor = None::<String>;
    loop {
        let mut params = json!({ "_meta": { "proofstone/pageSize": 7 } });
        if let Some(cursor) = &cursor {
            params["cursor"] = json!(cursor);
        }
        let page = session.request("tools/list", params);
        let tools = page["result"]["tools"].as_array().expect("a page of tools").clone();
        assert!(tools.len() <= 7);
        names.extend(tools.into_iter().map(|tool| tool["name"].clone()));
        cursor = page["result"]["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    let expected: Vec<Value> = all["result"]["tools"]
        .as_array()
        .expect("all tools")
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, expected);
}

#[test]
fn the_servers_own_resources_can_be_read_and_watched() {
    let mut session = Session::open(&mut server());
    session.request("resources/subscribe", json!({ "uri": "proofstone://metrics" }));
    lives(&mut session);
    let contract =
        session.request("resources/read", json!({ "uri": "proofstone://contracts/test_sampling" }));
    let text = contract["result"]["contents"][0]["text"].as_str().expect("a text").to_owned();
    let contract: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(contract["inputSchema"]["required"], json!(["prompt"]));
    let metrics = session.request("resources/read", json!({ "uri": "proofstone://metrics" }));
    let text = metrics["result"]["contents"][0]["text"].as_str().expect("a text").to_owned();
    let metrics: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(metrics["tools"]["test_simple_text"]["calls"], json!(1));
    let updated =
        session.aside().into_iter().find(|m| m["method"] == "notifications/resources/updated");
    assert_eq!(updated.expect("an update")["params"]["uri"], "proofstone://metrics");
}

fn terminate(session: &mut Session) {
    let pid = session.pid().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
}

/// The processor time a process has used, in hundredths of a second.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process is there");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
}
