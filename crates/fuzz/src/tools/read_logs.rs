//! `read_logs`: what happened last in the campaign.

use std::sync::Arc;

use jiff::Timestamp;
use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use proofstone_evm::campaign::{Event, EventKind, EventValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::answers::{PROMPT, campaign};
use crate::desk::Desk;

/// Retrieve campaign event logs from EventLog ring buffer
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "ReadLogsInput")]
pub(crate) struct Input {
    /// Number of most recent events to retrieve
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 2500))]
    count: usize,
    /// Filter by event type (optional)
    event_type: Option<EventType>,
    /// Filter by worker ID (optional)
    #[schemars(range(min = 0))]
    worker_id: Option<usize>,
}

fn hundred() -> usize {
    100
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
enum EventType {
    PropertyFalsified,
    TransactionExecuted,
    CoverageIncreased,
    WorkerStarted,
    WorkerStopped,
}

impl From<EventType> for EventKind {
    fn from(kind: EventType) -> Self {
        match kind {
            EventType::PropertyFalsified => Self::PropertyFalsified,
            EventType::TransactionExecuted => Self::TransactionExecuted,
            EventType::CoverageIncreased => Self::CoverageIncreased,
            EventType::WorkerStarted => Self::WorkerStarted,
            EventType::WorkerStopped => Self::WorkerStopped,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "ReadLogsOutput")]
pub(crate) struct Output {
    events: Vec<Logged>,
    /// Total events in EventLog buffer
    #[schemars(range(min = 0, max = 2500))]
    total_count: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Logged {
    /// ISO 8601 timestamp
    #[schemars(extend("format" = "date-time"))]
    timestamp: String,
    /// Event category
    event_type: &'static str,
    /// Worker that generated event
    #[schemars(range(min = 0))]
    worker_id: usize,
    /// Event-specific JSON payload
    data: Map<String, Value>,
}

impl From<&Event> for Logged {
    fn from(event: &Event) -> Self {
        let time = Timestamp::try_from(event.time).unwrap_or(Timestamp::UNIX_EPOCH);
        let data = event.data.iter().map(|(name, value)| {
            let value = match value {
                EventValue::Text(text) => json!(text),
                EventValue::Number(number) => json!(number),
                EventValue::List(items) => json!(items),
                EventValue::Flag(flag) => json!(flag),
            };
            ((*name).to_owned(), value)
        });
        Self {
            timestamp: time.to_string(),
            event_type: event.kind.name(),
            worker_id: event.worker,
            data: data.collect(),
        }
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ReadLogs(pub(crate) Arc<Desk>);

impl Tool for ReadLogs {
    const NAME: &'static str = "read_logs";
    const TITLE: &'static str = "Read the campaign's log";
    const DESCRIPTION: &'static str = "Returns what happened last in the fuzzing campaign, newest first: \
        falsified properties with their counterexamples, new coverage, workers that started or stopped, all \
        injected transactions and a sample of the others. Filter by event type or worker. The log holds 2,500 \
        events; rare kinds are never pushed out by frequent ones.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        cx.blocking(move |_| {
            let kind = input.event_type.map(EventKind::from);
            let (events, total_count) = run.campaign().events(input.count, kind, input.worker_id);
            Output {
                events: events.iter().map(|event| Logged::from(event.as_ref())).collect(),
                total_count,
            }
            .into()
        })
        .await
    }
}
