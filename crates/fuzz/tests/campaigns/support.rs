//! A project in a folder of its own, and the tools over it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofstone_contract::CallCx;
use proofstone_fuzz::{Fuzz, Options};
use proofstone_gate::{Gate, OutputPolicy};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub(crate) const KEY: &str = "arm(0x70726f6f6673746f6e65, 1234567890123456789)";

/// A project with the contract `Lock`, and the tools over it.
pub(crate) struct Bench {
    pub(crate) gate: Gate,
    pub(crate) runtime: Runtime,
    pub(crate) root: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(Options::default())
    }

    pub(crate) fn with(options: Options) -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let artifact = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/artifacts/Lock.json");
        std::fs::copy(artifact, root.path().join("Lock.json")).expect("the artifact is copied");
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        Self { gate: gate(options), runtime: runtime.expect("a runtime"), root }
    }

    /// Another server on the same project.
    pub(crate) fn again(self) -> Self {
        Self { gate: gate(Options::default()), ..self }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root.path().join(name), text).expect("the file is written");
    }

    /// With a campaign that does not end by itself.
    pub(crate) fn running() -> Self {
        Self::running_with(Options::default())
    }

    pub(crate) fn running_with(options: Options) -> Self {
        let bench = Self::with(options);
        let answer = bench.ok(
            "start_campaign",
            json!({
                "target": "Lock.json", "testLimit": 1_000_000_000_000u64, "seed": 7, "workers": 2
            }),
        );
        assert_eq!(answer["contract"], "Lock");
        bench
    }

    /// A call; one that a busy machine made miss its 100 ms is made again.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> (bool, Value) {
        for _ in 0..50 {
            let cx = CallCx::builder(self.root.path()).time(Duration::from_mins(5)).build();
            let outcome = self.runtime.block_on(self.gate.call(tool, arguments.clone(), &cx));
            let rendered = outcome.unwrap_or_else(|unknown| panic!("{unknown}")).rendered;
            let text = rendered.text();
            let answer = rendered
                .structured
                .unwrap_or_else(|| serde_json::from_str(&text).unwrap_or(Value::String(text)));
            if answer["error"]["code"] != "EXECUTION_TIMEOUT" {
                return (rendered.is_error, answer);
            }
        }
        panic!("{tool} never answered within its time");
    }

    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Value {
        let (failed, answer) = self.call(tool, arguments);
        assert!(!failed, "{tool}: {answer:#}");
        answer
    }

    pub(crate) fn refused(&self, tool: &str, arguments: Value) -> Value {
        let (failed, answer) = self.call(tool, arguments);
        assert!(failed, "{tool}: {answer:#}");
        assert_eq!(answer["success"], false);
        assert_eq!(answer["error"]["code"], "INVALID_INPUT", "{answer:#}");
        answer["error"].clone()
    }
}

fn gate(options: Options) -> Gate {
    let tools = Arc::new(Fuzz::new(options));
    Gate::new(vec![tools], OutputPolicy::Fail).expect("no name twice")
}

/// The compiler that CI installs.
pub(crate) fn with_compiler() -> Options {
    let tools = std::env::var_os("PROOFSTONE_TOOLS").map(PathBuf::from);
    let tools =
        tools.expect("PROOFSTONE_TOOLS is not set: run ./ci/test, which installs what tests need");
    Options { solc: Some(tools.join("fuzz/node_modules/solc")), ..Options::default() }
}

pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn message(error: &Value) -> &str {
    error["message"].as_str().expect("a message")
}
