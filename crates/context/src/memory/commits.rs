//! Discoveries that a project's commits hold: what was fixed and how, what was decided, what must be.
//!
//! Most messages say only what was done. One becomes a discovery when it gives a reason or a rule in words that say
//! so; which words those were decides its kind. Nothing is written: the history is the file they come from. A commit
//! that was reverted is withdrawn.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use super::discovery::{Discovery, DiscoveryKind as K, Source, Status};

/// Commits that are looked at, newest first.
const COMMITS: &str = "1000";
/// How sure it is that a message's words mean what they seem to.
const CONFIDENCE: f64 = 0.5;
/// Longest content.
const LONGEST: usize = 1000;
/// Separates the parts of a commit, and commits, in what git prints.
const PART: char = '\u{1f}';
const COMMIT: char = '\u{1e}';

/// Words that give a reason or a rule, and the kind they speak of. The first that stands there counts.
const SIGNS: &[(&[&str], K)] = &[
    (&["must never", "must always", "must not", "never again", "always ", "should never"], K::Rule),
    (
        &[
            "instead of",
            "decided to",
            "we chose",
            "switch to",
            "switch from",
            "replace ",
            "in favour of",
            "in favor of",
            "migrate to",
            "deprecate",
        ],
        K::Decision,
    ),
    (
        &["fixes ", "fix ", "fixed ", "bug", "regression", "race condition", "deadlock", "leak"],
        K::Issue,
    ),
    (&["convention", "by convention", "pattern", "every ", "so that all"], K::Pattern),
];
/// What a message has to hold besides: the reason.
const REASONS: &[&str] = &[
    "because",
    "since ",
    "so that",
    "otherwise",
    "root cause",
    "caused by",
    "the reason",
    "due to",
    "this was",
    "this happened",
    "rationale",
    "which means",
    "to avoid",
    "to prevent",
];

/// The commits of a project as they were when HEAD was last looked at.
#[derive(Debug, Default)]
pub(super) struct Commits(Mutex<Option<(String, Arc<Vec<Discovery>>)>>);

impl Commits {
    /// The discoveries in the history of the project at `root`; none without git.
    pub(super) fn discoveries(&self, root: &Path) -> Arc<Vec<Discovery>> {
        // A folder inside a larger repository has a history that is not its own.
        let is_whole = root.join(".git").exists();
        let head = if is_whole { git(root, &["rev-parse", "HEAD"]) } else { None };
        let head = head.unwrap_or_default();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, found)) = &*known
            && *at == head
        {
            return Arc::clone(found);
        }
        let found = Arc::new(if head.is_empty() { Vec::new() } else { read(root) });
        *known = Some((head, Arc::clone(&found)));
        found
    }
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let output = git.env("GIT_OPTIONAL_LOCKS", "0").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn read(root: &Path) -> Vec<Discovery> {
    let format = "--format=%x1e%H%x1f%an%x1f%aI%x1f%B%x1f";
    let log = git(
        root,
        &["log", "--no-merges", "-n", COMMITS, format, "--name-only", "--relative", "--", "."],
    );
    parse(&log.unwrap_or_default())
}

/// What git printed, as discoveries.
pub(super) fn parse(log: &str) -> Vec<Discovery> {
    let commits: Vec<Vec<&str>> =
        log.split(COMMIT).skip(1).map(|commit| commit.split(PART).collect()).collect();
    let reverted: HashSet<&str> =
        commits.iter().filter_map(|parts| parts.get(3)).filter_map(|said| reverts(said)).collect();
    let whole = commits.iter().filter_map(|parts| <[&str; 5]>::try_from(parts.as_slice()).ok());
    whole.filter_map(|parts| discovery(parts, &reverted)).collect()
}

fn reverts(message: &str) -> Option<&str> {
    let (_, after) = message.split_once("This reverts commit ")?;
    let hash = after.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    (hash.len() >= 7).then_some(hash)
}

