//! `diff_contract`: what changed since a surface was locked, and what that means.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::snapshot_contract::lock_file;
use super::{connected, failure, files};
use crate::Surface;
use crate::connection::{Connections, iso};
use crate::diff::{self, Change, Class};

/// What to compare.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The lock file of before, relative to the project root
    #[serde(default = "lock_file")]
    file: String,
    /// A second lock file to compare with, instead of the connected server
    with_file: Option<String>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// What changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    /// What was compared with what
    before: String,
    after: String,
    /// Whether nothing changed
    same: bool,
    totals: Totals,
    /// The changes, the worst first
    changes: Vec<Changed>,
    metadata: Metadata,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    suspicious: usize,
    breaking: usize,
    widening: usize,
    wording: usize,
}

/// One change.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Changed {
    /// suspicious, breaking, widening or wording
    #[schemars(extend("enum" = ["suspicious", "breaking", "widening", "wording"]))]
    class: &'static str,
    /// What it is about
    subject: String,
    /// The place inside, as a JSON pointer
    place: String,
    /// What changed
    message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    #[schemars(extend("format" = "date-time"))]
    retrieved_at: String,
    request_time_ms: u64,
}

impl From<&Change> for Changed {
    fn from(change: &Change) -> Self {
        let class = match change.class {
            Class::Suspicious => "suspicious",
            Class::Breaking => "breaking",
            Class::Widening => "widening",
            Class::Wording => "wording",
        };
        let Change { subject, place, message, .. } = change.clone();
        Self { class, subject, place, message }
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct DiffContract(pub(crate) Arc<Connections>);

impl Tool for DiffContract {
    const NAME: &'static str = "diff_contract";
    const TITLE: &'static str = "Compare with a locked surface";
    const DESCRIPTION: &'static str = "Compares a lock file of snapshot_contract with the connected \
        server, or with another lock file, and says what each change means: suspicious (text that \
        steers the model, hidden characters), breaking, widening, or wording only.";
    const EFFECT: Effect = Effect::READS.in_open_world();
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let started = Instant::now();
        let before = locked(cx, &input.file)?;
        let (after, surface) = match input.with_file {
            Some(file) => (file.clone(), locked(cx, &file)?),
            None => {
                let connection = connected(&self.0, input.connection.as_deref())?;
                let surface = Surface::of(&connection).await;
                (connection.url(), surface.map_err(|fault| failure(&fault, &connection))?)
            }
        };
        let changes = diff::diff(&before, &surface);
        let count = |class| changes.iter().filter(|change| change.class == class).count();
        Ok(Output {
            success: true,
            before: input.file,
            after,
            same: changes.is_empty(),
            totals: Totals {
                suspicious: count(Class::Suspicious),
                breaking: count(Class::Breaking),
                widening: count(Class::Widening),
                wording: count(Class::Wording),
            },
            changes: changes.iter().map(Changed::from).collect(),
            metadata: Metadata {
                retrieved_at: iso(Timestamp::now()),
                request_time_ms: started.elapsed().as_millis() as u64,
            },
        }
        .into())
    }
}

fn locked(cx: &CallCx, file: &str) -> Result<Surface, Failure> {
    Surface::read(&files::read(cx, file)?).map_err(|error| {
        Failure::refused("invalid_arguments", format!("{file}: {error}"))
            .hint("write a lock file with snapshot_contract")
    })
}
