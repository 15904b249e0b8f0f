//! How this toolset's contract fails: one line of text, `Error: <message>`, and nothing structured.

use std::time::Duration;

use proofstone_contract::{Content, Descriptor, Dialect, Failure, Rendered};
use serde_json::Map;

use crate::attribution::AttributionError;
use crate::changes::ChangeError;
use crate::open::ReportError;
use crate::snapshot::SnapshotError;

/// The dialect of the coverage contract.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoverageDialect;

impl Dialect for CoverageDialect {
    fn failure(&self, _tool: &Descriptor, failure: &Failure, _elapsed: Duration) -> Rendered {
        let text = format!("Error: {}", failure.message);
        Rendered {
            is_error: true,
            content: vec![Content::text(text)],
            structured: None,
            meta: Map::new(),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        let code = match error {
            ReportError::NotFound { .. } => "FILE_NOT_FOUND",
            ReportError::Unreadable { .. } => "FILE_UNREADABLE",
            ReportError::Unparsable { .. } => "PARSE_ERROR",
        };
        Self::refused(code, error.to_string())
    }
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Self {
        let code = match error {
            SnapshotError::NotFound { .. } | SnapshotError::Damaged { .. } => "SNAPSHOT_NOT_FOUND",
            SnapshotError::Storage { .. } => "STORAGE_ERROR",
        };
        Self::refused(code, error.to_string())
    }
}

impl From<ChangeError> for Failure {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Git(_) => Self::refused("GIT_ERROR", error.to_string()),
            ChangeError::Diff(_) => Self::invalid("/diff", error.to_string()),
        }
    }
}

impl From<AttributionError> for Failure {
    fn from(error: AttributionError) -> Self {
        match error {
            AttributionError::Report(error) => error.into(),
            _ => Self::refused("NO_TESTS", format!("Cannot tell which tests ran: {error}")),
        }
    }
}
