//! Asking git: what changed, and how often lately. Git runs in the project root with everything
//! switched off that would run commands from the repository's configuration.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A diff larger than this is no review.
const LARGEST_OUTPUT: u64 = 256 << 20;

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git is not installed.
    #[error("git could not be started: {0}; install git or pass the diff itself")]
    Missing(std::io::Error),
    /// Git refused.
    #[error("git refused: {0}")]
    Refused(String),
    /// A name that can't be a revision.
    #[error("{0:?} is not a revision")]
    NotARevision(String),
    /// More output than is reasonable.
    #[error("the diff is larger than 256 MiB")]
    TooLarge,
}

/// What to compare with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The work tree with the point where it left this revision.
    Since(String),
    /// The index with the last commit.
    Index,
    /// The work tree with the last commit.
    WorkTree,
}

/// The diff of a comparison, without context lines.
pub fn diff(root: &Path, comparison: &Comparison) -> Result<String, GitError> {
    let mut arguments = vec![
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--find-renames",
        "--unified=0",
        "--relative",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    ];
    match comparison {
        Comparison::Since(revision) => {
            check_revision(revision)?;
            arguments.extend(["--merge-base", "--end-of-options", revision]);
        }
        Comparison::Index => arguments.push("--cached"),
        Comparison::WorkTree => arguments.push("HEAD"),
    }
    arguments.push("--");
    let output = run(root, &arguments)?;
    Ok(crate::report::readable_path(&output))
}

/// Files git does not know and does not ignore: all of their lines are new.
pub fn untracked(root: &Path) -> Result<Vec<String>, GitError> {
    let output = run(root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(crate::report::readable_path).collect())
}

/// How many commits touched each file in the last 90 days.
pub fn recent_changes(root: &Path) -> Result<BTreeMap<String, u32>, GitError> {
    let arguments = [
        "log",
        "--since=90.days",
        "--format=",
        "--name-only",
        "--relative",
        "--no-color",
        "-z",
        "--",
    ];
    let output = run(root, &arguments)?;
    let mut changes = BTreeMap::new();
    for name in output.split(|byte| *byte == 0 || *byte == b'\n').filter(|name| !name.is_empty()) {
        *changes.entry(crate::report::readable_path(name)).or_default() += 1;
    }
    Ok(changes)
}

/// Revisions come from outside; an option or a path must not pass for one.
fn check_revision(revision: &str) -> Result<(), GitError> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "\\:?*[".contains(c);
    if revision.is_empty()
        || revision.starts_with('-')
        || revision.chars().any(odd)
        || revision.contains("..")
    {
        return Err(GitError::NotARevision(revision.to_owned()));
    }
    Ok(())
}

fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["-c", "core.quotePath=off", "-c", "core.fsmonitor=false", "-c", "diff.external="])
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(GitError::Missing)?;
    let complaints = child.stderr.take();
    let complaints = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(stderr) = complaints {
            // What can't be read of a complaint is not worth failing for.
            let _ = stderr.take(64 << 10).read_to_string(&mut text);
        }
        text
    });
    let mut output = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(LARGEST_OUTPUT + 1).read_to_end(&mut output).map_err(GitError::Missing)?;
    }
    if output.len() as u64 > LARGEST_OUTPUT {
        // The child may have ended by itself meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        return Err(GitError::TooLarge);
    }
    let status = child.wait().map_err(GitError::Missing)?;
    let complaint = complaints.join().unwrap_or_default();
    if status.success() {
        return Ok(output);
    }
    let first = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(GitError::Refused(first.trim_start_matches("fatal: ").to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_no_revisions() {
        for bad in ["", "--output=/tmp/x", "a b", "main:secret", "a..b", "x\n"] {
            assert!(check_revision(bad).is_err(), "{bad:?}");
        }
        for good in ["main", "origin/main", "v1.2.3", "HEAD~3", "HEAD^", "abc123"] {
            assert!(check_revision(good).is_ok(), "{good:?}");
        }
    }
}
