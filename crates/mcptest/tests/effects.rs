//! Claims to only read or to be repeatable, held against what the server shows. The server is `claiming.py`.

use std::path::Path;
use std::sync::Arc;

use expect_test::{Expect, expect};
use proofstone_contract::CallCx;
use proofstone_gate::{Gate, OutputPolicy};
use proofstone_mcptest::McpTest;
use serde_json::{Value, json};

/// The answers to calls on one connection, one after the other.
fn answers(calls: &[(&str, Value)]) -> Vec<Value> {
    answers_of(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claiming.py"), calls)
}

fn answers_of(server: &str, calls: &[(&str, Value)]) -> Vec<Value> {
    let gate = Gate::new(vec![Arc::new(McpTest::default())], OutputPolicy::Fail).expect("a gate");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let cx = CallCx::builder(Path::new(env!("CARGO_MANIFEST_DIR"))).session("test").build();
    let target = json!({
        "command": "python3", "args": [server], "protocol": "2025-11-25", "timeout_ms": 1500,
    });
    let all =
        std::iter::once(&("connect_to_server", target)).chain(calls).cloned().collect::<Vec<_>>();
    runtime.expect("a runtime").block_on(async {
        let mut answers = Vec::new();
        for (tool, arguments) in all {
            let outcome = gate.call(tool, arguments, &cx).await;
            let outcome = outcome.unwrap_or_else(|unknown| panic!("{unknown}"));
            answers.push(outcome.rendered.structured.expect("every answer is structured"));
        }
        answers.split_off(1)
    })
}

/// What fuzzing a tool says of its effects.
fn check(tool: &str, expected: Expect) {
    let call = json!({ "name": tool, "cases": 20, "seed": 1, "allow_side_effects": true });
    let answer = &answers(&[("fuzz_tool", call)])[0];
    let failures = answer["failures"].as_array().expect("failures").iter();
    let failures = failures.take(1).map(|failure| {
        format!("{} {}: {}", failure["property"], failure["arguments"], failure["message"])
    });
    assert_eq!(
        answer["watched"],
        json!([
            "resources/list",
            "resources/templates/list",
            "the resource state://counter",
            "tools/list"
        ])
    );
    assert!(answer["not_seen"].is_string());
    expected.assert_eq(&failures.collect::<String>());
}

#[test]
fn claims_are_held_against_what_the_server_shows() {
    check("reads", expect![""]);
    check(
        "writes_over_ten",
        expect![[
            r#""reads_only" {"n":15}: "it says that it only reads, and the resource state://counter changed""#
        ]],
    );
    check(
        "announces",
        expect![[
            r#""reads_only" {"n":0}: "it says that it only reads, and notifications/resources/list_changed was sent""#
        ]],
    );
    check("sets", expect![""]);
    check(
        "adds",
        expect![[
            r#""idempotent" {"n":0}: "it says that it may be repeated; the second time, the resource state://counter changed""#
        ]],
    );
}

#[test]
fn the_check_names_the_tools_that_do_not_keep_to_their_claims() {
    let answers = answers(&[("check_server", json!({ "calls": "all" }))]);
    let findings = answers[0]["findings"].as_array().unwrap_or_else(|| panic!("{}", answers[0]));
    let effects = findings.iter().filter(|finding| finding["check"] == "effects");
    let said: Vec<&str> = effects.filter_map(|finding| finding["message"].as_str()).collect();
    expect![[r#"
        "announces" says that it only reads, and notifications/resources/list_changed was sent
        "adds" says that it may be repeated; the second time, the resource state://counter changed"#]].assert_eq(&said.join("\n"));
}

/// Tools that wait for a network that is not there would keep a check for hours.
#[test]
fn tools_that_do_not_answer_are_given_up() {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/silent.py");
    let report = &answers_of(server, &[("check_server", json!({}))])[0];
    let checks = report["checks"].as_array().expect("checks").iter();
    let of = |id: &str| checks.clone().find(|check| check["check"] == id).expect("such a check");
    let given_up = "no more tools are called: waits_0, waits_1, waits_2 did not answer";
    let skipped = of("effects")["skipped"].as_str().unwrap_or_default();
    assert!(skipped.starts_with(given_up), "{report:#}");
    let findings = report["findings"].as_array().expect("findings").iter();
    let said = findings.filter(|finding| finding["check"] == "output-schemas");
    let said: Vec<&str> = said.filter_map(|finding| finding["message"].as_str()).collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(said.iter().any(|said| said.starts_with(given_up)), "{said:?}");
}
