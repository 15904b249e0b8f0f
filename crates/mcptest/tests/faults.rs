//! A misbehaving server, one fault at a time: each must be diagnosed for what it is, and none may hang
//! or harm the tester. The server is `misbehaving.py`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use expect_test::{Expect, expect};
use proofstone_contract::CallCx;
use proofstone_gate::{Gate, OutputPolicy};
use proofstone_mcptest::McpTest;
use serde_json::{Value, json};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/misbehaving.py");

/// The toolset behind its gate, in one runtime: connections outlive a call.
struct Tester(tokio::runtime::Runtime, Gate, CallCx);

impl Tester {
    fn new() -> Self {
        let gate = Gate::new(vec![Arc::new(McpTest::default())], OutputPolicy::Fail);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let cx = CallCx::builder(Path::new(env!("CARGO_MANIFEST_DIR"))).session("test").build();
        Self(runtime.expect("a runtime"), gate.expect("a gate"), cx)
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let outcome = self.0.block_on(self.1.call(tool, arguments, &self.2));
        let outcome = outcome.unwrap_or_else(|unknown| panic!("{unknown}"));
        outcome.rendered.structured.expect("every answer is structured")
    }

    fn connect(&self, mut target: Value) -> Value {
        target["protocol"] = json!("2025-11-25");
        target["timeout_ms"] = json!(20_000);
        self.call("connect_to_server", target)
    }
}

/// What an answer says: the error with its facts, or the result; and what was odd beside it.
fn told(answer: &Value) -> String {
    let mut lines = Vec::new();
    if let Some(error) = answer.get("error") {
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        lines.push(format!("{}: {}", text("type"), text("message")));
        for (name, value) in error["details"].as_object().expect("details") {
            // Which frame it is depends on what else crosses an HTTP connection.
            let odd = value.as_array().filter(|_| name == "anomalies");
            let kinds = odd.map(|odd| odd.iter().map(|odd| odd["kind"].clone()).collect());
            lines.push(format!("  {name}: {}", kinds.as_ref().unwrap_or(value)));
        }
        lines.push(format!("  -> {}", text("suggestion")));
    } else {
        let all = [&answer["tool_call"]["result"], &answer["tools"], &answer["message"]];
        let shown = all.into_iter().find(|value| !value.is_null());
        lines.extend(shown.map(Value::to_string));
    }
    let odd = answer["metadata"]["anomalies"].as_array();
    for odd in odd.into_iter().flatten().take(3) {
        let text = |key: &str| odd[key].as_str().unwrap_or_default().to_owned();
        lines.push(format!("odd: {}: {}", text("kind"), text("message")));
    }
    let said = lines.join("\n").replace(SERVER, "misbehaving.py");
    said + "\n"
}

fn go() -> Value {
    json!({ "name": "go", "arguments": {}, "timeout_ms": 1500 })
}

fn stdio(mode: &str) -> Value {
    json!({ "command": "python3", "args": [SERVER, "stdio", mode] })
}

/// The first question is given up on before the server has read it; its answer to that one counts in the end.
#[test]
fn a_server_that_starts_slowly_is_not_taken_for_an_old_one() {
    let tester = Tester::new();
    let mut target = stdio("slow-and-modern");
    target["timeout_ms"] = json!(3_000);
    let opened = tester.call("connect_to_server", target);
    assert_eq!(opened["success"], true, "{opened:#}");
    assert_eq!(opened["connection"]["protocol_version"], "2026-07-28", "{opened:#}");
}

/// What a call says over stdio.
fn check(mode: &str, expected: Expect) {
    let tester = Tester::new();
    let opened = tester.connect(stdio(mode));
    assert_eq!(opened["success"], true, "{opened:#}");
    // The first answer must not depend on how long Python takes for something giant.
    let mut call = go();
    if matches!(mode, "giant-line" | "flood" | "ping-flood") {
        call["timeout_ms"] = json!(60_000);
    }
    expected.assert_eq(&told(&tester.call("call_tool", call)));
    let closed = tester.call("disconnect", json!({}));
    assert_eq!(closed["success"], true, "{closed:#}");
}

/// What the list says over stdio.
fn check_list(mode: &str, expected: Expect) {
    let tester = Tester::new();
    let opened = tester.connect(stdio(mode));
    assert_eq!(opened["success"], true, "{opened:#}");
    expected.assert_eq(&told(&tester.call("list_tools", json!({}))));
    tester.call("disconnect", json!({}));
}

/// What connecting says over stdio.
fn check_connect(mode: &str, expected: Expect) {
    let tester = Tester::new();
    let opened = tester.connect(stdio(mode));
    expected.assert_eq(&told(&opened));
    tester.call("disconnect", json!({}));
}

