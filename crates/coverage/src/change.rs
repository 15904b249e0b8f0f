//! Differential coverage: which lines lost or gained coverage between a snapshot and now, followed
//! across edits.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use proofstone_lcov::Lines;
use similar::{Algorithm, DiffOp};

use crate::ratio::Ratio;
use crate::report::{File, Report};
use crate::snapshot::{FileState, Snapshot, fingerprints};
use crate::sources::Sources;

/// A diff of one file may take so long before it settles for a coarser answer.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// What changed in one file. Numbers are lines of the file as it is now, except for removed ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    /// The path now (or then, for a file that is gone).
    pub path: String,
    /// The path then, if it was another one.
    pub renamed_from: Option<String>,
    /// Its lines then.
    pub before: Ratio,
    /// Its lines now.
    pub now: Ratio,
    /// Whether lines were followed across edits; without sources they are compared by number.
    pub followed: bool,
    /// Lines nobody touched that ran then and do not run now.
    pub lost: Vec<u32>,
    /// Lines nobody touched that did not run then and run now.
    pub gained: Vec<u32>,
    /// New or changed lines that do not run.
    pub new_uncovered: Vec<u32>,
    /// New or changed lines that run.
    pub new_covered: Vec<u32>,
    /// Untouched lines that were not executable then and do not run now.
    pub newly_executable: Vec<u32>,
    /// How many lines that ran then were removed or changed.
    pub removed_covered: u64,
    /// How many lines that did not run then were removed or changed.
    pub removed_uncovered: u64,
}

impl FileChange {
    /// Whether nothing at all changed.
    pub fn is_empty(&self) -> bool {
        self.before == self.now
            && self.lost.is_empty()
            && self.gained.is_empty()
            && self.new_uncovered.is_empty()
            && self.new_covered.is_empty()
            && self.newly_executable.is_empty()
            && self.removed_covered == 0
            && self.removed_uncovered == 0
    }
}

/// Compares a snapshot with a report, file by file; files without any change are left out.
pub fn explain(then: &Snapshot, now: &Report, sources: &Sources) -> Vec<FileChange> {
    let current: BTreeMap<String, &File> =
        now.files.iter().map(|file| (sources.relative(&file.path), file)).collect();
    let before: BTreeMap<String, &FileState> =
        then.files.iter().map(|(path, state)| (sources.relative(path), state)).collect();
    let renames = renames(&before, &current, sources);
    let nothing = FileState::default();
    let mut changes = Vec::new();
    for (path, file) in &current {
        let old_path = renames.get(path).copied().unwrap_or(path);
        let state = before.get(old_path).copied().unwrap_or(&nothing);
        let source = sources.read(path).map(|source| fingerprints(&source)).unwrap_or_default();
        let renamed_from = (old_path != path).then(|| old_path.to_owned());
        let change = compare(state, &file.coverage.lines, &source);
        let (path, now) = (file.path.clone(), file.lines());
        changes.push(FileChange { path, renamed_from, before: state.ratio(), now, ..change });
    }
    let moved: BTreeSet<&str> = renames.values().copied().collect();
    for (path, state) in &then.files {
        let key = sources.relative(path);
        if !current.contains_key(&key) && !moved.contains(key.as_str()) {
            let change = compare(state, &Lines::default(), &[]);
            changes.push(FileChange { path: path.clone(), before: state.ratio(), ..change });
        }
    }
    changes.retain(|change| !change.is_empty());
    changes
}

