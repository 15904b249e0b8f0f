//! What a comparison starts from: a snapshot or an older report, and the sources that it is about.

use std::path::Path;

use proofstone_coverage::change::{FileChange, explain};
use proofstone_coverage::library::{Library, Read};
use proofstone_coverage::open::Place;
use proofstone_coverage::snapshot::{Snapshot, SnapshotStore};
use proofstone_coverage::sources::Sources;

use crate::out::{self, WARN, styled};

/// Which sources the two sides are about.
#[derive(Debug, clap::Args)]
pub(crate) struct Sides {
    /// The git revision that the old report was made at: lines are then followed across edits
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
    /// The git revision that the new report was made at [default: the work tree]
    #[arg(long, value_name = "REVISION", requires = "base")]
    head: Option<String>,
}

/// Two states and what changed between them.
pub(crate) struct Comparison {
    pub(crate) then: Snapshot,
    pub(crate) changes: Vec<FileChange>,
    /// What a reader must know about how lines were compared.
    pub(crate) remarks: Vec<String>,
}

impl Sides {
    /// Compares a report with an older one, or with a snapshot by its id.
    pub(crate) fn compare(
        &self,
        old: &str,
        new: &Read,
        place: &Place,
    ) -> anyhow::Result<Comparison> {
        let root = place.root();
        let now = self.head.as_deref().map(|head| Sources::at_revision(root, head)).transpose()?;
        let now = now.unwrap_or_else(|| Sources::new(root));
        let (then, reason) = self.then(old, place)?;
        let changes = explain(&then, &new.report, &now);
        let mut remarks: Vec<String> = by_number(&changes, &reason).into_iter().collect();
        remarks.extend(newer_sources(&changes, new, &now));
        Ok(Comparison { then, changes, remarks })
    }

    /// The old state, and why a source of it may be missing.
    fn then(&self, old: &str, place: &Place) -> anyhow::Result<(Snapshot, String)> {
        let root = place.root();
        if is_snapshot(old, root) {
            let reason = "their source is missing in the snapshot or now".to_owned();
            return Ok((SnapshotStore::default().load(old)?, reason));
        }
        let report = Library::default().report(place, old)?.report;
        let (sources, reason) = match &self.base {
            Some(base) => (
                Sources::at_revision(root, base)?,
                format!("their source is missing in {base} or now"),
            ),
            None => (
                Sources::none(root),
                "what the old report is about is not known; name its git revision with --base, or \
                 compare with a snapshot, to follow lines across edits"
                    .to_owned(),
            ),
        };
        Ok((Snapshot::take(&report, old, &sources), reason))
    }
}

fn is_snapshot(name: &str, root: &Path) -> bool {
    SnapshotStore::is_id(name) && !root.join(name).exists()
}

/// Files on both sides whose lines could not be followed.
fn by_number(changes: &[FileChange], reason: &str) -> Option<String> {
    let both = |change: &&FileChange| change.before.found > 0 && change.now.found > 0;
    let unfollowed: Vec<&str> = changes
        .iter()
        .filter(both)
        .filter(|change| !change.followed)
        .map(|change| change.path.as_str())
        .collect();
    let first = unfollowed.first()?;
    let which = match unfollowed.len() {
        1 => format!("the lines of {first} are"),
        more => format!("the lines of {more} files (such as {first}) are"),
    };
    Some(format!("{which} compared by number: {reason}"))
}

/// A source that was edited after the new report was written is not what the report is about.
fn newer_sources(changes: &[FileChange], new: &Read, sources: &Sources) -> Option<String> {
    let newer = |change: &&FileChange| {
        let times = new.written.zip(sources.modified(&change.path));
        change.followed && times.is_some_and(|(report, source)| source > report)
    };
    let first = changes.iter().find(newer)?;
    Some(format!(
        "{} was changed after the new report was written: its lines may be followed wrongly; run the \
         tests again",
        first.path
    ))
}

impl Comparison {
    /// Says on stderr what a reader must know.
    pub(crate) fn say(&self) {
        for remark in &self.remarks {
            out::note(format!("{} {remark}", styled(WARN, "note:")));
        }
    }
}
