//! The mcp-test tools through the real server, on the official reference server over every transport
//! that it offers. `./ci/test` installs it.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use proofstone_testkit::Session;
use serde_json::{Value, json};

fn tools() -> PathBuf {
    let folder = std::env::var_os("PROOFSTONE_TOOLS").map(PathBuf::from);
    folder.expect("PROOFSTONE_TOOLS is not set: run ./ci/test, which installs what tests need")
}

fn everything() -> String {
    let path = "mcp-servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    tools().join(path).display().to_string()
}

fn session() -> Session {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
    Session::open(command.args(["serve", "--toolsets", "mcp-test"]))
}

fn call(session: &mut Session, tool: &str, arguments: Value) -> Value {
    let answer = session.call(tool, arguments);
    answer["result"]["structuredContent"].clone()
}

/// The reference server on a port of its own.
struct Served(Child, u16);

impl Served {
    fn start(transport: &str) -> Self {
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
        let child = Command::new("node")
            .args([&everything(), transport])
            .env("PORT", port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("node runs");
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Self(child, port)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn all_nine_tools_over_stdio() {
    let mut session = session();
    let target = json!({ "command": "node", "args": [everything(), "stdio"] });
    nine_tools(&mut session, target, "stdio");
}

#[test]
fn all_nine_tools_over_streamable_http() {
    let served = Served::start("streamableHttp");
    let target = json!({ "url": format!("http://127.0.0.1:{}/mcp", served.1) });
    nine_tools(&mut session(), target, "streaming-http");
}

#[test]
fn all_nine_tools_over_the_old_event_stream() {
    let served = Served::start("sse");
    let target = json!({ "url": format!("http://127.0.0.1:{}/sse", served.1) });
    nine_tools(&mut session(), target, "sse");
}

fn nine_tools(session: &mut Session, mut target: Value, transport: &str) {
    target["capabilities"] = json!({ "sampling": {}, "elicitation": {}, "roots": {} });
    // The reference server asks for roots some time after the opening, whatever else goes on.
    let roots = json!({ "method": "roots/list", "result": { "roots": [] }, "always": true });
    target["answers"] = json!([roots]);
    let opened = call(session, "connect_to_server", target);
    assert_eq!(opened["success"], true, "{opened:#}");
    assert_eq!(opened["connection"]["transport"], transport);
    assert_eq!(opened["connection"]["protocol_version"], "2025-11-25");
    assert!(opened["opening"]["capabilities"].is_object(), "nothing of the opening is dropped");

    let listed = call(session, "list_tools", json!({}));
    let tools = listed["tools"].as_array().expect("tools").clone();
    assert_eq!(listed["metadata"]["total_tools"], tools.len());
    let echo = tools.iter().find(|tool| tool["name"] == "echo").expect("echo");
    assert_eq!(echo["input_schema"]["type"], "object");
    assert!(tools.iter().any(|tool| tool.get("outputSchema").is_some()), "output schemas are kept");

    let echoed =
        call(session, "call_tool", json!({ "name": "echo", "arguments": { "message": "hi" } }));
    assert_eq!(echoed["tool_call"]["execution"]["success"], true, "{echoed:#}");
    assert_eq!(echoed["tool_call"]["result"]["content"][0]["text"], "Echo: hi");
    let image = call(session, "call_tool", json!({ "name": "get-tiny-image", "arguments": {} }));
    let blocks = image["tool_call"]["result"]["content"].as_array().expect("blocks").clone();
    assert!(
        blocks.iter().any(|block| block["type"] == "image" && block["data"].is_string()),
        "{image:#}"
    );
    let structured = call(
        session,
        "call_tool",
        json!({ "name": "get-structured-content", "arguments": { "location": "New York" } }),
    );
    assert!(structured["tool_call"]["result"]["structuredContent"].is_object(), "{structured:#}");

    let frame = echoed["metadata"]["frames"][0].clone();
    let frames = call(session, "get_frames", json!({ "ids": [frame] }));
    assert_eq!(
        frames["frames"][0]["payload"]["message"]["result"]["content"][0]["text"],
        "Echo: hi"
    );

    let resources = call(session, "list_resources", json!({}));
    assert_eq!(resources["success"], true, "{resources:#}");
    let uri = resources["resources"][0]["uri"].as_str().expect("a resource").to_owned();
    let read = call(session, "read_resource", json!({ "uri": uri }));
    assert!(read["metadata"]["content_size"].as_u64().expect("a size") > 0, "{read:#}");

    let prompts = call(session, "list_prompts", json!({}));
    let name = prompts["prompts"][0]["name"].as_str().expect("a prompt").to_owned();
    let prompt = call(session, "get_prompt", json!({ "name": name }));
    assert_eq!(prompt["prompt"]["messages"][0]["role"], "user", "{prompt:#}");

    for (tool, arguments, kind) in [
        ("call_tool", json!({ "name": "no-such-tool", "arguments": {} }), "tool_not_found"),
        ("call_tool", json!({ "name": "echo", "arguments": {} }), "invalid_arguments"),
        ("read_resource", json!({ "uri": "demo://nowhere/at/all" }), "resource_not_found"),
        ("get_prompt", json!({ "name": "no-such-prompt" }), "prompt_not_found"),
        (
            "call_tool",
            json!({ "name": "trigger-long-running-operation", "arguments": { "duration": 20, "steps": 2 }, "timeout_ms": 300 }),
            "timeout",
        ),
    ] {
        let failed = call(session, tool, arguments);
        assert_eq!(failed["error"]["type"], kind, "{failed:#}");
        assert!(
            failed["error"]["suggestion"].is_string()
                && failed["metadata"]["request_time_ms"].is_u64()
        );
        assert_eq!(failed["connection"]["transport"], transport);
    }

    let status = call(session, "get_connection_status", json!({}));
    assert_eq!(status["connected"], true);
    assert_eq!(status["statistics"]["tools_called"], 6, "{status:#}");
    assert_eq!(status["statistics"]["resources_read"], 1);
    let ended = call(session, "disconnect", json!({}));
    assert_eq!(ended["success"], true, "{ended:#}");
    let status = call(session, "get_connection_status", json!({}));
    assert_eq!(status["connected"], false);
    let failed = call(session, "list_tools", json!({}));
    assert_eq!(failed["error"]["type"], "not_connected");
}

#[test]
fn what_can_not_be_connected_to_says_why() {
    let mut session = session();
    for (target, words) in [
        (json!({ "command": "no-such-program-anywhere" }), "can't be started"),
        (json!({ "command": "sh", "args": ["-c", "echo oh dear >&2; exit 3"] }), "oh dear"),
        (json!({ "url": "http://127.0.0.1:1/mcp" }), "can't be reached"),
        (json!({ "url": "ftp://example.test/mcp" }), "not http or https"),
        (json!({ "command": "sleep", "args": ["60"], "timeout_ms": 500 }), "within"),
    ] {
        let failed = call(&mut session, "connect_to_server", target.clone());
        assert_eq!(failed["error"]["type"], "connection_failed", "{target} {failed:#}");
        assert!(failed.to_string().contains(words), "{target} {failed:#}");
    }
    let neither = call(&mut session, "connect_to_server", json!({}));
    assert_eq!(neither["error"]["type"], "invalid_arguments");
}

#[test]
fn nothing_of_a_server_is_left_after_disconnecting_or_ending() {
    for end_by in ["disconnect", "exit"] {
        let mut session = session();
        let marker = format!("{}{}", std::process::id(), end_by.len());
        let script = format!("sleep 3600.{marker} & exec node {} stdio", everything());
        let opened = call(
            &mut session,
            "connect_to_server",
            json!({ "command": "sh", "args": ["-c", script] }),
        );
        assert_eq!(opened["success"], true, "{opened:#}");
        assert!(running(&marker));
        match end_by {
            "disconnect" => drop(call(&mut session, "disconnect", json!({}))),
            _ => drop(session.end()),
        }
        std::thread::sleep(Duration::from_millis(300));
        assert!(!running(&marker), "a child of the server is left after {end_by}");
    }
}

fn running(marker: &str) -> bool {
    let sleeping = format!("sleep 3600.{marker}");
    let found = Command::new("pgrep").args(["-f", &sleeping]).output().expect("pgrep runs");
    found.status.success()
}
