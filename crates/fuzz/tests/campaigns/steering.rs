//! Steering while a campaign runs: properties that are added, several clients at once, the contract's times, and
//! what is left when the server has ended.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::support::{Bench, KEY, message, until, with_compiler};
use proofstone_contract::CallCx;
use proofstone_fuzz::Options;
use serde_json::{Value, json};

fn tests_of(bench: &Bench) -> Vec<Value> {
    bench.ok("campaign_status", json!({}))["tests"].as_array().expect("tests").clone()
}

fn status_of(bench: &Bench, name: &str) -> Value {
    let tests = tests_of(bench);
    let test = tests.iter().find(|test| test["name"] == name);
    test.unwrap_or_else(|| panic!("{name} is not in {tests:#?}"))["status"].clone()
}

#[test]
fn an_expression_is_checked_against_the_corpus_and_then_by_the_workers() {
    let bench = Bench::running_with(with_compiler());
    let added = bench.ok("add_property", json!({ "property": "!armed || drained" }));
    assert_eq!(
        (&added["name"], &added["status"]),
        (&json!("added_1"), &json!("holds")),
        "{added:#}"
    );
    assert_eq!(added["checkedFromNowOn"], true);
    assert_eq!(status_of(&bench, "added_1"), "holds");
    bench.ok("inject_transaction", json!({ "sequence": [KEY] }));
    until("a worker falsifies it", || status_of(&bench, "added_1") == "falsified");
    let mut failure = Value::Null;
    until("it is shrunk", || {
        failure =
            bench.ok("list_failures", json!({ "property": "added_1" }))["failures"][0].clone();
        failure["shrunk"] == true
    });
    assert_eq!(failure["sequence"].as_array().map(Vec::len), Some(1), "{failure:#}");
    let test = failure["foundryTest"].as_str().expect("a test");
    assert!(test.contains("contract ProofstoneProperty is Lock"), "{test}");
}

#[test]
fn what_the_corpus_breaks_is_told_at_once() {
    let bench = Bench::running_with(with_compiler());
    bench.ok("inject_transaction", json!({ "sequence": ["set(-5)"] }));
    until("it is in the corpus", || {
        let found =
            bench.ok("find_transaction_in_corpus", json!({ "functionSignature": "set(int64)" }));
        found["count"] != 0
    });
    bench.ok("stop_campaign", json!({}));
    let property =
        "function level_is_not_negative() public view returns (bool) { return level >= 0; }";
    let added = bench.ok("add_property", json!({ "property": property }));
    assert_eq!(added["status"], "falsified", "{added:#}");
    assert_eq!(added["checkedFromNowOn"], false);
    assert!(added["checkedSequences"].as_u64().is_some_and(|n| n > 0));
    let best = "function echidna_opt_level() public view returns (int256) { return -level; }";
    let added = bench.ok("add_property", json!({ "property": best }));
    assert_eq!(added["status"], "best", "{added:#}");
    assert!(added["value"].as_str().is_some_and(|v| v.parse::<i64>().is_ok_and(|v| v >= 5)));
    let reverts = "function must_not_revert() public view { require(level < 9, \"high\"); }";
    let added = bench.ok("add_property", json!({ "property": reverts }));
    assert!(added["status"] == "holds" || added["status"] == "falsified", "{added:#}");
}

#[test]
fn a_property_that_is_none_is_refused_in_the_compilers_words() {
    let bench = Bench::running_with(with_compiler());
    let said = |property: &str| {
        let error = bench.refused("add_property", json!({ "property": property }));
        message(&error).to_owned()
    };
    let missing = said("levels > 0");
    assert!(missing.contains("DeclarationError: Undeclared identifier."), "{missing}");
    assert!(missing.contains("ProofstoneProperty.sol:8:16"), "{missing}");
    assert!(said("level >").contains("ParserError: "));
    assert!(said("level").contains("TypeError: "));
    assert!(
        said("function f(uint256 x) public returns (bool) { return x > 0; }")
            .contains("f(uint256)")
    );
    assert!(said("function f() public returns (string memory) {}").contains("return bool"));
    assert!(said("function f() internal returns (bool) { return true; }").contains("public"));
    assert!(said("function () public returns (bool) {}").contains("no name"));
    let taken = json!({ "property": "true", "name": "echidna_not_drained" });
    assert!(message(&bench.refused("add_property", taken)).contains("echidna_not_drained"));
    bench.refused("add_property", json!({ "property": "true", "name": "not a name" }));
    assert_eq!(tests_of(&bench).len(), 2, "nothing was added");
}