fn discovery(
    [hash, author, at, message, files]: [&str; 5],
    reverted: &HashSet<&str>,
) -> Option<Discovery> {
    let message = without_trailers(message);
    let kind = kind_of(&message)?;
    let files: Vec<&str> = files.lines().filter(|line| !line.is_empty()).collect();
    let module = files.first().map(|file| crate::module::of(file));
    let module =
        module.filter(|module| files.iter().all(|file| crate::module::of(file) == *module));
    let is_reverted = reverted.iter().any(|gone| hash.starts_with(gone));
    let at = at.parse::<jiff::Timestamp>().ok()?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Some(Discovery {
        id: format!("commit-{}", hash.get(..12)?),
        file: String::new(),
        kind,
        content: message.chars().take(LONGEST).collect(),
        module,
        session: None,
        source: Source::Commit,
        author: Some(author.to_owned()),
        confidence: CONFIDENCE,
        status: if is_reverted { Status::Withdrawn } else { Status::Active },
        superseded_by: None,
        created_at: at.clone(),
        updated_at: at,
        anchor: None,
        anchor_state: None,
    })
}

fn kind_of(message: &str) -> Option<K> {
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let kind = SIGNS.iter().find(|(words, _)| says(words)).map(|(_, kind)| *kind)?;
    (says(REASONS) && !lower.starts_with("revert")).then_some(kind)
}

/// Without `Signed-off-by:` and the like, and without numbers of pull requests on a line of their own.
fn without_trailers(message: &str) -> String {
    let is_trailer = |line: &&str| {
        let key = line.split_once(": ").map_or("", |(key, _)| key);
        key.contains('-') && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let kept: Vec<&str> =
        message.lines().map(str::trim_end).filter(|line| !is_trailer(line)).collect();
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn log(commits: &[(&str, &str, &str)]) -> String {
        let one = |(hash, message, files): &(&str, &str, &str)| {
            format!(
                "\u{1e}{hash}\u{1f}Ann\u{1f}2026-01-02T03:04:05+01:00\u{1f}{message}\u{1f}\n\n{files}\n"
            )
        };
        commits.iter().map(one).collect()
    }

    #[test]
    fn messages_that_give_a_reason_are_discoveries() {
        let found = parse(&log(&[
            (
                "aaaaaaaaaaaaaaaa",
                "Fix lost updates\n\nThe cache was read twice because the lock was taken late.\n\nSigned-off-by: A <a@b>",
                "src/cache/lock.rs",
            ),
            (
                "bbbbbbbbbbbbbbbb",
                "Use SQLite instead of files\n\nTo avoid half-written state.",
                "src/a.rs\nweb/b.ts",
            ),
            ("cccccccccccccccc", "Bump version", "Cargo.toml"),
            ("dddddddddddddddd", "Rename a thing", "src/a.rs"),
        ]));
        let shown: Vec<_> = found.iter().map(|d| (d.id.as_str(), d.kind, d.status)).collect();
        assert_eq!(
            shown,
            [
                ("commit-aaaaaaaaaaaa", K::Issue, Status::Active),
                ("commit-bbbbbbbbbbbb", K::Decision, Status::Active)
            ]
        );
        assert_eq!(found[0].created_at, "2026-01-02T02:04:05Z");
        assert!(!found[0].content.contains("Signed-off"));
    }

    #[test]
    fn what_was_reverted_is_withdrawn() {
        let found = parse(&log(&[
            (
                "eeeeeeeeeeeeeeee",
                "Revert \"Use threads\"\n\nThis reverts commit ffffffffffff, because it deadlocks.",
                "a.rs",
            ),
            (
                "ffffffffffffffff",
                "Use threads instead of processes\n\nBecause they start faster.",
                "a.rs",
            ),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].status, Status::Withdrawn);
    }

    proptest! {
        #[test]
        fn any_log_is_read_without_panic(log in "[\u{1e}\u{1f}a-f0-9 :\\n\\-éT.]{0,300}") {
            let _ = parse(&log);
        }
    }
}
