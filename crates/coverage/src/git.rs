//! Asking git: what changed, and how often lately. Git runs in the project root with everything
//! switched off that would run commands from the repository's configuration.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

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
    #[error("{0:?} is not a revision that git knows")]
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
    // Outside a repository `git diff` is another program with other options; this says what is wrong.
    run(root, &["rev-parse", "--git-dir"])?;
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

/// The files of one commit, read through one git process.
#[derive(Debug)]
pub struct Commit {
    hash: String,
    process: Mutex<Batch>,
}

#[derive(Debug)]
struct Batch {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Commit {
    /// The commit that a revision means.
    pub fn open(root: &Path, revision: &str) -> Result<Self, GitError> {
        check_revision(revision)?;
        let name = format!("{revision}^{{commit}}");
        let hash = match run(root, &["rev-parse", "--verify", "--end-of-options", &name]) {
            Err(GitError::Refused(why)) if why.contains("single revision") => {
                return Err(GitError::NotARevision(revision.to_owned()));
            }
            hash => hash?,
        };
        let mut child = git(root)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(GitError::Missing)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (questions, answers) = pipes.expect("both were asked to be pipes");
        let process = Mutex::new(Batch { child, questions, answers: BufReader::new(answers) });
        Ok(Self { hash: String::from_utf8_lossy(&hash).trim().to_owned(), process })
    }

    /// A file's content, by its path relative to the project root; `None` where the commit has no
    /// such file or it is larger than `limit`.
    pub(crate) fn read(&self, path: &str, limit: u64) -> Option<Vec<u8>> {
        let elsewhere = path.starts_with('/') || path.starts_with("..") || path.contains('\n');
        if elsewhere {
            return None;
        }
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.ask(&format!("{}:./{path}\n", self.hash), limit)
    }
}

impl Batch {
    /// `<hash> <kind> <size>`, the content and a line's end; or `<question> missing`.
    fn ask(&mut self, question: &str, limit: u64) -> Option<Vec<u8>> {
        self.questions.write_all(question.as_bytes()).ok()?;
        let mut head = String::new();
        self.answers.read_line(&mut head).ok()?;
        let mut words = head.split_ascii_whitespace().skip(1);
        let (kind, size) = (words.next()?, words.next()?.parse::<u64>().ok()?);
        if head.trim_end().ends_with(" missing") {
            return None;
        }
        let mut content = Vec::new();
        let mut answer = self.answers.by_ref().take(size + 1);
        if kind == "blob" && size <= limit {
            answer.read_to_end(&mut content).ok()?;
            content.truncate(size as usize);
            return Some(content);
        }
        std::io::copy(&mut answer, &mut std::io::sink()).ok()?;
        None
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // It only waits for questions, so it may be stopped at any time.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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

fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["-c", "core.quotePath=off", "-c", "core.fsmonitor=false", "-c", "diff.external="])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let mut child = git(root).args(arguments).spawn().map_err(GitError::Missing)?;
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

    #[test]
    fn files_of_a_commit_beneath_the_root() {
        let repository = tempfile::tempdir().unwrap();
        let root = repository.path().join("part");
        std::fs::create_dir_all(root.join("more")).unwrap();
        std::fs::write(root.join("a b é.c"), "old\n").unwrap();
        std::fs::write(root.join("more/empty"), "").unwrap();
        std::fs::write(repository.path().join("outside"), "x").unwrap();
        let who = ["-c", "user.name=me", "-c", "user.email=me@example.org"];
        run(repository.path(), &["init", "-q"]).unwrap();
        run(repository.path(), &["add", "."]).unwrap();
        run(repository.path(), &[&who[..], &["commit", "-qm", "first"]].concat()).unwrap();
        std::fs::write(root.join("a b é.c"), "new\n").unwrap();

        let commit = Commit::open(&root, "HEAD").unwrap();
        let text = |path, limit| commit.read(path, limit).map(|c| String::from_utf8(c).unwrap());
        assert_eq!(text("a b é.c", 9).as_deref(), Some("old\n"));
        for missing in ["gone", "gone with spaces", "more", "../outside", "/outside", "a\nb", ""] {
            assert_eq!(text(missing, 9), None, "{missing:?}");
        }
        assert_eq!(text("a b é.c", 3), None, "too large");
        assert_eq!(text("more/empty", 9).as_deref(), Some(""), "answers stay in step");
        for bad in ["nowhere", "HEAD:part"] {
            assert!(matches!(Commit::open(&root, bad), Err(GitError::NotARevision(_))), "{bad}");
        }
    }
}
