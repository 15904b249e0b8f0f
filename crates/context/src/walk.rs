//! Which files of a project are looked at: what its ignore files leave, less the contract's excluded folders
//! and the jail's denied names. Links are never followed.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder, WalkState};
use proofstone_jail::Policy;

/// Folders the contract leaves out of every search, whatever the ignore files say.
pub const EXCLUDED: &[&str] = &["node_modules", ".git", "dist", "build", ".next", ".context"];

/// A file as the walk saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Path relative to the root, separated by `/`.
    pub path: String,
    /// What tells one state of the file from another without reading it.
    pub stamp: Stamp,
}

/// A file's state by its metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Last written, nanoseconds since 1970.
    pub modified: u64,
    /// Last changed in any way, where the system keeps it; `touch` can't set it back.
    pub changed: u64,
    /// The file's number in its filesystem, where there is one.
    pub inode: u64,
}

/// What was left out while walking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Entries that could not be listed, no permission mostly.
    pub unreadable: u64,
    /// Files and folders with a denied name.
    pub denied: u64,
    /// Excluded folders.
    pub excluded: u64,
}

/// Counts shared by a walk's threads.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    unreadable: AtomicU64,
    denied: AtomicU64,
    excluded: AtomicU64,
}

impl Tally {
    pub(crate) fn total(&self) -> LeftOut {
        LeftOut {
            unreadable: self.unreadable.load(Ordering::Relaxed),
            denied: self.denied.load(Ordering::Relaxed),
            excluded: self.excluded.load(Ordering::Relaxed),
        }
    }
}

/// What to walk.
#[derive(Debug, Clone)]
pub struct Scope<'a> {
    /// The project's folder.
    pub root: &'a Path,
    /// The jail's rules.
    pub policy: &'a Policy,
    /// Whether ignore files count.
    pub respect_ignores: bool,
}

/// Lists every file in scope, sorted by path. Stops early, with what it has, when `stop` is set.
pub fn list(scope: &Scope<'_>, stop: &AtomicBool) -> (Vec<Found>, LeftOut) {
    let found = Mutex::new(Vec::new());
    let tally = visit(scope, stop, || {
        |entry: &DirEntry, path: String| {
            if let Ok(metadata) = entry.metadata() {
                let stamp = stamp(&metadata);
                found
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(Found { path, stamp });
            }
        }
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    (found, tally)
}

/// Walks in parallel; `make` makes one visitor per thread, called with each regular file in scope.
pub(crate) fn visit<V, F>(scope: &Scope<'_>, stop: &AtomicBool, make: F) -> LeftOut
where
    F: Fn() -> V,
    V: FnMut(&DirEntry, String) + Send,
{
    let tally = Tally::default();
    let mut builder = WalkBuilder::new(scope.root);
    builder
        .standard_filters(scope.respect_ignores)
        .hidden(false)
        .parents(scope.respect_ignores)
        .require_git(false)
        .follow_links(false)
        .threads(std::thread::available_parallelism().map_or(2, usize::from).min(8));
    builder.build_parallel().run(|| {
        let mut visitor = make();
        let tally = &tally;
        Box::new(move |entry| {
            if stop.load(Ordering::Relaxed) {
                return WalkState::Quit;
            }
            let Ok(entry) = entry else {
                tally.unreadable.fetch_add(1, Ordering::Relaxed);
                return WalkState::Continue;
            };
            step(&entry, scope, tally, &mut visitor)
        })
    });
    tally.total()
}

fn step(
    entry: &DirEntry,
    scope: &Scope<'_>,
    tally: &Tally,
    visitor: &mut impl FnMut(&DirEntry, String),
) -> WalkState {
    if entry.depth() == 0 {
        return WalkState::Continue;
    }
    let Some(name) = entry.file_name().to_str() else { return WalkState::Skip };
    let Some(kind) = entry.file_type() else { return WalkState::Continue };
    if kind.is_dir() && EXCLUDED.contains(&name) {
        tally.excluded.fetch_add(1, Ordering::Relaxed);
        return WalkState::Skip;
    }
    if scope.policy.denies(name, !kind.is_dir()) {
        tally.denied.fetch_add(1, Ordering::Relaxed);
        return WalkState::Skip;
    }
    if kind.is_file()
        && let Some(path) = relative(entry.path(), scope.root)
    {
        visitor(entry, path);
    }
    WalkState::Continue
}

/// The path beneath the root with `/` between names.
pub(crate) fn relative(path: &Path, root: &Path) -> Option<String> {
    let text = path.strip_prefix(root).ok()?.to_str()?;
    Some(if std::path::MAIN_SEPARATOR == '/' { text.to_owned() } else { text.replace('\\', "/") })
}

/// A file's state from its metadata.
pub fn stamp(metadata: &std::fs::Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    let modified = modified.map_or(0, |since| since.as_nanos() as u64);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let changed = (metadata.ctime() as u64)
            .wrapping_mul(1_000_000_000)
            .wrapping_add(metadata.ctime_nsec() as u64);
        Stamp { size: metadata.len(), modified, changed, inode: metadata.ino() }
    }
    #[cfg(not(unix))]
    Stamp { size: metadata.len(), modified, changed: modified, inode: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "src/main.rs",
            "src/build/x.rs",
            "node_modules/a/i.js",
            ".git/config",
            ".env",
            "target/out.o",
            ".github/ci.yml",
            "keys/a.pem",
            ".context/x.md",
            "deep/dist/x.js",
            "a.log",
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::fs::write(folder.path().join(".gitignore"), "target\n*.log\n").unwrap();
        let policy = Policy::project();
        let scope = Scope { root: folder.path(), policy: &policy, respect_ignores: true };
        let (found, left_out) = list(&scope, &AtomicBool::new(false));
        let paths: Vec<&str> = found.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, [".github/ci.yml", ".gitignore", "src/main.rs"]);
        assert_eq!(left_out, LeftOut { unreadable: 0, denied: 2, excluded: 5 });
    }
}
