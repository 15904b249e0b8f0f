//! A failure is an answer: what is wrong, where, and what to do next.
//!
//! Toolsets convert their own error enums into a [`Failure`]; the gate makes the others (bad input,
//! rate, deadline, panic). Nothing here decides how a failure looks: that is the dialect's work.

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

/// Who is at fault, in the few words that every dialect can map to its own codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The input breaks the schema, or the tool's own rules about it.
    InvalidInput,
    /// The tool was asked properly and the answer is no: missing file, unknown id, refused path.
    Refused,
    /// Too many calls in too little time.
    RateLimited,
    /// The deadline passed.
    TimedOut,
    /// The client took the call back.
    Cancelled,
    /// A fault of ours.
    Internal,
}

/// One thing wrong with an input.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Violation {
    /// Where, as a JSON pointer into the arguments; empty for the arguments as a whole.
    pub pointer: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What was sent there, shortened if long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<Value>,
    /// What would be allowed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
}

/// Why a call did not succeed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Who is at fault.
    pub kind: FailureKind,
    /// A stable, machine-readable name of what happened, in the toolset's own vocabulary.
    pub code: Cow<'static, str>,
    /// What is wrong, for a person.
    pub message: String,
    /// More facts, by name.
    pub details: Map<String, Value>,
    /// What to try next.
    pub hint: Option<String>,
    /// What is wrong with the input, each with its place.
    pub violations: Vec<Violation>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// How long to wait before that.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// A failure of a kind, with its code and message.
    pub fn new(
        kind: FailureKind,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            code: code.into(),
            message: message.into(),
            details: Map::new(),
            hint: None,
            violations: Vec::new(),
            retryable: matches!(kind, FailureKind::RateLimited | FailureKind::TimedOut),
            retry_after: None,
        }
    }

    /// The tool was asked properly and the answer is no.
    pub fn refused(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(FailureKind::Refused, code, message)
    }

    /// The input is wrong in a way that its schema can't say.
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        let violation = Violation {
            pointer: pointer.into(),
            message: message.clone(),
            sent: None,
            allowed: None,
        };
        Self {
            violations: vec![violation],
            ..Self::new(FailureKind::InvalidInput, "INVALID_INPUT", message)
        }
    }

    /// A fault of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Internal, "INTERNAL_ERROR", message)
    }

    /// The same failure with what to try next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same failure with one more fact.
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The same failure, marked as worth trying again.
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// The place of the first violation, if the input is at fault.
    pub fn pointer(&self) -> Option<&str> {
        self.violations.first().map(|violation| violation.pointer.as_str())
    }

    /// The machine-readable copy that accompanies the failure whatever the dialect.
    pub fn summary(&self) -> Value {
        let mut summary = Map::new();
        summary.insert("code".into(), self.code.clone().into());
        summary.insert("kind".into(), serde_json::json!(self.kind));
        summary.insert("retryable".into(), self.retryable.into());
        if let Some(pointer) = self.pointer() {
            summary.insert("pointer".into(), pointer.into());
        }
        if let Some(wait) = self.retry_after {
            summary.insert("retryAfterSeconds".into(), wait.as_secs_f64().ceil().into());
        }
        if !self.violations.is_empty() {
            summary.insert("violations".into(), serde_json::json!(self.violations));
        }
        Value::Object(summary)
    }
}
