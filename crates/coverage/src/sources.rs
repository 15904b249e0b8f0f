//! The project's source files, read beneath the root and nowhere else.

use std::path::Path;
use std::time::SystemTime;

use proofstone_jail::{Policy, Root};

use crate::paths::normalise;

/// No source file worth showing is larger.
const LARGEST_SOURCE: u64 = 16 << 20;

/// The project's source files.
#[derive(Debug)]
pub struct Sources {
    root: Option<Root>,
    path: String,
}

/// A source file's text and when it was written.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text, line by line, without line ends.
    pub lines: Vec<String>,
    /// When it was last written.
    pub modified: Option<SystemTime>,
}

impl Sources {
    /// The sources beneath a root. Where the root can't be opened there are none.
    pub fn new(root: &Path) -> Self {
        let policy = Policy::project().with_max_bytes(LARGEST_SOURCE);
        let path = normalise(&root.to_string_lossy());
        Self { root: Root::open(root, policy).ok(), path }
    }

    /// No sources at all: for reports about sources that are no longer there.
    pub fn none() -> Self {
        Self { root: None, path: String::new() }
    }

    /// A path as the project knows it: relative to the root where it is beneath it.
    pub fn relative(&self, path: &str) -> String {
        let path = normalise(path);
        match path.strip_prefix(&self.path) {
            Some(rest) if rest.starts_with('/') => rest[1..].to_owned(),
            _ => path,
        }
    }

    /// Reads a source file; `None` where it is missing, outside the root, denied or too large.
    pub fn read(&self, path: &str) -> Option<Source> {
        let file = self.root.as_ref()?.open_file(&self.relative(path)).ok()?;
        let modified = file.modified();
        let bytes = file.read_all(LARGEST_SOURCE).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some(Source { lines: text.lines().map(str::to_owned).collect(), modified })
    }

    /// When a source file was last written, without reading it.
    pub fn modified(&self, path: &str) -> Option<SystemTime> {
        self.root.as_ref()?.open_file(&self.relative(path)).ok()?.modified()
    }
}