/// Files that are gone and new ones that share most of their lines: from the new path to the old.
fn renames<'a>(
    before: &'a BTreeMap<String, &FileState>,
    current: &'a BTreeMap<String, &File>,
    sources: &Sources,
) -> BTreeMap<&'a String, &'a str> {
    /// Every pair is compared, so there must not be too many.
    const COMPARED: usize = 200;
    let gone: Vec<(&str, BTreeSet<u32>)> = before
        .iter()
        .filter(|(path, state)| !current.contains_key(*path) && !state.source.is_empty())
        .take(COMPARED)
        .map(|(path, state)| (path.as_str(), state.source.iter().copied().collect()))
        .collect();
    let new = current.keys().filter(|path| !before.contains_key(*path)).take(COMPARED);
    let mut pairs = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for path in new {
        let Some(source) = sources.read(path) else { continue };
        let lines: BTreeSet<u32> = fingerprints(&source).into_iter().collect();
        let shared = |old: &BTreeSet<u32>| old.intersection(&lines).count() * 2;
        let alike = |old: &BTreeSet<u32>| shared(old) > old.len().max(lines.len());
        let best = gone.iter().filter(|(old, set)| alike(set) && !taken.contains(old));
        if let Some((old, _)) = best.max_by_key(|(_, set)| shared(set)) {
            taken.insert(*old);
            pairs.insert(path, *old);
        }
    }
    pairs
}

fn compare(then: &FileState, now: &Lines, source: &[u32]) -> FileChange {
    let before = then.lines();
    let map = Map::between(&then.source, source);
    let followed = matches!(map, Map::Followed { .. });
    let mut change = FileChange { followed, ..FileChange::default() };
    for (line, hits) in now.iter() {
        // Without sources a line that was not executable then is as good as new.
        let was = map.before(line).map(|old| before.get(old));
        let list = match (was, hits > 0) {
            (Some(Some(1..)), false) => &mut change.lost,
            (Some(Some(0)), true) => &mut change.gained,
            (Some(None), false) if followed => &mut change.newly_executable,
            (None | Some(None), false) => &mut change.new_uncovered,
            (None, true) => &mut change.new_covered,
            (Some(None), true) if !followed => &mut change.new_covered,
            _ => continue,
        };
        list.push(line);
    }
    for (line, hits) in before.iter() {
        let gone = map.is_gone(line).unwrap_or_else(|| now.get(line).is_none());
        change.removed_covered += u64::from(gone && hits > 0);
        change.removed_uncovered += u64::from(gone && hits == 0);
    }
    change
}

/// Where lines went between two times.
enum Map {
    /// Both sources are known: untouched lines, from now to then, and those of then that are kept.
    Followed { before: BTreeMap<u32, u32>, kept: BTreeSet<u32> },
    /// A source is missing: a line is taken for the one of the same number.
    ByNumber,
}

impl Map {
    fn between(then: &[u32], now: &[u32]) -> Self {
        if then.is_empty() || now.is_empty() {
            return Self::ByNumber;
        }
        let pairs = follow(then, now);
        let before = pairs.iter().map(|(old, new)| (*new, *old)).collect();
        Self::Followed { before, kept: pairs.into_iter().map(|(old, _)| old).collect() }
    }

    /// The line's number then, where nobody touched it.
    fn before(&self, line: u32) -> Option<u32> {
        match self {
            Self::Followed { before, .. } => before.get(&line).copied(),
            Self::ByNumber => Some(line),
        }
    }

    /// Whether a line of then was removed or changed, where that is known.
    fn is_gone(&self, line: u32) -> Option<bool> {
        match self {
            Self::Followed { kept, .. } => Some(!kept.contains(&line)),
            Self::ByNumber => None,
        }
    }
}

/// Untouched lines: their number then and now.
fn follow(then: &[u32], now: &[u32]) -> Vec<(u32, u32)> {
    let deadline = Some(Instant::now() + DIFF_TIME);
    let operations =
        similar::capture_diff_slices_deadline(Algorithm::Patience, then, now, deadline);
    let mut pairs = Vec::new();
    for operation in operations {
        if let DiffOp::Equal { old_index, new_index, len } = operation {
            let line = |start: usize, step: usize| (start + step + 1) as u32;
            pairs.extend((0..len).map(|step| (line(old_index, step), line(new_index, step))));
        }
    }
    pairs
}
