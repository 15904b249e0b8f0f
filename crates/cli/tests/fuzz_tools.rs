//! The fuzzing tools through the real server: start, watch, lead the campaign half-way into a fault, see it
//! found, read the failure, and read the coverage report with the coverage tools.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use proofstone_testkit::Session;
use serde_json::{Value, json};

fn project(artifact: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(artifact);
    let name = from.file_name().expect("a name");
    std::fs::copy(&from, root.path().join(name)).expect("the artifact is copied");
    root
}

fn serve(root: &Path) -> Session {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
    let folder = root.display().to_string();
    Session::open(command.args(["serve", "--root", &folder, "--toolsets", "fuzz,coverage"]))
}

/// A call; one that a busy machine made miss its 100 ms is made again.
fn call(session: &mut Session, tool: &str, arguments: Value) -> Value {
    for _ in 0..50 {
        let result = session.call(tool, arguments.clone())["result"].clone();
        if result["structuredContent"]["error"]["code"] == "EXECUTION_TIMEOUT" {
            continue;
        }
        assert_ne!(result["isError"], true, "{tool}: {result:#}");
        return match result.get("structuredContent") {
            Some(answer) => answer.clone(),
            None => result["content"][0]["text"].clone(),
        };
    }
    panic!("{tool} never answered within its time");
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_client_leads_a_campaign_into_a_fault_that_it_does_not_find_alone() {
    let root = project("crates/fuzz/tests/artifacts/Lock.json");
    let mut session = serve(root.path());
    assert_eq!(call(&mut session, "campaign_status", json!({}))["state"], "none");
    let plan = json!({ "target": "Lock.json", "testLimit": 1_000_000_000_000u64, "seed": 3, "workers": 2 });
    let started = call(&mut session, "start_campaign", plan);
    assert_eq!(
        started["tests"],
        json!(["echidna_level_fits", "echidna_not_drained"]),
        "{started:#}"
    );

    until("the campaign has run a while", || {
        call(&mut session, "campaign_status", json!({}))["calls"]
            .as_u64()
            .is_some_and(|n| n > 20_000)
    });
    let status = call(&mut session, "campaign_status", json!({}));
    assert!(
        status["tests"].as_array().is_some_and(|t| t.iter().all(|t| t["status"] == "holds")),
        "{status:#}"
    );
    let before = call(&mut session, "dump_lcov", json!({ "outputPath": "before.info" }));
    assert!(before.as_str().is_some_and(|text| text.contains("SF:contracts/Lock.sol")));
    let snapshot =
        call(&mut session, "start_coverage_snapshot", json!({ "lcovPath": "before.info" }));

    let key = "arm(0x70726f6f6673746f6e65, 1234567890123456789)";
    let injected = call(&mut session, "inject_transaction", json!({ "sequence": [key] }));
    assert_eq!(injected["message"], "Injected 1 transactions to 2 workers");
    until("the injected call is in the corpus", || {
        call(
            &mut session,
            "find_transaction_in_corpus",
            json!({ "functionSignature": "arm(uint256,uint256)" }),
        )["matches"]
            .as_array()
            .is_some_and(|found| {
                found.iter().any(|t| {
                    t["call"].as_str().is_some_and(|call| call.contains("1234567890123456789"))
                })
            })
    });
    let mut failure = Value::Null;
    until("the fault behind it is found by mutation", || {
        failure = call(&mut session, "list_failures", json!({}))["failures"][0].clone();
        failure["shrunk"] == true
    });
    assert_eq!(failure["property"], "echidna_not_drained");
    assert_eq!(failure["sequence"][1]["call"], "drain(7777)");
    assert_eq!(failure["sequence"][1]["changes"][0]["variable"], "drained");
    let logs = call(&mut session, "read_logs", json!({ "eventType": "PropertyFalsified" }));
    assert_eq!(logs["events"][0]["data"]["property"], "echidna_not_drained");

    call(&mut session, "stop_campaign", json!({}));
    call(&mut session, "dump_lcov", json!({ "outputPath": "after.info" }));
    let overall = call(&mut session, "get_overall_coverage", json!({ "lcovPath": "after.info" }));
    assert!(overall["overall"].as_f64().is_some_and(|percent| percent > 50.0), "{overall:#}");
    let id = &snapshot["snapshotId"];
    let change = call(
        &mut session,
        "end_coverage_snapshot",
        json!({ "snapshotId": id, "lcovPath": "after.info" }),
    );
    assert!(change["overallChange"].as_f64().is_some_and(|points| points > 0.0), "{change:#}");
}

#[test]
fn the_vault_of_the_examples_breaks_and_a_steered_campaign_can_be_repeated() {
    let root = project("examples/vault/artifacts/Vault.json");
    let mut session = serve(root.path());
    let plan = json!({ "target": "Vault.json", "seed": 1, "workers": 2, "testLimit": 400_000, "corpus": "corpus" });
    call(&mut session, "start_campaign", plan);
    call(&mut session, "inject_transaction", json!({ "sequence": ["deposit(77)", "withdraw(5)"] }));
    call(
        &mut session,
        "prioritize_function",
        json!({ "functionSignature": "transfer(address,uint256)" }),
    );
    let status = call(&mut session, "campaign_status", json!({ "waitSeconds": 120 }));
    assert_eq!(status["state"], "finished", "{status:#}");
    let failures = call(&mut session, "list_failures", json!({}));
    assert_eq!(failures["failures"][0]["property"], "echidna_shares_are_backed", "{failures:#}");
    until("the corpus is kept", || root.path().join("corpus/reproducers").is_dir());

    let summary = repeated(root.path(), "Vault.json", "corpus", &[]);
    assert_eq!(summary["calls"], status["calls"], "{summary:#}");
    assert_eq!(summary["corpusTransactions"], status["corpusSize"]);
}

/// The summary of a campaign that is run again with its commands, from the folder it was kept in.
fn repeated(root: &Path, target: &str, folder: &str, arguments: &[&str]) -> Value {
    let commands = format!("{folder}/mcp-commands.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .current_dir(root)
        .args(["fuzz", target, "--json", "--replay", folder, "--replay-commands", &commands])
        .args(arguments)
        .output()
        .expect("proofstone runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = serde_json::from_str(text.lines().last().unwrap_or_default());
    summary.unwrap_or_else(|e| panic!("no summary ({e}): {output:?}"))
}

/// `proofstone fuzz --mcp`: a campaign that a person started.
struct Steered {
    child: Child,
    address: String,
}

impl Steered {
    fn start(root: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofstone"))
            .current_dir(root)
            .args(["fuzz", "Lock.json", "--mcp=127.0.0.1:0", "--json", "--seed", "3"])
            .args(["--workers", "2", "--timeout", "300"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("proofstone starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr is piped")).lines();
        let url = lines.find_map(|line| {
            let line = line.expect("text");
            line.split("http://").nth(1).map(str::to_owned)
        });
        std::thread::spawn(move || lines.for_each(drop));
        let address = url.expect("an address").trim_end_matches("/mcp").to_owned();
        Self { child, address }
    }

    /// One call on a connection of its own, which is closed afterwards.
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let head = format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        let start = answer.find("{\"").unwrap_or_else(|| panic!("no JSON in {answer}"));
        let end = answer.rfind('}').expect("the end of it");
        let json: Value = serde_json::from_str(&answer[start..=end]).expect("JSON");
        json["result"].clone()
    }

    fn ok(&self, tool: &str, arguments: &Value) -> Value {
        for _ in 0..50 {
            let result = self.call(tool, arguments);
            if result["structuredContent"]["error"]["code"] != "EXECUTION_TIMEOUT" {
                assert_ne!(result["isError"], true, "{tool}: {result:#}");
                return result["structuredContent"].clone();
            }
        }
        panic!("{tool} never answered within its time");
    }

    fn end(mut self) -> (Option<i32>, Value) {
        let mut text = String::new();
        let stdout = self.child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_to_string(&mut text).expect("text");
        let status = self.child.wait().expect("it ends");
        let summary = serde_json::from_str(text.lines().last().unwrap_or_default());
        (status.code(), summary.expect("a summary"))
    }
}

impl Drop for Steered {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_campaign_of_the_command_line_is_steered_by_clients_that_come_and_go() {
    let root = project("crates/fuzz/tests/artifacts/Lock.json");
    let steered = Steered::start(root.path(), &["--test-limit", "1000000000000"]);
    let calls = |steered: &Steered| steered.ok("campaign_status", &json!({}))["calls"].as_u64();
    let first = calls(&steered);
    until("it goes on after a client has left", || calls(&steered) > first);
    let refused =
        steered.call("start_campaign", &json!({ "target": "Lock.json", "replace": true }));
    assert_eq!(refused["isError"], true, "{refused:#}");
    std::thread::scope(|clients| {
        for function in ["drain(uint256)", "set(int64)"] {
            let steered = &steered;
            let wanted = json!({ "functionSignature": function });
            clients.spawn(move || steered.ok("prioritize_function", &wanted));
        }
    });
    let status = steered.ok("campaign_status", &json!({}));
    assert_eq!(status["prioritizedFunctions"].as_array().map(Vec::len), Some(2), "{status:#}");
    let key = "arm(0x70726f6f6673746f6e65, 1234567890123456789)";
    steered.ok("inject_transaction", &json!({ "sequence": [key] }));
    until("the fault behind it is found and made short", || {
        steered.ok("list_failures", &json!({}))["failures"][0]["shrunk"] == true
    });
    steered.ok("stop_campaign", &json!({}));
    let (code, summary) = steered.end();
    assert_eq!(code, Some(1), "a test was falsified: {summary:#}");
    assert_eq!(summary["tests"][1]["sequence"][1], "drain(7777)");
    let folder = root.path().join(".proofstone/fuzz/Lock");
    let log = std::fs::read_to_string(folder.join("mcp-commands.jsonl")).expect("the log");
    assert_eq!(log.lines().count(), 4, "{log}");
    assert!(folder.join("campaign.json").is_file());

    // A server that starts later answers from what was kept.
    let mut session = serve(root.path());
    let failures = call(&mut session, "list_failures", json!({}));
    assert_eq!(failures["failures"][0]["property"], "echidna_not_drained", "{failures:#}");
}

#[test]
fn a_campaign_with_an_added_property_can_be_repeated() {
    let root = project("crates/fuzz/tests/artifacts/Lock.json");
    let tools = std::env::var("PROOFSTONE_TOOLS");
    let tools = tools.expect("PROOFSTONE_TOOLS is not set: run ./ci/test");
    let solc = format!("{tools}/fuzz/node_modules/solc");
    let limit = ["--solc", &solc, "--test-limit", "1000000000000"];
    let steered = Steered::start(root.path(), &limit);
    let added = steered.ok("add_property", &json!({ "property": "!armed || drained" }));
    assert_eq!(added["status"], "holds", "{added:#}");
    let key = "arm(0x70726f6f6673746f6e65, 1234567890123456789)";
    steered.ok("inject_transaction", &json!({ "sequence": [key] }));
    // The fault behind the key too: what is being made short when a campaign is stopped stays as it is then.
    until("both are falsified and made short", || {
        let failures = steered.ok("list_failures", &json!({}))["failures"].clone();
        (0..2).all(|number| failures[number]["shrunk"] == true)
    });
    steered.ok("stop_campaign", &json!({}));
    let (_, first) = steered.end();
    assert_eq!(first["tests"][2]["name"], added["name"], "{first:#}");
    assert_eq!(first["tests"][2]["sequence"].as_array().map(Vec::len), Some(1), "{first:#}");

    let again = repeated(root.path(), "Lock.json", ".proofstone/fuzz/Lock", &["--solc", &solc]);
    assert_eq!(again["tests"], first["tests"]);
    // A stop is repeated at the end of its epoch.
    assert!(again["calls"].as_u64() >= first["calls"].as_u64(), "{again:#}");
}

#[test]
fn an_address_that_is_taken_is_said_before_anything_runs() {
    let root = project("crates/fuzz/tests/artifacts/Lock.json");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("--mcp={}", taken.local_addr().expect("an address"));
    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .current_dir(root.path())
        .args(["fuzz", "Lock.json", &address])
        .output()
        .expect("proofstone runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("can't listen") && said.contains("--mcp=HOST:PORT"), "{said}");
}

#[test]
fn without_a_compiler_a_property_is_refused_with_what_to_do() {
    let root = project("crates/fuzz/tests/artifacts/Lock.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
    let folder = root.path().display().to_string();
    command.args(["serve", "--root", &folder, "--toolsets", "fuzz"]).env("PATH", &folder);
    let mut session = Session::open(&mut command);
    call(&mut session, "start_campaign", json!({ "target": "Lock.json", "testLimit": 1000 }));
    let refused = session.call("add_property", json!({ "property": "!armed" }))["result"].clone();
    assert_eq!(refused["isError"], true);
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["details"]["reason"], "NO_COMPILER", "{error:#}");
    assert!(error["message"].as_str().is_some_and(|m| m.contains("npm install solc")), "{error:#}");
}
