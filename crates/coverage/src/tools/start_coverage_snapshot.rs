//! `start_coverage_snapshot`: keeps the state of coverage for a later comparison.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remarks::Remarks;
use crate::desk::Desk;
use crate::snapshot::Snapshot;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Path to the LCOV coverage file to snapshot
    lcov_path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Unique UUID v4 identifier for this snapshot
    snapshot_id: String,
    /// Unix timestamp (milliseconds) when snapshot was created
    timestamp: u64,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct StartCoverageSnapshot(pub(crate) Arc<Desk>);

impl Tool for StartCoverageSnapshot {
    const NAME: &'static str = "start_coverage_snapshot";
    const TITLE: &'static str = "Keep a coverage snapshot";
    const DESCRIPTION: &'static str = "Creates a snapshot of current coverage state for later \
        comparison. Use this before making code changes to track coverage impact. The snapshot is \
        stored temporarily and can be compared later using end_coverage_snapshot. Returns a snapshot \
        ID that must be saved for the comparison step.";
    const EFFECT: Effect = Effect::ADDS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let read = seat.report(&input.lcov_path)?;
                let snapshot = Snapshot::take(&read.report, &input.lcov_path, &seat.sources());
                seat.snapshots().save(&snapshot)?;
                let Snapshot { id, timestamp, .. } = snapshot;
                let output = Output { snapshot_id: id.to_string(), timestamp };
                Ok(Remarks::about(&read).beside(output))
            })
            .await
    }
}
