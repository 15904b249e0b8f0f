//! Any JSON as a tool's input schema: arguments can be made from it, and headers found in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_mcptest::{mirrored, sample_arguments};
use serde_json::{Value, json};

fuzz_target!(|text: &str| {
    let Ok(schema) = serde_json::from_str::<Value>(text) else { return };
    sample_arguments(&schema);
    let _ = mirrored(&json!({ "name": "x", "inputSchema": schema }));
});