struct Served(Child, String);

impl Served {
    fn start(mode: &str) -> Self {
        let mut command = Command::new("python3");
        let mut child = command
            .args([SERVER, "http", mode])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 runs");
        let mut port = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut port).expect("it says its port");
        Self(child, format!("http://127.0.0.1:{}/mcp", port.trim()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a call, or for the modes that always misbehave connecting, says over HTTP.
fn check_http(mode: &str, expected: Expect) {
    let served = Served::start(mode);
    let tester = Tester::new();
    let opened = tester.connect(json!({ "url": served.1 }));
    let answer = match mode.starts_with("always-") {
        true => opened,
        false => {
            assert_eq!(opened["success"], true, "{opened:#}");
            tester.call("call_tool", go())
        }
    };
    expected.assert_eq(&told(&answer).replace(&served.1, "URL"));
    tester.call("disconnect", json!({}));
}

#[test]
fn what_is_no_message_is_said_and_passed_over() {
    check(
        "noise",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: noise: something that is not JSON, where only messages belong
    "#]],
    );
    check(
        "bytes",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: noise: something that is not JSON, where only messages belong
    "#]],
    );
    check(
        "scalars",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: no_message: JSON that is no message
        odd: no_message: JSON that is no message
        odd: no_message: JSON that is no message
    "#]],
    );
    check(
        "banner",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
    "#]],
    );
    check(
        "answers-again",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: stray_answer: an answer with the id 1, whose request was answered or given up
    "#]],
    );
}

#[test]
fn an_answer_must_carry_the_requests_id() {
    check(
        "id-as-text",
        expect![[r#"
            transport_error: the answer to the request with the id 2 carries the id "2"
              expected_id: 2
              got_id: "2"
              anomalies: ["stray_answer"]
              -> the server must answer with the request's id, of the same type
        "#]],
    );
    check(
        "id-null",
        expect![[r#"
            transport_error: the answer to the request with the id 2 carries the id null
              expected_id: 2
              got_id: null
              anomalies: ["stray_answer"]
              -> the server must answer with the request's id, of the same type
        "#]],
    );
    check(
        "wrong-id",
        expect![[r#"
            transport_error: the answer to the request with the id 2 carries the id 1002
              expected_id: 2
              got_id: 1002
              anomalies: ["stray_answer"]
              -> the server must answer with the request's id, of the same type
        "#]],
    );
    check(
        "error-without-id",
        expect![[r#"
            timeout: no answer to `tools/call` within 1500 ms
              timeout_ms: 1500
              anomalies: ["error_without_id"]
              -> give a larger timeout_ms, or look at get_frames for what arrived
        "#]],
    );
}

#[test]
fn an_answer_must_be_a_response() {
    check(
        "no-jsonrpc",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: jsonrpc: a message without "jsonrpc": "2.0"
    "#]],
    );
    check(
        "old-jsonrpc",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: jsonrpc: a message without "jsonrpc": "2.0"
    "#]],
    );
    check(
        "result-and-error",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: it has both a result and an error
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
    check(
        "neither",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: it has neither a result nor an error
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
    check(
        "error-as-text",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: its error has no code and message as JSON-RPC wants them: "boom"
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
    check(
        "result-as-number",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: its result is not an object: 7
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
    check(
        "batch",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: batch: a batch of messages, which the protocol does not have
    "#]],
    );
}

#[test]
fn a_server_that_does_not_answer() {
    check(
        "silence",
        expect![[r#"
        timeout: no answer to `tools/call` within 1500 ms
          timeout_ms: 1500
          -> give a larger timeout_ms, or look at get_frames for what arrived
    "#]],
    );
    check(
        "progress-for-ever",
        expect![[r#"
        timeout: no answer to `tools/call` within 1500 ms
          timeout_ms: 1500
          -> give a larger timeout_ms, or look at get_frames for what arrived
    "#]],
    );
}

#[test]
fn a_server_that_ends() {
    check(
        "dies",
        expect![[r#"
        transport_error: the server has ended (exit code 3; its stderr ends with:
        Traceback: the database is gone)
          stderr: "Traceback: the database is gone"
          exit_code: 3
          -> look at details.stderr; after a fix, connect again
    "#]],
    );
    check(
        "killed",
        expect![[r#"
        transport_error: the server has ended (signal 9, nothing on stderr)
          stderr: ""
          signal: 9
          -> look at details.stderr; after a fix, connect again
    "#]],
    );
    check(
        "half-a-line",
        expect![[r#"
            transport_error: the server has ended (exit code 1; its stderr ends with:
            Traceback: the database is gone)
              stderr: "Traceback: the database is gone"
              exit_code: 1
              anomalies: ["noise"]
              -> look at details.stderr; after a fix, connect again
        "#]],
    );
    check(
        "closes-stdout",
        expect![[r#"
        transport_error: the server closed its stdout without ending
          -> the server must keep its stdout open; connect again
    "#]],
    );
}

#[test]
fn a_server_that_says_too_much() {
    check(
        "giant-line",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: noise: a line of more than 64 MiB, which is not read as a message
    "#]],
    );
    check(
        "flood",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
    "#]],
    );
    check(
        "ping-flood",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
    "#]],
    );
}

#[test]
fn lists_that_are_none() {
    check_list(
        "malformed-entries",
        expect![[r#"
        [{"name":"go","input_schema":{"type":"object"}},{"name":"bare"},{"name":"text","input_schema":"any"},{"malformed":"not a tool"},{"malformed":null}]
    "#]],
    );
    check_list(
        "stuck-cursor",
        expect![[r#"
        transport_error: the list `tools/list` gives the cursor again twice, so it would never end
          -> the server must give a new nextCursor with every page, or none
    "#]],
    );
    check_list(
        "endless-cursor",
        expect![[r#"
        transport_error: the list `tools/list` has no end: 1000 pages, and a cursor for more
          -> the server must leave nextCursor out on the last page
    "#]],
    );
    check_list(
        "list-of-another-kind",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: the result has no list `tools`
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
}

#[test]
fn a_server_that_only_talks_is_quoted() {
    let tester = Tester::new();
    let script = "echo Listening on port 3000; echo no key is set >&2; cat >/dev/null";
    let target = json!({ "command": "sh", "args": ["-c", script], "timeout_ms": 1000 });
    let answer = tester.call("connect_to_server", target);
    let details = &answer["error"]["details"];
    assert_eq!(answer["error"]["type"], "connection_failed");
    assert_eq!(details["timeout_ms"], 1000);
    assert_eq!(details["stderr"], "no key is set");
    let noise = details["anomalies"][0]["message"].as_str().unwrap_or_default();
    assert!(noise.contains("Listening on port 3000"), "{answer:#}");
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("Listening") && message.contains("no key is set"), "{message}");
}

#[test]
fn a_session_that_does_not_open() {
    check_connect(
        "unknown-revision",
        expect![[r#"
        connection_failed: no common protocol revision: the server answered with the revision `1999-12-31`
          -> give `protocol` with a revision that the server supports
    "#]],
    );
    check_connect(
        "refuses",
        expect![[r#"
        connection_failed: the server answered with the error -32600: not today
          code: -32600
          server_message: "not today"
          -> correct the request as the server's message says
    "#]],
    );
    check_connect(
        "dies-at-once",
        expect![[r#"
        connection_failed: the server has ended (exit code 4; its stderr ends with:
        Traceback: the database is gone)
          stderr: "Traceback: the database is gone"
          exit_code: 4
          -> look at details.stderr; after a fix, connect again
    "#]],
    );
    check_connect(
        "slow-start",
        expect![[r#"
        "Connected to python3 misbehaving.py stdio slow-start"
    "#]],
    );
    check_connect(
        "stays",
        expect![[r#"
        "Connected to python3 misbehaving.py stdio stays"
    "#]],
    );
}

#[test]
fn http_answers_that_are_none() {
    check_http(
        "html",
        expect![[r#"
        transport_error: the server answered with the content type `text/html`, which is neither JSON nor an event stream
          -> an MCP endpoint answers with JSON or an event stream; check the path
    "#]],
    );
    check_http(
        "login",
        expect![[r#"
        transport_error: the server answered HTTP 401: who are you?
          status: 401
          body: "who are you?"
          www_authenticate: "Bearer resource_metadata=\"http://x/meta\""
          -> give `auth` on connecting (its type authorization_code finds the way in by itself), or `headers`
    "#]],
    );
    check_http(
        "forbidden",
        expect![[r#"
            transport_error: the server answered HTTP 403: {"error": "wrong origin"}
              status: 403
              body: "{\"error\": \"wrong origin\"}"
              -> give `auth` on connecting (its type authorization_code finds the way in by itself), or `headers`
        "#]],
    );
    check_http(
        "not-found",
        expect![[r#"
        transport_error: the server answered HTTP 404: 404 page not found
          status: 404
          body: "404 page not found"
          -> check the path of the address (often /mcp or /sse)
    "#]],
    );
    check_http(
        "crash",
        expect![[r#"
        transport_error: the server answered HTTP 500: Internal Server Error
          status: 500
          body: "Internal Server Error"
          -> look at the server's log; details.body is what it answered
    "#]],
    );
    check_http(
        "redirect",
        expect![[r#"
        transport_error: the server answered HTTP 307, a redirect to http://127.0.0.1:1/elsewhere
          status: 307
          body: ""
          location: "http://127.0.0.1:1/elsewhere"
          -> redirects are not followed: connect to details.location if you trust it
    "#]],
    );
    check_http(
        "broken-json",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: the body is not JSON: {"jsonrpc": "2.0", "id": 2, "r
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
    check_http(
        "empty",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: HTTP 200 without a body
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
    check_http(
        "accepted",
        expect![[r#"
        transport_error: the answer is not a JSON-RPC response: HTTP 202 without a body
          -> look at the frame with get_frames: the server breaks JSON-RPC there
    "#]],
    );
    check_http(
        "cut",
        expect![[r#"
        transport_error: the connection broke: end of file before message length reached
          -> look at the server's log; then connect again
    "#]],
    );
    check_http(
        "rpc-error-in-400",
        expect![[r#"
            execution_error: the server answered with the error -32000: no session
              code: -32000
              arguments: {}
              -> the server refused the call; details.code is its JSON-RPC error
        "#]],
    );
}

#[test]
fn http_streams() {
    check_http(
        "stream-ends",
        expect![[r#"
        transport_error: the answer's stream ended before the answer came
          -> look at the server's log; then connect again
    "#]],
    );
    check_http(
        "stream-cut",
        expect![[r#"
        transport_error: the answer's stream ended before the answer came
          -> look at the server's log; then connect again
    "#]],
    );
    check_http(
        "stream-noise",
        expect![[r#"
        {"content":[{"type":"text","text":"done"}]}
        odd: noise: something that is not JSON, where only messages belong
    "#]],
    );
    check_http(
        "stream-hangs",
        expect![[r#"
        timeout: no answer to `tools/call` within 1500 ms
          timeout_ms: 1500
          -> give a larger timeout_ms, or look at get_frames for what arrived
    "#]],
    );
    check_http(
        "wrong-id",
        expect![[r#"
            transport_error: the answer to the request with the id 2 carries the id 4711
              expected_id: 2
              got_id: 4711
              anomalies: ["stray_answer"]
              -> the server must answer with the request's id, of the same type
        "#]],
    );
    check_http(
        "hangs",
        expect![[r#"
        timeout: no answer to `tools/call` within 1500 ms
          timeout_ms: 1500
          -> give a larger timeout_ms, or look at get_frames for what arrived
    "#]],
    );
}

#[test]
fn http_addresses_that_are_no_server() {
    check_http(
        "always-html",
        expect![[r#"
        connection_failed: the server answered with the content type `text/html`, which is neither JSON nor an event stream
          -> an MCP endpoint answers with JSON or an event stream; check the path
    "#]],
    );
    check_http(
        "always-login",
        expect![[r#"
            connection_failed: the server answered HTTP 401: who are you?
              status: 401
              body: "who are you?"
              www_authenticate: "Bearer resource_metadata=\"http://x/meta\""
              -> give `auth` on connecting (its type authorization_code finds the way in by itself), or `headers`
        "#]],
    );
    check_http(
        "always-not-found",
        expect![[r#"
        connection_failed: the server answered HTTP 404: 404 page not found
          status: 404
          body: "404 page not found"
          -> check the path of the address (often /mcp or /sse)
    "#]],
    );
    check_http(
        "always-crash",
        expect![[r#"
        connection_failed: the server answered HTTP 500: Internal Server Error
          status: 500
          body: "Internal Server Error"
          -> look at the server's log; details.body is what it answered
    "#]],
    );
    check_http(
        "always-redirect",
        expect![[r#"
        connection_failed: the server answered HTTP 307, a redirect to http://127.0.0.1:1/elsewhere
          status: 307
          body: ""
          location: "http://127.0.0.1:1/elsewhere"
          -> redirects are not followed: connect to details.location if you trust it
    "#]],
    );
}

#[test]
fn a_stubborn_grandchild_does_not_outlive_the_connection() {
    let tester = Tester::new();
    let marker = format!("{}", std::process::id());
    let target = json!({ "command": "python3", "args": [SERVER, "stdio", "grandchild", marker] });
    let opened = tester.connect(target);
    assert_eq!(opened["success"], true, "{opened:#}");
    let running = || {
        let mut command = Command::new("pgrep");
        let found = command.args(["-f", &format!("stubborn-{marker}")]).output();
        found.expect("pgrep runs").status.success()
    };
    assert!(running());
    tester.call("disconnect", json!({}));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(!running(), "a grandchild is left");
}