#[test]
fn immutables_libraries_and_constructors_are_the_targets() {
    let bench = Bench::with(with_compiler());
    bench.write(
        "Cap.sol",
        "pragma solidity ^0.8.0; library Far { function twice(uint256 x) public pure returns (uint256) { return 2 * x; } } \
         contract Cap { struct Limits { uint256 low; uint256 high; } uint256 immutable first; uint256 internal immutable cap; uint256 internal total; \
         constructor(Limits memory l, string memory) payable { first = l.low; cap = l.high; } \
         function add(uint8 x) public { total += x; require(Far.twice(total) < cap * 2 && total > first); } \
         function echidna_small() public view returns (bool) { return total < cap; } }",
    );
    let plan = json!({
        "target": "Cap.sol", "testLimit": 1_000_000_000_000u64, "seed": 1, "workers": 1, "contract": "Cap",
        "constructorArgs": ["[7,1000]", "\"x\""]
    });
    bench.ok("start_campaign", plan);
    let holds = bench.ok("add_property", json!({ "property": "cap == 1000 && first == 7" }));
    assert_eq!(holds["status"], "holds", "{holds:#}");
    let far = bench.ok("add_property", json!({ "property": "Far.twice(total) <= 2 * cap" }));
    assert_eq!(far["status"], "holds", "{far:#}");
    bench.ok("add_property", json!({ "property": "total < 500", "name": "below_500" }));
    until("the campaign breaks it", || status_of(&bench, "below_500") == "falsified");
}

#[test]
fn without_sources_nothing_can_be_added() {
    let bench = Bench::with(with_compiler());
    let bare = concat!(env!("CARGO_MANIFEST_DIR"), "/../evm/tests/suite/artifacts/time_lock.json");
    let text = std::fs::read_to_string(bare).expect("the artifact");
    bench.write("bare.json", &text);
    bench.ok("start_campaign", json!({ "target": "bare.json", "testLimit": 1000 }));
    let error = bench.refused("add_property", json!({ "property": "true" }));
    assert_eq!(error["details"]["reason"], "NO_SOURCES", "{error:#}");
    assert!(message(&error).contains("time_lock.sol"), "{error:#}");
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let solc = Some("/nowhere/solc".into());
    let bench = Bench::running_with(Options { solc, ..Options::default() });
    let error = bench.refused("add_property", json!({ "property": "true" }));
    assert!(message(&error).contains("/nowhere/solc"), "{error:#}");
}

