//! How this toolset's contract fails: `toolError:v1`, inside the declared union, with readable text beside it.

use std::time::Duration;

use proofstone_contract::{Content, Descriptor, Dialect, Failure, FailureKind, Rendered};
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::analysis::AnalysisError;

/// The dialect of the patterns contract.
#[derive(Debug, Clone, Copy, Default)]
pub struct PatternsDialect;

impl Dialect for PatternsDialect {
    fn failure_schema(&self) -> Option<Schema> {
        Some(json_schema!({
            "type": "object",
            "properties": {
                "kind": { "type": "string", "const": "toolError:v1" },
                "code": { "type": "string" },
                "message": { "type": "string" },
                "retryable": { "type": "boolean" },
                "details": { "type": "object" }
            },
            "required": ["kind", "code", "message"]
        }))
    }

    fn failure(&self, _tool: &Descriptor, failure: &Failure, _elapsed: Duration) -> Rendered {
        let mut body = Map::new();
        body.insert("kind".into(), "toolError:v1".into());
        body.insert("code".into(), code(failure).into());
        body.insert("message".into(), failure.message.clone().into());
        body.insert("retryable".into(), failure.retryable.into());
        let details = details(failure);
        if !details.is_empty() {
            body.insert("details".into(), Value::Object(details));
        }
        Rendered {
            is_error: true,
            content: vec![Content::text(text(failure))],
            structured: Some(Value::Object(body)),
            meta: Map::new(),
        }
    }
}

/// The contract's codes; refusals keep their own.
fn code(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::InvalidInput => "VALIDATION_ERROR".to_owned(),
        FailureKind::Internal => "SERVER_ERROR".to_owned(),
        FailureKind::TimedOut => "TIMEOUT".to_owned(),
        _ => failure.code.to_string(),
    }
}

fn details(failure: &Failure) -> Map<String, Value> {
    let mut details = failure.details.clone();
    if !failure.violations.is_empty() {
        details.insert("violations".into(), json!(failure.violations));
    }
    if let Some(hint) = &failure.hint {
        details.insert("hint".into(), hint.clone().into());
    }
    details
}

fn text(failure: &Failure) -> String {
    let mut text = format!("**Error ({}):** {}", code(failure), failure.message);
    if let Some(hint) = &failure.hint {
        text.push_str("\n\n");
        text.push_str(hint);
    }
    text
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Self {
        let said = error.to_string();
        match error {
            AnalysisError::Language { .. } => Self::invalid("/language", said),
            AnalysisError::Path(_) => Self::refused("PATH_REFUSED", said)
                .hint("Paths are relative to the project root and may not leave it."),
            AnalysisError::Scan(_) => Self::internal(said),
            AnalysisError::NoRule { .. } => Self::refused("NOT_FOUND", said),
            AnalysisError::DeadRule { .. } => Self::refused("DEAD_RULE", said)
                .hint("`proofstone patterns lint` says what is wrong with it."),
            AnalysisError::NoFix { .. } => Self::refused("NO_FIX", said),
            AnalysisError::NothingToFix { .. } | AnalysisError::OtherFiles { .. } => {
                Self::refused("NOTHING_TO_FIX", said)
            }
            AnalysisError::Skipped { .. } => Self::refused("NOT_SCANNED", said),
        }
    }
}
