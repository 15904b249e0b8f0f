//! The nine tools' schemas are the contract's, to the letter: `contract.json` holds them.

use proofstone_contract::{Descriptor, Toolset};
use proofstone_fuzz::{Fuzz, Options};
use serde_json::{Value, json};

fn contract() -> Value {
    serde_json::from_str(include_str!("contract.json")).expect("contract.json is JSON")
}

fn descriptor(name: &str) -> std::sync::Arc<Descriptor> {
    let entries = Fuzz::new(Options::default()).tools();
    let found = entries.into_iter().find(|entry| entry.descriptor.name == name);
    found.unwrap_or_else(|| panic!("there is no tool {name}")).descriptor
}

fn names() -> Vec<String> {
    let contract = contract();
    contract["tools"].as_object().expect("tools").keys().cloned().collect()
}

#[test]
fn inputs_are_the_contracts() {
    assert_eq!(names().len(), 9);
    for name in names() {
        let expected = &contract()["tools"][&name]["input"];
        let ours = Value::Object(descriptor(&name).input_schema().as_ref().clone());
        assert_eq!(&ours, expected, "{name}: {ours:#}");
    }
}

/// A structured answer is the contract's, or the contract's error: one union says both.
#[test]
fn outputs_are_the_contracts() {
    let without_draft = |mut schema: Value| {
        schema.as_object_mut().expect("an object").shift_remove("$schema");
        schema
    };
    let error = without_draft(contract()["error"].clone());
    for name in names() {
        let expected = contract()["tools"][&name]["output"].clone();
        let descriptor = descriptor(&name);
        let Some(ours) = descriptor.output_schema() else {
            assert_eq!(expected["type"], "string", "{name} answers in text");
            continue;
        };
        let ours = Value::Object(ours.as_ref().clone());
        let union = json!({
            "$schema": expected["$schema"],
            "type": "object",
            "oneOf": [without_draft(expected), error],
        });
        assert_eq!(ours, union, "{name}: {ours:#}");
    }
}

#[test]
fn the_contracts_examples_fit() {
    let fits = |schema: &serde_json::Map<String, Value>, example: Value| {
        let validator =
            jsonschema::validator_for(&Value::Object(schema.clone())).expect("a schema");
        let errors: Vec<String> = validator.iter_errors(&example).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{example}: {errors:?}");
    };
    let input = |tool: &str, example: Value| fits(descriptor(tool).input_schema(), example);
    let output = |tool: &str, example: Value| {
        fits(descriptor(tool).output_schema().expect("a schema"), example);
    };
    input("read_logs", json!({ "count": 50, "eventType": "PropertyFalsified" }));
    output(
        "read_logs",
        json!({
            "events": [{
                // The contract's example lacks the timezone that its own rules ask for.
                "timestamp": "2025-12-20T10:35:12Z",
                "eventType": "PropertyFalsified",
                "workerId": 2,
                "data": {
                    "property": "echidna_balance_invariant",
                    "counterexample": ["deposit(100)", "withdraw(200)"],
                    "gasUsed": 45000
                }
            }],
            "totalCount": 1523
        }),
    );
    input(
        "inject_transaction",
        json!({
            "sequence": [
                "approve(0x1234567890abcdef1234567890abcdef12345678, 1000000)",
                "transferFrom(0xabcd..., 0xdcba..., 500000)"
            ],
            "sender": "0x0000000000000000000000000000000000010000"
        }),
    );
    output(
        "inject_transaction",
        json!({ "success": true, "message": "Injected 2 transactions to 4 workers", "injectedCount": 2 }),
    );
    input("prioritize_function", json!({ "functionSignature": "transfer(address,uint256)" }));
    output(
        "prioritize_function",
        json!({
            "success": true,
            "message": "Prioritized function 'transfer(address,uint256)'",
            "prioritizedFunctions": ["transfer(address,uint256)", "approve(address,uint256)"]
        }),
    );
    for tool in names().iter().filter(|name| *name != "dump_lcov") {
        let error =
            json!({ "code": "EXECUTION_TIMEOUT", "message": "Tool read_logs exceeded 100ms" });
        output(tool, json!({ "success": false, "error": error }));
    }
}
