//! Each contract keeps its own way to answer and to fail.

use std::time::Duration;

use schemars::Schema;
use serde_json::{Value, json};

use crate::{Content, Descriptor, Draft, Failure, RawAnswer, Rendered, Shape};

/// How one toolset's contract renders success and failure.
pub trait Dialect: Send + Sync {
    /// The JSON Schema draft the contract is written in.
    fn draft(&self) -> Draft {
        Draft::V2020
    }

    /// The schema of a failure's structured content, or `None` where failures are text only. It
    /// becomes one more member of every output union, since clients validate failures too.
    fn failure_schema(&self) -> Option<Schema> {
        None
    }

    /// A success: the output as structured content, and the same as JSON text unless the handler
    /// chose what to show.
    fn success(&self, tool: &Descriptor, answer: RawAnswer) -> Rendered {
        let RawAnswer { output, meta, content } = answer;
        let content = content.unwrap_or_else(|| vec![Content::Text(json_text(&output))]);
        let structured = (tool.shape == Shape::Structured).then_some(output);
        Rendered { is_error: false, content, structured, meta }
    }

    /// A failure after `elapsed`.
    fn failure(&self, tool: &Descriptor, failure: &Failure, elapsed: Duration) -> Rendered;
}

/// Writes a value the way answers show JSON: indented, since people and models read it.
pub fn json_text(value: &Value) -> String {
    format!("{value:#}")
}

/// For toolsets without a contract of their own: the failure as JSON text and nothing else.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainDialect;

impl Dialect for PlainDialect {
    fn failure(&self, _tool: &Descriptor, failure: &Failure, _elapsed: Duration) -> Rendered {
        let mut body = json!({ "code": failure.code, "message": failure.message });
        if let Some(hint) = &failure.hint {
            body["hint"] = hint.clone().into();
        }
        Rendered {
            is_error: true,
            content: vec![Content::Text(json_text(&json!({ "error": body })))],
            structured: None,
            meta: serde_json::Map::new(),
        }
    }
}