/// The contract's 100 ms are real: a tool whose work waits for a thread is answered for.
#[test]
fn a_tool_that_takes_too_long_is_answered_for() {
    let bench = Bench::running();
    let narrow = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .expect("a runtime");
    let (done, wait) = std::sync::mpsc::channel::<()>();
    narrow.spawn_blocking(move || wait.recv());
    let cx = CallCx::builder(bench.root.path()).time(Duration::from_mins(5)).build();
    let outcome = narrow.block_on(bench.gate.call("read_logs", json!({}), &cx)).expect("a tool");
    assert!(outcome.rendered.is_error);
    let answer = outcome.rendered.structured.expect("an error");
    assert_eq!(answer["success"], false);
    assert_eq!(answer["error"]["code"], "EXECUTION_TIMEOUT");
    assert_eq!(answer["error"]["message"], "Tool read_logs exceeded 100ms");
    assert!(answer["error"]["details"]["hint"].is_null(), "{answer:#}");
    // One that changes something may have done so.
    let wanted = json!({ "functionSignature": "drain(uint256)" });
    let steered = narrow.block_on(bench.gate.call("prioritize_function", wanted, &cx));
    let answer = steered.expect("a tool").rendered.structured.expect("an error");
    let hint = answer["error"]["details"]["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("may have taken effect"), "{answer:#}");
    drop(done);
    bench.ok("read_logs", json!({}));
}

#[test]
fn a_name_that_is_not_unique_must_be_qualified() {
    let bench = Bench::with(with_compiler());
    bench.write("A.sol", "pragma solidity ^0.8.0; contract Part { uint256 public a; function set(uint256 x) public { a = x; } }");
    bench.write("B.sol", "pragma solidity ^0.8.0; contract Part { uint256 public b; uint256 c; function put(uint256 x) public { b = x; } }");
    bench.write(
        "Whole.sol",
        "pragma solidity ^0.8.0; import {Part as One} from \"./A.sol\"; import {Part as Two} from \"./B.sol\"; \
         contract Whole { One one = new One(); Two two = new Two(); function go(uint256 x) public { one.set(x); two.put(x); } \
         function echidna_true() public pure returns (bool) { return true; } }",
    );
    let error =
        bench.refused("start_campaign", json!({ "target": "Whole.sol", "contract": "Part" }));
    assert!(message(&error).contains("A.sol:Part, B.sol:Part"), "{error:#}");
    bench.ok(
        "start_campaign",
        json!({ "target": "Whole.sol", "contract": "Whole", "testLimit": 500 }),
    );
    bench.ok("campaign_status", json!({ "waitSeconds": 60 }));
    let error = bench.refused("show_coverage", json!({ "contract": "Part" }));
    assert!(message(&error).contains("A.sol:Part, B.sol:Part"), "{error:#}");
    let shown = bench.ok("show_coverage", json!({ "contract": "B.sol:Part" }));
    assert_eq!(shown["contracts"].as_array().map(Vec::len), Some(1));
}

/// An injected sequence is executed by every worker and can be found within five seconds: told by the number of
/// events, not by the time each step takes.
#[test]
fn what_is_injected_is_executed_by_all_and_found_within_five_seconds() {
    let bench = Bench::running();
    let sender = "0x00000000000000000000000000000000000000bb";
    let sequence = ["set(11)", "set(12)", "set(13)"];
    let asked = Instant::now();
    bench.ok("inject_transaction", json!({ "sequence": sequence, "sender": sender }));
    let executed = || {
        let wanted = json!({ "eventType": "TransactionExecuted", "count": 2500 });
        let events = bench.ok("read_logs", wanted)["events"].clone();
        let ours =
            |event: &&Value| event["data"]["injected"] == true && event["data"]["sender"] == sender;
        let events = events.as_array().expect("events").clone();
        events
            .iter()
            .filter(ours)
            .map(|e| (e["workerId"].as_u64(), e["data"]["call"].to_string()))
            .collect::<BTreeSet<_>>()
    };
    let found =
        || bench.ok("find_transaction_in_corpus", json!({ "sender": sender }))["count"].as_u64();
    until("every worker has executed every call, and all are in the corpus", || {
        executed().len() == sequence.len() * 2 && found().is_some_and(|n| n >= 3)
    });
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}

#[test]
fn clients_that_steer_at_once_are_logged_in_the_order_that_holds() {
    let bench = Bench::running();
    let functions = ["drain(uint256)", "set(int64)", "arm(uint256,uint256)", "set(int64,string)"];
    std::thread::scope(|clients| {
        for function in functions {
            let bench = &bench;
            clients.spawn(move || {
                for _ in 0..10 {
                    bench.ok("prioritize_function", json!({ "functionSignature": function }));
                    bench.ok("clear_priorities", json!({}));
                }
                bench.ok("prioritize_function", json!({ "functionSignature": function }));
            });
        }
    });
    let status = bench.ok("campaign_status", json!({}));
    let set: BTreeSet<String> = status["prioritizedFunctions"]
        .as_array()
        .expect("a set")
        .iter()
        .map(|f| f.as_str().expect("text").to_owned())
        .collect();
    bench.ok("stop_campaign", json!({}));
    let log = bench.root.path().join(".proofstone/fuzz/Lock/mcp-commands.jsonl");
    let text = std::fs::read_to_string(log).expect("the log");
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    // A call that a busy machine made miss its time took effect, and is made again.
    assert!(lines.len() > 4 * 21, "every call is logged");
    let epochs: Vec<u64> = lines.iter().filter_map(|l| l["epoch"].as_u64()).collect();
    assert!(epochs.is_sorted(), "{epochs:?}");
    let mut replayed = BTreeSet::new();
    for line in &lines {
        match line["tool"].as_str() {
            Some("prioritize_function") => {
                replayed
                    .insert(line["args"]["functionSignature"].as_str().expect("text").to_owned());
            }
            Some("clear_priorities") => replayed.clear(),
            _ => {}
        }
    }
    assert_eq!(replayed, set, "the log, read in order, leads to the set that holds");
}

#[test]
fn the_next_server_answers_from_what_was_saved() {
    let bench = Bench::new();
    let plan = json!({ "target": "Lock.json", "testLimit": 20_000, "seed": 2, "workers": 1 });
    bench.ok("start_campaign", plan);
    bench.ok("inject_transaction", json!({ "sequence": [KEY, "drain(7777)"] }));
    bench.ok("campaign_status", json!({ "waitSeconds": 60 }));
    bench.ok("stop_campaign", json!({}));
    let folder = bench.root.path().join(".proofstone/fuzz/Lock");
    until("it is saved", || {
        let record = std::fs::read_to_string(folder.join("campaign.json")).unwrap_or_default();
        record.contains("wallSeconds")
    });
    let record = std::fs::read_to_string(folder.join("campaign.json")).expect("the record");
    let (size, shown) =
        (bench.ok("get_corpus_size", json!({})), bench.ok("show_coverage", json!({})));
    let bench = bench.again();
    let restored = bench.ok("get_corpus_size", json!({}));
    assert!(restored["size"].as_u64() >= size["size"].as_u64(), "{restored} {size}");
    assert_eq!(bench.ok("show_coverage", json!({})), shown);
    let failures = bench.ok("list_failures", json!({}));
    assert_eq!(failures["failures"][0]["property"], "echidna_not_drained", "{failures:#}");
    assert_eq!(failures["failures"][0]["sequence"][1]["call"], "drain(7777)");
    let status = bench.ok("campaign_status", json!({}));
    assert_eq!(status["state"], "finished");
    let warnings = status["warnings"].to_string();
    assert!(warnings.contains("restored from") && warnings.contains("ended after"), "{warnings}");
    bench.refused("inject_transaction", json!({ "sequence": ["set(1)"] }));
    assert_eq!(std::fs::read_to_string(folder.join("campaign.json")).expect("the record"), record);
}
