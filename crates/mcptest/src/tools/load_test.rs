//! `load_test`: how many calls a server answers in a second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{ConnectionInfo, Timing, Watch, connected, failure, on};
use crate::connection::Connections;
use crate::load::{self, Plan};

/// The load.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Name of the tool to call
    name: String,
    /// Its arguments
    #[serde(default)]
    arguments: Map<String, Value>,
    /// How many calls
    #[serde(default = "five_hundred")]
    #[schemars(range(min = 1, max = 100_000))]
    requests: usize,
    /// How many at a time
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 256))]
    concurrency: usize,
    /// How long at most, over all
    #[serde(default = "half_a_minute")]
    #[schemars(range(min = 1, max = 300))]
    seconds: u64,
    /// Allow a server that is not on this machine: only with its owner's consent
    #[serde(default)]
    allow_remote: bool,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

fn five_hundred() -> usize {
    500
}

fn ten() -> usize {
    10
}

fn half_a_minute() -> u64 {
    30
}

/// What was measured.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Calls that were answered, well or badly
    requests: usize,
    seconds: f64,
    /// Answers in a second
    per_second: f64,
    /// Calls that failed
    failed: usize,
    /// What went wrong, and how often
    failures: BTreeMap<String, usize>,
    latency_ms: Latency,
    /// Whether time was over before all were sent
    cut_short: bool,
    metadata: Timing,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Latency {
    min: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    max: f64,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct LoadTest(pub(crate) Arc<Connections>);

impl Tool for LoadTest {
    const NAME: &'static str = "load_test";
    const TITLE: &'static str = "Load a server";
    const DESCRIPTION: &'static str = "Calls one tool of the connected server many times, several at a \
        time, and gives the rate and the quantiles of the latency. Bounded by count and time; only \
        servers on this machine unless allow_remote.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(6));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        if !input.allow_remote && !load::is_local(&connection.target) {
            let said = "the server is not on this machine, so it is not loaded";
            let failed = Failure::refused("invalid_arguments", said)
                .hint("give allow_remote: true if its owner agrees");
            return Err(on(&connection, failed));
        }
        let watch = Watch::start(&connection);
        let plan = Plan {
            method: "tools/call".to_owned(),
            params: json!({ "name": input.name, "arguments": input.arguments }),
            requests: input.requests,
            concurrency: input.concurrency,
            longest: Duration::from_secs(input.seconds),
            patience: connection.patience(),
        };
        let load = load::run(&connection.client, &plan).await;
        let load = load.map_err(|fault| failure(&fault, &connection))?;
        connection.counts.tools_called.fetch_add(load.requests as u64, Ordering::Relaxed);
        let q = load.latency_ms;
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            requests: load.requests,
            seconds: load.seconds,
            per_second: load.per_second,
            failed: load.failed,
            failures: load.failures,
            latency_ms: Latency { min: q.min, p50: q.p50, p90: q.p90, p99: q.p99, max: q.max },
            cut_short: load.cut_short,
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}
