//! A small project with a report, and calls through the same gate that serves clients.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use proofstone_contract::{CallCx, Rendered};
use proofstone_coverage::snapshot::SnapshotStore;
use proofstone_coverage::{Coverage, Options};
use proofstone_gate::{Gate, OutputPolicy};
use serde_json::Value;

/// A project in a temporary directory and the toolset serving it.
pub(crate) struct Project {
    directory: tempfile::TempDir,
    gate: Gate,
    runtime: tokio::runtime::Runtime,
}

impl Project {
    /// An empty project.
    pub(crate) fn new() -> Self {
        Self::with(|options| options)
    }

    /// An empty project served with other options.
    pub(crate) fn with(change: impl FnOnce(Options) -> Options) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let kept = directory.path().join("kept");
        std::fs::create_dir(&kept).expect("a new directory");
        let snapshots = SnapshotStore::within(&kept);
        let options = change(Options { snapshots, ..Options::default() });
        let toolset = Arc::new(Coverage::new(options));
        let gate = Gate::new(vec![toolset], OutputPolicy::Fail).expect("tools have distinct names");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("a runtime can be started");
        std::fs::create_dir(directory.path().join("root")).expect("a new directory");
        Self { directory, gate, runtime }
    }

    /// The project root.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    /// A place beside the project root.
    pub(crate) fn outside(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file beneath the root.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a directory"))
            .expect("directories can be made");
        std::fs::write(path, content).expect("a file can be written");
        self
    }

    /// Runs git in the root.
    pub(crate) fn git(&self, arguments: &[&str]) -> &Self {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.root())
            .args(["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .output()
            .expect("git is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Rendered {
        let cx = CallCx::builder(self.root()).build();
        let outcome = self.runtime.block_on(self.gate.call(tool, arguments, &cx));
        outcome.expect("the tool is known").rendered
    }

    /// Calls a tool and shows everything a client sees as text, without this machine's paths.
    pub(crate) fn shown(&self, tool: &str, arguments: Value) -> String {
        let rendered = self.call(tool, arguments);
        assert_eq!(rendered.is_error, rendered.structured.is_none());
        let text = rendered.text();
        text.replace(&self.directory.path().display().to_string(), "[tmp]") + "\n"
    }

    /// Calls a tool that must succeed and returns the structured answer.
    pub(crate) fn answer(&self, tool: &str, arguments: Value) -> Value {
        let rendered = self.call(tool, arguments);
        let text = rendered.text();
        rendered.structured.unwrap_or_else(|| panic!("{tool} failed: {text}"))
    }
}
