//! A project on disk with the tools in front of it, called as a client would call them.

use std::path::Path;
use std::sync::Arc;

use proofstone_context::{Context, Options};
use proofstone_contract::{CallCx, Rendered, Toolset};
use proofstone_gate::{Gate, OutputPolicy};
use serde_json::Value;

pub(crate) struct Session {
    pub(crate) folder: tempfile::TempDir,
    _cache: tempfile::TempDir,
    toolset: Arc<Context>,
    gate: Gate,
    runtime: tokio::runtime::Runtime,
}

impl Session {
    /// A project with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            write(folder.path(), path, text);
        }
        Self::at(folder)
    }

    pub(crate) fn at(folder: tempfile::TempDir) -> Self {
        let cache = tempfile::tempdir().expect("a folder");
        let options = Options { cache: cache.path().to_owned(), embeddings: None };
        let toolset = Arc::new(Context::open(folder.path(), options).expect("the project opens"));
        let gate = Gate::new(vec![Arc::clone(&toolset) as Arc<dyn Toolset>], OutputPolicy::Fail)
            .expect("names differ");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .worker_threads(2)
            .build()
            .expect("a runtime");
        Self { folder, _cache: cache, toolset, gate, runtime }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        write(self.folder.path(), path, text);
    }

    pub(crate) fn rendered(&self, tool: &str, arguments: Value) -> Rendered {
        let cx = CallCx::builder(self.folder.path()).build();
        self.runtime
            .block_on(self.gate.call(tool, arguments, &cx))
            .expect("the tool exists")
            .rendered
    }

    /// The answer of a call that must succeed.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Value {
        let rendered = self.rendered(tool, arguments);
        assert!(!rendered.is_error, "{tool}: {}", rendered.text());
        let text: Value = serde_json::from_str(&rendered.text()).expect("the text is JSON");
        assert_eq!(Some(&text), rendered.structured.as_ref(), "both channels say the same");
        text
    }

    /// The failure of a call that must fail.
    pub(crate) fn fail(&self, tool: &str, arguments: Value) -> Value {
        let rendered = self.rendered(tool, arguments);
        assert!(rendered.is_error, "{tool} succeeded: {}", rendered.text());
        serde_json::from_str(&rendered.text()).expect("the text is JSON")
    }

    pub(crate) fn resource(&self, uri: &str) -> Result<String, String> {
        let cx = CallCx::builder(self.folder.path()).build();
        let resources = self.toolset.resources().expect("there are resources");
        let read = self.runtime.block_on(resources.read(uri, &cx)).expect("the address is known");
        match read {
            Ok(bodies) => match &bodies[0] {
                proofstone_contract::ResourceBody::Text { text, .. } => Ok(text.clone()),
                other @ proofstone_contract::ResourceBody::Blob { .. } => panic!("{other:?}"),
            },
            Err(failure) => Err(failure.message),
        }
    }

    /// Waits until everything that is counted in the background is written.
    pub(crate) fn settle(&self) {
        self.runtime.block_on(self.toolset.shutdown());
    }
}

pub(crate) fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    std::fs::write(path, text).expect("written");
}
