//! `end_coverage_snapshot`: how coverage changed since a snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::figures::{Change, Record};
use super::remarks::Remarks;
use crate::desk::Desk;
use crate::ratio::Ratio;
use crate::report::Report;
use crate::snapshot::{FileState, Snapshot};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The snapshot ID returned from start_coverage_snapshot
    snapshot_id: String,
    /// Path to the current LCOV coverage file to compare against the snapshot
    lcov_path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Change in overall coverage (-100 to 100)
    overall_change: Change,
    /// Map of file paths to coverage change amounts
    file_changes: Record<Change>,
    /// Files present in current but not in snapshot
    new_files: Vec<String>,
    /// Files present in snapshot but not in current
    removed_files: Vec<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct EndCoverageSnapshot(pub(crate) Arc<Desk>);

impl Tool for EndCoverageSnapshot {
    const NAME: &'static str = "end_coverage_snapshot";
    const TITLE: &'static str = "Compare with a coverage snapshot";
    const DESCRIPTION: &'static str = "Compares current coverage against a previously created \
        snapshot and returns the difference. Shows overall coverage change and per-file changes \
        (increases/decreases). Use this after making code changes to see coverage impact. Identifies \
        new files added and files removed since the snapshot.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let snapshot = seat.snapshots().load(&input.snapshot_id)?;
                let read = seat.report(&input.lcov_path)?;
                let mut remarks = Remarks::about(&read);
                let before = snapshot.lines();
                remarks.fact("linesBefore", json!({ "hit": before.hit, "found": before.found }));
                Ok(remarks.beside(compare(&snapshot, &read.report)))
            })
            .await
    }
}

/// Every file of either side: a new one counts from 0, a removed one to 0.
fn compare(snapshot: &Snapshot, report: &Report) -> Output {
    let now: BTreeMap<&str, Ratio> =
        report.files.iter().map(|file| (file.path.as_str(), file.lines())).collect();
    let old = |path: &str| snapshot.files.get(path).map(FileState::ratio);
    let change = |path: &str| {
        let (now, old) = (now.get(path).copied(), old(path));
        Change(now.unwrap_or_default().change_since(old.unwrap_or_default()))
    };
    let new = || now.keys().filter(|path| old(path).is_none()).map(|path| (*path).to_owned());
    let removed = || snapshot.files.keys().filter(|path| !now.contains_key(path.as_str())).cloned();
    let all = now.keys().map(|path| (*path).to_owned()).chain(removed());
    let mut changes: Vec<_> = all.map(|path| (path.clone(), change(&path))).collect();
    changes.sort_by(|a, b| a.0.cmp(&b.0));
    Output {
        overall_change: Change(report.lines().change_since(snapshot.lines())),
        file_changes: Record(changes),
        new_files: new().collect(),
        removed_files: removed().collect(),
    }
}
