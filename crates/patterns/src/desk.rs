//! What the tools share: the shelves of the projects being served, the scanner and the options.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use proofstone_contract::{Answer, CallCx, Failure};
use serde_json::{Value, json};

use crate::library::Library;
use crate::scan::Scanner;
use crate::shelf::{Places, Shelf};

/// How the toolset behaves.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The user's folder of patterns.
    pub user: Option<PathBuf>,
    /// Leave out the starter library.
    pub without_built_in: bool,
    /// How code is scanned.
    pub scanner: Scanner,
    /// Where the program runs, as the caller's environment says.
    pub surroundings: Surroundings,
}

/// The environment variables that the contract names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// `MCP_DEBUG`.
    pub debug: Option<String>,
    /// `MCP_ENV`.
    pub env: Option<String>,
}

impl Surroundings {
    /// Reads the process's environment.
    pub fn of_process() -> Self {
        Self { debug: std::env::var("MCP_DEBUG").ok(), env: std::env::var("MCP_ENV").ok() }
    }

    /// Whether `MCP_DEBUG` is on.
    pub fn is_debug(&self) -> bool {
        self.debug.as_deref() == Some("true")
    }

    /// Whether the tools for debugging are served: exactly `MCP_DEBUG=true` or `MCP_ENV=local`.
    pub fn is_debug_or_local(&self) -> bool {
        self.is_debug() || self.env.as_deref() == Some("local")
    }
}

/// What the tools share.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    pub(crate) options: Options,
    shelves: Mutex<HashMap<PathBuf, Arc<Shelf>>>,
}

impl Desk {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, shelves: Mutex::default() }
    }

    /// The library as the call's project has it now.
    pub(crate) async fn library(self: &Arc<Self>, cx: &CallCx) -> Result<Arc<Library>, Failure> {
        let shelf = self.shelf(cx.root());
        cx.blocking(move |_| shelf.library()).await
    }

    fn shelf(&self, root: &Path) -> Arc<Shelf> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        let shelf = shelves.entry(root.to_path_buf()).or_insert_with(|| {
            Arc::new(Shelf::new(Places {
                project: Some(root.to_path_buf()),
                user: self.options.user.clone(),
                without_built_in: self.options.without_built_in,
            }))
        });
        Arc::clone(shelf)
    }

    pub(crate) fn scanner(&self) -> &Scanner {
        &self.options.scanner
    }
}

/// Puts what is wrong with the library beside an answer.
pub(crate) fn beside<O>(answer: Answer<O>, library: &Library) -> Answer<O> {
    const SHOWN: usize = 20;
    let diagnostics = library.diagnostics();
    let shown: Vec<Value> = diagnostics
        .iter()
        .take(SHOWN)
        .map(|d| {
            let level =
                if d.level == crate::diagnostic::Level::Error { "error" } else { "warning" };
            json!({
                "level": level, "code": d.code, "file": d.file,
                "line": d.spot.line, "column": d.spot.column, "message": d.message,
            })
        })
        .collect();
    let excluded: Vec<Value> = library
        .excluded()
        .take(SHOWN)
        .map(|(pattern, why)| json!({ "id": pattern.id, "reason": why }))
        .collect();
    let status = json!({
        "kind": "libraryStatus:v1",
        "patterns": library.patterns().len(),
        "diagnosticCount": diagnostics.len(),
        "diagnostics": shown,
        "excludedCount": library.excluded().count(),
        "excluded": excluded,
    });
    answer.meta("proofstone/library", status)
}
