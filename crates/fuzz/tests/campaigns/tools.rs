//! The tools on real campaigns: what they answer, what they refuse, and what steering does.

use std::time::Duration;

use crate::support::{Bench, KEY, message, until};
use serde_json::{Value, json};

fn no_property(_: &str, _: &str) -> Result<proofstone_evm::checks::Test, String> {
    Err("no property is compiled here".to_owned())
}

const WATCH: [(&str, &str); 9] = [
    ("read_logs", "{}"),
    ("show_coverage", "{}"),
    ("dump_lcov", "{}"),
    ("get_corpus_size", "{}"),
    ("inspect_corpus_transactions", "{}"),
    ("find_transaction_in_corpus", r#"{"functionSignature": "drain"}"#),
    ("inject_transaction", r#"{"sequence": ["drain(1)"]}"#),
    ("prioritize_function", r#"{"functionSignature": "drain(uint256)"}"#),
    ("clear_priorities", "{}"),
];

#[test]
fn without_a_campaign_every_tool_says_how_to_start_one() {
    let bench = Bench::new();
    for (tool, arguments) in WATCH {
        let error = bench.refused(tool, serde_json::from_str(arguments).expect("JSON"));
        assert!(message(&error).contains("start_campaign"), "{tool}: {error}");
        assert_eq!(error["details"]["reason"], "NO_CAMPAIGN");
    }
    for tool in ["stop_campaign", "list_failures"] {
        bench.refused(tool, json!({}));
    }
    let status = bench.ok("campaign_status", json!({}));
    assert_eq!((&status["success"], &status["state"]), (&json!(true), &json!("none")));
    assert!(status["message"].as_str().is_some_and(|m| m.contains("start_campaign")));
}

#[test]
fn after_the_end_everything_still_answers_and_nothing_can_be_put_in() {
    let bench = Bench::new();
    bench.ok("start_campaign", json!({ "target": "Lock.json", "testLimit": 3000, "seed": 1 }));
    let status = bench.ok("campaign_status", json!({ "waitSeconds": 60 }));
    assert_eq!(status["state"], "finished", "{status:#}");
    for (tool, arguments) in WATCH {
        let arguments = serde_json::from_str(arguments).expect("JSON");
        if tool == "inject_transaction" {
            let error = bench.refused(tool, arguments);
            assert_eq!(error["details"]["reason"], "CAMPAIGN_TERMINATED");
            assert!(
                error["details"]["hint"].as_str().is_some_and(|h| h.contains("start_campaign"))
            );
        } else {
            bench.ok(tool, arguments);
        }
    }
    let size = bench.ok("get_corpus_size", json!({}))["size"].clone();
    let page = bench.ok("inspect_corpus_transactions", json!({ "limit": 100 }));
    assert_eq!(page["total"], size);
    let past = bench.ok("inspect_corpus_transactions", json!({ "offset": 1_000_000 }));
    assert_eq!(past["transactions"], json!([]));
    assert!(bench.root.path().join(".proofstone/fuzz/Lock/campaign.json").is_file());
}

#[test]
fn bad_input_is_refused_with_what_is_wrong() {
    let bench = Bench::running();
    let refused = |tool: &str, arguments: Value, words: &str| {
        let error = bench.refused(tool, arguments);
        let all = error.to_string();
        assert!(all.contains(words), "{tool}: `{words}` is not in {error:#}");
        error
    };
    refused("read_logs", json!({ "count": 0 }), "/count");
    refused("read_logs", json!({ "count": 2501 }), "/count");
    refused("read_logs", json!({ "eventType": "Nothing" }), "/eventType");
    refused("read_logs", json!({ "wrong": 1 }), "wrong");
    refused("inspect_corpus_transactions", json!({ "limit": 101 }), "/limit");
    refused("find_transaction_in_corpus", json!({}), "at least one of");
    let short = format!("0x{}", "1".repeat(39));
    refused("find_transaction_in_corpus", json!({ "sender": short }), "/sender");
    refused("find_transaction_in_corpus", json!({ "minValue": "0x10" }), "decimal");
    refused("inject_transaction", json!({ "sequence": [] }), "/sequence");
    refused("inject_transaction", json!({ "sequence": vec!["drain(1)"; 101] }), "/sequence");
    refused("inject_transaction", json!({ "sequence": ["drain(1)"], "sender": short }), "/sender");
    refused("inject_transaction", json!({ "sequence": ["drain(1)"], "value": "-1" }), "/value");
    let huge = format!("1{}", "0".repeat(78));
    refused("inject_transaction", json!({ "sequence": ["drain(1)"], "value": huge }), "2^256");
    refused("inject_transaction", json!({ "sequence": ["drain 1"] }), "/sequence/0");
    refused("prioritize_function", json!({ "functionSignature": "drain" }), "/functionSignature");
    refused("show_coverage", json!({ "contract": "Locke" }), "Lock");
    refused("start_campaign", json!({ "target": "Lock.json" }), "stop_campaign");
    refused(
        "start_campaign",
        json!({ "target": "Lock.json", "replace": true, "contract": "No" }),
        "Lock",
    );
    refused("start_campaign", json!({ "target": "../../etc", "replace": true }), "BAD_PATH");
    refused("why_not_reached", json!({}), "line");
    refused("sample_function", json!({ "function": "nothing" }), "drain(uint256)");
    refused("list_failures", json!({ "property": "nothing" }), "echidna_not_drained");
}

#[test]
fn one_bad_call_rejects_the_whole_sequence_and_is_named() {
    let bench = Bench::running();
    let error = bench
        .refused("inject_transaction", json!({ "sequence": ["drain(1)", "drain(0xZZZ,-100)"] }));
    assert_eq!(
        (&error["details"]["index"], &error["details"]["reason"]),
        (&json!(1), &json!("PARSE_ERROR"))
    );
    let error =
        bench.refused("inject_transaction", json!({ "sequence": ["set(1)", "drain(-100)"] }));
    assert_eq!(error["details"]["index"], 1);
    assert_eq!(error["details"]["position"], 1);
    assert_eq!(error["details"]["expected"], "uint256");
    bench.refused("inject_transaction", json!({ "sequence": ["transfer(0xZZZ,-100)"] }));
    bench.refused("inject_transaction", json!({ "sequence": ["set(9223372036854775808)"] }));
    let found = bench.ok(
        "find_transaction_in_corpus",
        json!({ "sender": "0x00000000000000000000000000000000000000aa" }),
    );
    assert_eq!(found["count"], 0);
}

#[test]
fn an_injected_sequence_is_executed_kept_and_found() {
    let bench = Bench::running();
    let sender = "0x00000000000000000000000000000000000000AA";
    let answer = bench.ok(
        "inject_transaction",
        json!({
            "sequence": [
                "set(-5)", "set(3, \"why, not\")", "drain(?)",
                "place([[0x1234567890abcdef1234567890abcdef12345678, 7]], 0x0102)"
            ],
            "sender": sender, "value": "0"
        }),
    );
    assert_eq!(answer["message"], "Injected 4 transactions to 2 workers");
    assert_eq!(answer["injectedCount"], 4);
    let mut found = Value::Null;
    until("the sequence is found", || {
        found = bench.ok(
            "find_transaction_in_corpus",
            json!({ "sender": sender, "functionSignature": "SET(int64)" }),
        );
        found["count"] != 0
    });
    assert_eq!(found["matches"][0]["call"], "set(-5)");
    assert_eq!(found["matches"][0]["sender"], sender.to_lowercase());
    let logs = bench.ok("read_logs", json!({ "eventType": "TransactionExecuted", "count": 2500 }));
    let events = logs["events"].as_array().expect("events");
    let injected = events.iter().filter(|event| event["data"]["injected"] == true).count();
    assert!(injected >= 4, "{injected} injected transactions in the log");
    let times: Vec<&str> = events.iter().filter_map(|e| e["timestamp"].as_str()).collect();
    assert!(times.is_sorted_by(|a, b| a >= b) && times.iter().all(|time| time.ends_with('Z')));
}

#[test]
fn nine_of_ten_executed_calls_go_to_the_prioritized_function() {
    let bench = Bench::running();
    let warned =
        bench.ok("prioritize_function", json!({ "functionSignature": "nothing(uint256)" }));
    assert!(warned["message"].as_str().is_some_and(|m| m.contains("no such function")), "{warned}");
    let place = "place(tuple[],bytes)";
    assert!(warned["message"].as_str().is_some_and(|m| m.contains(place)), "{warned}");
    bench.ok("clear_priorities", json!({}));
    let structs = bench.ok("prioritize_function", json!({ "functionSignature": place }));
    assert_eq!(structs["prioritizedFunctions"], json!(["place((address,uint96)[],bytes)"]));
    bench.ok("clear_priorities", json!({}));
    let set = bench.ok("prioritize_function", json!({ "functionSignature": "drain(uint256)" }));
    assert_eq!(set["prioritizedFunctions"], json!(["drain(uint256)"]));
    let counts = || {
        let status = bench.ok("campaign_status", json!({}));
        let of = |f: &Value| f["calls"].as_u64().unwrap_or_default();
        let functions = status["functions"].as_array().expect("functions").clone();
        let all: u64 = functions.iter().map(of).sum();
        let drained = functions.iter().find(|f| f["signature"] == "drain(uint256)").map_or(0, of);
        (drained, all)
    };
    std::thread::sleep(Duration::from_secs(1));
    let before = counts();
    until("50,000 more calls", || counts().1 > before.1 + 50_000);
    let after = counts();
    let share = (after.0 - before.0) as f64 / (after.1 - before.1) as f64;
    assert!((0.88..=0.93).contains(&share), "{share}");
    let cleared = bench.ok("clear_priorities", json!({}));
    assert_eq!(cleared["clearedCount"], 1);
}

#[test]
fn a_sequence_that_leads_half_way_is_led_further() {
    let bench = Bench::running();
    until("the guard was tried", || {
        let status = bench.ok("campaign_status", json!({}));
        status["calls"].as_u64().is_some_and(|calls| calls > 5_000)
    });
    let why = bench.ok("why_not_reached", json!({ "line": 22 }));
    assert_eq!(why["reached"], false, "{why:#}");
    assert!(why["message"].as_str().is_some_and(|m| m.contains("armed")), "{why:#}");
    let tried = bench.ok("execute_sequence", json!({ "sequence": [KEY, "drain(1)"] }));
    assert_eq!(tried["transactions"][0]["changes"][0]["variable"], "armed", "{tried:#}");
    assert_eq!(tried["falsified"], json!([]));
    assert_eq!(bench.ok("list_failures", json!({}))["failures"], json!([]));
    bench.ok("inject_transaction", json!({ "sequence": [KEY] }));
    let mut failures = Value::Null;
    until("the fault is found", || {
        failures = bench.ok("list_failures", json!({}))["failures"].clone();
        failures[0]["shrunk"] == true
    });
    assert_eq!(failures[0]["property"], "echidna_not_drained");
    let calls: Vec<_> =
        failures[0]["sequence"].as_array().expect("calls").iter().map(|s| &s["call"]).collect();
    assert_eq!(calls.len(), 2, "{failures:#}");
    assert_eq!(calls[1], "drain(7777)");
    assert!(failures[0]["foundryTest"].as_str().is_some_and(|t| t.contains("function test_")));
    let sample = bench.ok("sample_function", json!({ "function": "drain" }));
    let reasons = sample["revertReasons"].to_string();
    assert!(reasons.contains("not armed"), "{sample:#}");
    let stopped = bench.ok("stop_campaign", json!({}));
    assert_eq!(stopped["success"], true);
}

#[test]
fn control_calls_are_logged_with_their_epochs_and_can_be_read_back() {
    let bench = Bench::running();
    bench.ok("prioritize_function", json!({ "functionSignature": "drain(uint256)" }));
    bench.refused("inject_transaction", json!({ "sequence": ["nothing()"] }));
    bench.ok("inject_transaction", json!({ "sequence": ["set(1)"], "value": "5" }));
    bench.ok("clear_priorities", json!({}));
    bench.ok("stop_campaign", json!({}));
    let log = bench.root.path().join(".proofstone/fuzz/Lock/mcp-commands.jsonl");
    let text = std::fs::read_to_string(log).expect("the log");
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let tools: Vec<_> = lines.iter().filter_map(|l| l["tool"].as_str()).collect();
    assert_eq!(
        tools,
        [
            "prioritize_function",
            "inject_transaction",
            "inject_transaction",
            "clear_priorities",
            "stop_campaign"
        ]
    );
    assert_eq!((&lines[1]["result"], &lines[2]["result"]), (&json!("error"), &json!("success")));
    let orders = proofstone_fuzz::command_log::orders(&text, no_property).expect("orders");
    assert_eq!(orders.len(), 4, "the refused call changed nothing");
    assert!(orders.iter().all(|order| order.epoch > 0));
    let wrong = proofstone_fuzz::command_log::orders(
        "{\"result\":\"success\",\"tool\":\"x\"}",
        no_property,
    );
    assert!(wrong.is_err_and(|e| e.contains("line 1")));
}

#[test]
fn coverage_is_told_by_contract_and_written_into_the_root_only() {
    let bench = Bench::running();
    until("something is covered", || {
        bench.ok("show_coverage", json!({}))["overallCoverage"].as_f64().is_some_and(|c| c > 0.0)
    });
    let shown = bench.ok("show_coverage", json!({ "contract": "Lock" }));
    assert_eq!(shown["contracts"][0]["name"], "Lock");
    let lcov = bench.ok("dump_lcov", json!({ "outputPath": "coverage/fuzz.info" }));
    let lcov = lcov.as_str().expect("text");
    for record in ["SF:contracts/Lock.sol", "FNDA:", "BRDA:", "DA:", "end_of_record"] {
        assert!(lcov.contains(record), "{record} is not in {lcov}");
    }
    let written = std::fs::read_to_string(bench.root.path().join("coverage/fuzz.info"));
    assert_eq!(written.expect("the report"), lcov);
    bench.refused("dump_lcov", json!({ "outputPath": "../fuzz.info" }));
}
