//! How the fuzzing contract fails: `{"success": false, "error": {code, message, details}}`, with one of four
//! codes. What the codes can't tell stands in `details.reason`.

use std::time::Duration;

use proofstone_contract::{
    Content, Descriptor, Dialect, Draft, Failure, FailureKind, Rendered, Shape, json_text,
};
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

/// The dialect of the fuzzing contract.
#[derive(Clone, Copy, Debug, Default)]
pub struct FuzzDialect;

impl Dialect for FuzzDialect {
    fn draft(&self) -> Draft {
        Draft::V7
    }

    fn failure_schema(&self) -> Option<Schema> {
        Some(json_schema!({
            "type": "object",
            "title": "ErrorResponse",
            "properties": {
                "success": { "type": "boolean", "enum": [false] },
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "INVALID_INPUT", "TOOL_NOT_FOUND", "EXECUTION_TIMEOUT", "INTERNAL_ERROR"
                            ]
                        },
                        "message": { "type": "string", "description": "Human-readable error description" },
                        "details": { "type": "object", "description": "Additional error context" }
                    },
                    "required": ["code", "message"]
                }
            },
            "required": ["success", "error"]
        }))
    }

    fn failure(&self, tool: &Descriptor, failure: &Failure, _elapsed: Duration) -> Rendered {
        let error = json!({
            "code": code(failure),
            "message": failure.message,
            "details": details(failure),
        });
        let body = json!({ "success": false, "error": error });
        Rendered {
            is_error: true,
            content: vec![Content::Text(json_text(&body))],
            structured: (tool.shape == Shape::Structured).then_some(body),
            meta: Map::new(),
        }
    }
}

fn code(failure: &Failure) -> &'static str {
    match failure.kind {
        FailureKind::InvalidInput | FailureKind::Refused => "INVALID_INPUT",
        FailureKind::TimedOut => "EXECUTION_TIMEOUT",
        FailureKind::RateLimited | FailureKind::Cancelled | FailureKind::Internal => {
            "INTERNAL_ERROR"
        }
    }
}

fn details(failure: &Failure) -> Value {
    let mut details = failure.details.clone();
    if failure.code != code(failure) {
        details.insert("reason".into(), failure.code.clone().into());
    }
    if let Some(hint) = &failure.hint {
        details.insert("hint".into(), hint.clone().into());
    }
    if !failure.violations.is_empty() {
        details.insert("violations".into(), json!(failure.violations));
    }
    Value::Object(details)
}
