//! The mcp-test tools on real servers from the registries, in Node and Python, of both protocol eras.
//! `./ci/test` installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

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

fn git(folder: &Path, arguments: &[&str]) -> bool {
    Command::new("git").args(arguments).current_dir(folder).status().expect("git runs").success()
}
