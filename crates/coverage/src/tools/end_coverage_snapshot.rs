//! `end_coverage_snapshot`: how coverage changed since a snapshot.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::figures::{Change, Record};
use super::remarks::Remarks;
use crate::desk::Desk;
use crate::paths::key;
use crate::ratio::Ratio;
use crate::report::Report;
use crate::snapshot::Snapshot;

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
                Ok(remarks.beside(compare(&snapshot, &read.report, &seat.root())))
            })
            .await
    }
}

/// Every file of either side: a new one counts from 0, a removed one to 0. A file may be spelled
/// another way than it was; it goes by its present spelling.
fn compare(snapshot: &Snapshot, report: &Report, root: &str) -> Output {
    let mut then = snapshot.by_key(root);
    let mut changes = Vec::new();
    let mut new_files = Vec::new();
    for file in &report.files {
        let old = then.remove(&key(&file.path, root)).map(|(_, state)| state.ratio());
        if old.is_none() {
            new_files.push(file.path.clone());
        }
        let change = file.lines().change_since(old.unwrap_or_default());
        changes.push((file.path.clone(), Change(change)));
    }
    let mut removed_files = Vec::new();
    for (path, state) in then.into_values() {
        removed_files.push(path.to_owned());
        changes.push((path.to_owned(), Change(Ratio::default().change_since(state.ratio()))));
    }
    changes.sort_by(|a, b| a.0.cmp(&b.0));
    new_files.sort();
    removed_files.sort();
    Output {
        overall_change: Change(report.lines().change_since(snapshot.lines())),
        file_changes: Record(changes),
        new_files,
        removed_files,
    }
}
