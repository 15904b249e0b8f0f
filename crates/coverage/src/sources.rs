//! The project's source files, of the work tree (beneath the root and nowhere else) or of a commit.

use std::path::Path;
use std::time::SystemTime;

use proofstone_jail::{Policy, Root};

use crate::git::{Commit, GitError};
use crate::paths::normalise;

/// No source file worth showing is larger.
const LARGEST_SOURCE: u64 = 16 << 20;

/// The project's source files.
#[derive(Debug)]
pub struct Sources {
    shelf: Shelf,
    path: String,
}

#[derive(Debug)]
enum Shelf {
    Nowhere,
    WorkTree(Root),
    Commit(Commit),
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
        Self { shelf: Root::open(root, policy).map_or(Shelf::Nowhere, Shelf::WorkTree), path }
    }

    /// The sources as they are in a git revision.
    pub fn at_revision(root: &Path, revision: &str) -> Result<Self, GitError> {
        let path = normalise(&root.to_string_lossy());
        Ok(Self { shelf: Shelf::Commit(Commit::open(root, revision)?), path })
    }

    /// No sources at all: for reports about sources that are no longer there. Paths are still
    /// relative to the root.
    pub fn none(root: &Path) -> Self {
        Self { shelf: Shelf::Nowhere, path: normalise(&root.to_string_lossy()) }
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
        let path = self.relative(path);
        let (bytes, modified) = match &self.shelf {
            Shelf::Nowhere => return None,
            Shelf::WorkTree(root) => {
                let file = root.open_file(&path).ok()?;
                let modified = file.modified();
                (file.read_all(LARGEST_SOURCE).ok()?, modified)
            }
            Shelf::Commit(commit) => (commit.read(&path, LARGEST_SOURCE)?, None),
        };
        let text = String::from_utf8_lossy(&bytes);
        Some(Source { lines: text.lines().map(str::to_owned).collect(), modified })
    }

    /// When a source file of the work tree was last written, without reading it.
    pub fn modified(&self, path: &str) -> Option<SystemTime> {
        match &self.shelf {
            Shelf::WorkTree(root) => root.open_file(&self.relative(path)).ok()?.modified(),
            Shelf::Nowhere | Shelf::Commit(_) => None,
        }
    }
}
