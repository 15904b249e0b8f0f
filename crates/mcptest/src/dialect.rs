//! How the mcp-test contract answers and fails: always an object with `success`, and for a failure its
//! type, the connection it happened on and how long it took.

use std::time::Duration;

use proofstone_contract::{
    Content, Descriptor, Dialect, Failure, FailureKind, Rendered, json_text,
};
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

/// The dialect.
#[derive(Debug, Clone, Copy, Default)]
pub struct McpTestDialect;

/// Where a failure keeps the connection it happened on.
pub(crate) const CONNECTION: &str = "connection";

impl Dialect for McpTestDialect {
    fn failure_schema(&self) -> Option<Schema> {
        Some(json_schema!({
            "type": "object",
            "properties": {
                "success": { "type": "boolean", "const": false },
                "error": {
                    "type": "object",
                    "properties": {
                        "type": {
                            "type": "string",
                            "enum": [
                                "not_connected", "connection_failed", "tool_not_found",
                                "resource_not_found", "prompt_not_found", "invalid_arguments",
                                "execution_error", "timeout", "transport_error"
                            ]
                        },
                        "message": { "type": "string" },
                        "details": { "type": "object" },
                        "suggestion": { "type": "string" }
                    },
                    "required": ["type", "message", "details"]
                },
                "connection": { "type": "object" },
                "metadata": {
                    "type": "object",
                    "properties": { "request_time_ms": { "type": "integer" } },
                    "required": ["request_time_ms"]
                }
            },
            "required": ["success", "error", "connection", "metadata"]
        }))
    }

    fn failure(&self, _tool: &Descriptor, failure: &Failure, elapsed: Duration) -> Rendered {
        let mut details = failure.details.clone();
        let connection = details.shift_remove(CONNECTION).unwrap_or_else(|| json!({}));
        if !failure.violations.is_empty() {
            details.insert("violations".into(), json!(failure.violations));
        }
        let mut error = Map::new();
        error.insert("type".into(), type_of(failure).into());
        error.insert("message".into(), failure.message.clone().into());
        error.insert("details".into(), Value::Object(details));
        let hint = failure.hint.clone().or_else(|| suggestion(failure));
        if let Some(hint) = hint {
            error.insert("suggestion".into(), hint.into());
        }
        let body = json!({
            "success": false,
            "error": error,
            "connection": connection,
            "metadata": { "request_time_ms": elapsed.as_millis() as u64 },
        });
        Rendered {
            is_error: true,
            content: vec![Content::Text(json_text(&body))],
            structured: Some(body),
            meta: Map::new(),
        }
    }
}

/// The contract's nine types. What the gate refuses has one of them too.
fn type_of(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Refused => failure.code.to_string(),
        FailureKind::InvalidInput => "invalid_arguments".to_owned(),
        FailureKind::TimedOut => "timeout".to_owned(),
        FailureKind::RateLimited | FailureKind::Cancelled | FailureKind::Internal => {
            "execution_error".to_owned()
        }
    }
}

fn suggestion(failure: &Failure) -> Option<String> {
    let said = match failure.kind {
        FailureKind::InvalidInput => "correct the arguments named in details.violations",
        FailureKind::TimedOut => "give a larger timeout_ms, or look at the server with get_frames",
        FailureKind::RateLimited => "wait as long as details say and call again",
        _ => return None,
    };
    Some(said.to_owned())
}
