//! The fuzzing tools through the real server: start, watch, lead the campaign half-way into a fault, see it
//! found, read the failure, and read the coverage report with the coverage tools.

use std::path::Path;
use std::process::Command;
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
    let plan = json!({ "target": "Vault.json", "seed": 1, "workers": 1, "testLimit": 400_000, "corpus": "corpus" });
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

    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .current_dir(root.path())
        .args(["fuzz", "Vault.json", "--json", "--replay", "corpus"])
        .args(["--replay-commands", "corpus/mcp-commands.jsonl"])
        .output()
        .expect("proofstone runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let summary: Value =
        serde_json::from_str(text.lines().last().unwrap_or_default()).expect("a summary");
    assert_eq!(summary["calls"], status["calls"], "{output:?}");
    assert_eq!(summary["corpusTransactions"], status["corpusSize"]);
}
