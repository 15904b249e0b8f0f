//! Calls through the gate, without a protocol around them.

use std::path::Path;
use std::sync::Arc;

use proofstone_contract::{CallCx, Toolset};
use proofstone_gate::{Gate, Outcome, OutputPolicy};
use serde_json::Value;

/// Calls a tool of a toolset the way every transport does: schema checks, limits, dialect. An answer
/// that breaks its own schema fails the test.
pub fn call(toolset: Arc<dyn Toolset>, root: &Path, tool: &str, arguments: Value) -> Outcome {
    let gate = Gate::new(vec![toolset], OutputPolicy::Fail).expect("one toolset has no name twice");
    let cx = CallCx::builder(root).session("test").build();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    let outcome = runtime.block_on(gate.call(tool, arguments, &cx));
    outcome.unwrap_or_else(|unknown| panic!("{unknown}"))
}

/// The same, as what a model reads: the text, after `error:` if the call failed.
pub fn call_text(toolset: Arc<dyn Toolset>, root: &Path, tool: &str, arguments: Value) -> String {
    let outcome = call(toolset, root, tool, arguments);
    let mark = if outcome.rendered.is_error { "error: " } else { "" };
    format!("{mark}{}", outcome.rendered.text())
}
