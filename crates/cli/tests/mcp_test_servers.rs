//! The mcp-test tools on real servers from the registries, in Node and Python, of both protocol eras.
//! `./ci/test` installs them.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use proofstone_testkit::Session;
use serde_json::{Value, json};

fn servers() -> PathBuf {
    let folder = std::env::var_os("PROOFSTONE_TOOLS").map(PathBuf::from);
    let folder =
        folder.expect("PROOFSTONE_TOOLS is not set: run ./ci/test, which installs what tests need");
    folder.join("mcp-servers")
}

fn node(server: &str, arguments: &[&str]) -> Value {
    let path = format!("node_modules/@modelcontextprotocol/server-{server}/dist/index.js");
    let mut args = vec![servers().join(path).display().to_string()];
    args.extend(arguments.iter().map(ToString::to_string));
    json!({ "command": "node", "args": args })
}

fn python(program: &str, arguments: &[&str]) -> Value {
    json!({ "command": servers().join("venv/bin").join(program), "args": arguments })
}

/// Connects, lists, calls one tool, and disconnects; the answer must hold the words.
fn check(target: Value, tool: &str, arguments: Value, words: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
    let mut session = Session::open(command.args(["serve", "--toolsets", "mcp-test"]));
    let mut call = |tool: &str, arguments: Value| {
        session.call(tool, arguments)["result"]["structuredContent"].clone()
    };
    let opened = call("connect_to_server", target.clone());
    assert_eq!(opened["success"], true, "{target} {opened:#}");
    let listed = call("list_tools", json!({}));
    let tools = listed["tools"].as_array().expect("tools").clone();
    assert!(tools.iter().any(|listed| listed["name"] == tool), "{tool} is not in {listed:#}");
    let called = call("call_tool", json!({ "name": tool, "arguments": arguments }));
    assert_eq!(called["success"], true, "{target} {called:#}");
    assert!(called["tool_call"]["result"].to_string().contains(words), "{called:#}");
    assert_eq!(call("disconnect", json!({}))["success"], true);
}

#[test]
fn the_filesystem_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("the folder is there").display().to_string();
    check(node("filesystem", &[&path]), "list_allowed_directories", json!({}), &path);
}

#[test]
fn the_memory_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut target = node("memory", &[]);
    target["env"] = json!({ "MEMORY_FILE_PATH": folder.path().join("memory.jsonl") });
    check(target, "read_graph", json!({}), "entities");
}

#[test]
fn the_thinking_server() {
    let thought = json!({
        "thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1,
    });
    check(node("sequential-thinking", &[]), "sequentialthinking", thought, "thoughtNumber");
}

#[test]
fn the_git_server() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(git(folder.path(), &["init", "-q"]));
    let path = folder.path().display().to_string();
    let target = python("mcp-server-git", &["--repository", &path]);
    check(target, "git_status", json!({ "repo_path": path }), "branch");
}

#[test]
fn the_time_server() {
    check(python("mcp-server-time", &[]), "get_current_time", json!({ "timezone": "UTC" }), "UTC");
}

#[test]
fn a_fastmcp_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("server.py");
    let text = "from fastmcp import FastMCP\nmcp = FastMCP('adder')\n\n@mcp.tool\ndef add(a: int, b: int) -> int:\n    return a + b\n\nmcp.run(show_banner=False)\n";
    std::fs::write(&script, text).expect("written");
    let target = python("python", &[&script.display().to_string()]);
    check(target, "add", json!({ "a": 19, "b": 23 }), "42");
}

/// FastMCP's own authorization server grants without asking anybody.
const GUARDED: &str = r#"
import socket, sys
from fastmcp import FastMCP
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from mcp.server.auth.settings import ClientRegistrationOptions

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
scopes = ClientRegistrationOptions(enabled=True, valid_scopes=["sums"], default_scopes=["sums"])
auth = InMemoryOAuthProvider(base_url=f"http://127.0.0.1:{port}", client_registration_options=scopes, required_scopes=["sums"])
mcp = FastMCP("guarded", auth=auth)

@mcp.tool
def add(a: int, b: int) -> int:
    return a + b

print(port, flush=True)
mcp.run(transport="http", host="127.0.0.1", port=port, show_banner=False, log_level="error")
"#;

#[test]
fn a_fastmcp_server_that_wants_authorization() {
    let guarded = Command::new(servers().join("venv/bin/python"))
        .args(["-c", GUARDED])
        .stdout(Stdio::piped())
        .spawn()
        .expect("python runs");
    let mut guarded = Running(guarded);
    let mut port = String::new();
    BufReader::new(guarded.0.stdout.take().expect("a pipe")).read_line(&mut port).expect("a port");
    let address = format!("127.0.0.1:{}", port.trim());
    let up = (0..300).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        TcpStream::connect(&address).is_ok()
    });
    assert!(up, "the server does not listen");
    let target = json!({
        "url": format!("http://{address}/mcp"),
        "auth": { "type": "authorization_code" },
    });
    check(target, "add", json!({ "a": 19, "b": 23 }), "42");
}

/// A server that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn git(folder: &Path, arguments: &[&str]) -> bool {
    Command::new("git").args(arguments).current_dir(folder).status().expect("git runs").success()
}
