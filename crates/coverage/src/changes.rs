//! The change that is asked about: a diff from git, with files git does not know yet, or a given one.

use std::path::Path;

use crate::diff::{self, DiffError, FileDiff};
use crate::git::{self, Comparison, GitError};
use crate::sources::Sources;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// From the point where the work tree left this revision to the work tree.
    Since(String),
    /// From the last commit to what is staged.
    Staged,
    /// From the last commit to the work tree.
    WorkTree,
    /// This unified diff.
    Diff(String),
}

impl Change {
    /// What it is a change against, in words.
    pub fn against(&self) -> String {
        match self {
            Self::Since(revision) => revision.clone(),
            Self::Staged => "HEAD (staged changes)".to_owned(),
            Self::WorkTree => "HEAD".to_owned(),
            Self::Diff(_) => "the given diff".to_owned(),
        }
    }
}

/// Why a change could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// Git gave no answer.
    #[error("Cannot compare with git: {0}")]
    Git(#[from] GitError),
    /// The diff can't be read.
    #[error("Cannot read the diff: {0}")]
    Diff(#[from] DiffError),
}

/// The files of a change and their added lines. A file git does not know yet is new as a whole.
pub fn changed_files(
    change: &Change,
    root: &Path,
    sources: &Sources,
) -> Result<Vec<FileDiff>, ChangeError> {
    let comparison = match change {
        Change::Diff(text) => return Ok(diff::parse(text)?),
        Change::Since(revision) => Comparison::Since(revision.clone()),
        Change::Staged => Comparison::Index,
        Change::WorkTree => Comparison::WorkTree,
    };
    let mut files = diff::parse(&git::diff(root, &comparison)?)?;
    if comparison != Comparison::Index {
        let whole = |path: String| {
            let length = sources.read(&path)?.lines.len() as u32;
            Some(FileDiff { new: Some(path), added: (1..=length).collect(), ..FileDiff::default() })
        };
        files.extend(git::untracked(root)?.into_iter().filter_map(whole));
    }
    Ok(files)
}
