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

/// Compares each tool's definition with its golden file `<folder>/<tool>.json`, or writes the files
/// when `UPDATE_GOLDENS` is set. A missing or changed file fails the test.
pub fn goldens(toolset: &dyn Toolset, folder: &Path) {
    for entry in toolset.tools() {
        let path = folder.join(format!("{}.json", entry.descriptor.name));
        let now = format!("{:#}\n", entry.descriptor.contract());
        if std::env::var_os("UPDATE_GOLDENS").is_some() {
            std::fs::create_dir_all(folder).expect("the folder of the goldens can be made");
            std::fs::write(&path, &now).expect("a golden can be written");
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            golden == now,
            "{} has changed: look at the difference, then run `cargo xtask goldens`",
            path.display()
        );
    }
}
