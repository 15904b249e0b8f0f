//! How the context contract fails: `isError` and a JSON text with `error`, and `fallback` or `suggestion`
//! where there is something else to try.

use std::time::Duration;

use proofstone_contract::{
    Content, Descriptor, Dialect, Failure, FailureKind, Rendered, Violation, json_text,
};
use serde_json::{Map, Value, json};

/// The contract's way to fail.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContextDialect;

impl Dialect for ContextDialect {
    fn failure(&self, tool: &Descriptor, failure: &Failure, _elapsed: Duration) -> Rendered {
        let body = match failure.kind {
            FailureKind::InvalidInput => invalid(failure),
            FailureKind::Refused => refused(failure),
            FailureKind::RateLimited => rate_limited(tool, failure),
            FailureKind::TimedOut | FailureKind::Cancelled | FailureKind::Internal => {
                broken(tool, failure)
            }
        };
        let content = vec![Content::Text(json_text(&Value::Object(body)))];
        Rendered { is_error: true, content, structured: None, meta: Map::new() }
    }
}

/// The contract has words of its own for a question of the wrong length, and one form for everything else.
fn invalid(failure: &Failure) -> Map<String, Value> {
    let details: Vec<Value> = failure.violations.iter().map(detail).collect();
    let error = failure.violations.iter().find_map(question_length).unwrap_or("Invalid parameters");
    object([("error", error.into()), ("details", details.into())])
}

fn question_length(violation: &Violation) -> Option<&'static str> {
    let is_length =
        violation.pointer == "/query" && violation.sent.as_ref().is_some_and(Value::is_string);
    let allowed = violation.allowed.as_deref().filter(|_| is_length)?;
    if allowed.contains('3') && !allowed.contains("500") {
        Some("Query must be at least 3 characters")
    } else {
        Some("Query must be at most 500 characters")
    }
}

fn detail(violation: &Violation) -> Value {
    let path: Vec<&str> = violation.pointer.split('/').skip(1).collect();
    let mut detail = object([("path", json!(path)), ("message", violation.message.clone().into())]);
    if let Some(allowed) = &violation.allowed {
        detail.insert("allowed".to_owned(), allowed.clone().into());
    }
    Value::Object(detail)
}

fn refused(failure: &Failure) -> Map<String, Value> {
    let mut body = object([("error", failure.message.clone().into())]);
    body.extend(failure.details.clone());
    if let Some(hint) = &failure.hint {
        body.insert("suggestion".to_owned(), hint.clone().into());
    }
    body
}

fn rate_limited(tool: &Descriptor, failure: &Failure) -> Map<String, Value> {
    let mut body = object([
        ("error", format!("Rate limit exceeded for {}", tool.name).into()),
        ("tool", tool.name.into()),
    ]);
    if let Some(wait) = failure.retry_after {
        body.insert("retryAfterSeconds".to_owned(), wait.as_secs_f64().ceil().into());
    }
    body
}

fn broken(tool: &Descriptor, failure: &Failure) -> Map<String, Value> {
    if tool.name == "context_search" {
        let body = object([
            ("error", "Search failed".into()),
            ("message", failure.message.clone().into()),
            ("fallback", "Try using grep_codebase for text search".into()),
        ]);
        return with_hint(body, failure);
    }
    let body = object([("error", failure.message.clone().into()), ("tool", tool.name.into())]);
    with_hint(body, failure)
}

fn with_hint(mut body: Map<String, Value>, failure: &Failure) -> Map<String, Value> {
    if let Some(hint) = &failure.hint {
        body.insert("suggestion".to_owned(), hint.clone().into());
    }
    body
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
