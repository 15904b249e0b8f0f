//! `get_connection_status`: what is connected, and what was done with it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use jiff::Timestamp;
use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{ConnectionInfo, Oddity, OnConnection};
use crate::connection::{Connection, Connections, iso};

/// The state of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    connected: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<ConnectionInfo>,
    statistics: Statistics,
    /// Why the connection is of no more use, if so
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
    /// Requests of the server's that nobody has answered: sampling, elicitation, roots
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending_requests: Vec<Value>,
    /// What the server did and should not have done
    #[serde(skip_serializing_if = "Vec::is_empty")]
    anomalies: Vec<Oddity>,
    /// The end of what the server's process wrote to stderr
    #[serde(skip_serializing_if = "String::is_empty")]
    stderr: String,
    /// Names of all open connections
    open_connections: Vec<String>,
    metadata: Metadata,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Statistics {
    tools_called: u64,
    resources_read: u64,
    prompts_retrieved: u64,
    /// Requests without a proper answer
    faults: u64,
    /// Frames that crossed the wire
    frames: u64,
    /// Notifications that the server sent
    notifications: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    #[schemars(extend("format" = "date-time"))]
    retrieved_at: String,
    request_time_ms: u64,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetConnectionStatus(pub(crate) Arc<Connections>);

impl Tool for GetConnectionStatus {
    const NAME: &'static str = "get_connection_status";
    const TITLE: &'static str = "Connection status";
    const DESCRIPTION: &'static str = "Returns detailed information about the current connection state, \
        including server info, connection time, and statistics.";
    const EFFECT: Effect = Effect::READS;
    type Input = OnConnection;
    type Output = Output;

    async fn call(&self, input: OnConnection, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let started = Instant::now();
        let connection = self.0.get(input.connection.as_deref());
        let ended = connection.as_ref().and_then(|connection| connection.client.ended());
        let (requests, anomalies, stderr) = connection.as_deref().map(heard).unwrap_or_default();
        Ok(Output {
            connected: connection.is_some() && ended.is_none(),
            statistics: connection.as_deref().map(statistics).unwrap_or_default(),
            connection: connection.as_deref().map(ConnectionInfo::from),
            ended: ended.map(|fault| fault.to_string()),
            pending_requests: requests,
            anomalies,
            stderr,
            open_connections: self.0.names(),
            metadata: Metadata {
                retrieved_at: iso(Timestamp::now()),
                request_time_ms: started.elapsed().as_millis() as u64,
            },
        }
        .into())
    }
}

fn heard(connection: &Connection) -> (Vec<Value>, Vec<Oddity>, String) {
    let client = &connection.client;
    let requests = client.parked().into_iter().map(|request| serde_json::json!(request));
    let anomalies = client.anomalies().into_iter().map(Oddity::from);
    (requests.collect(), anomalies.collect(), client.stderr())
}

fn statistics(connection: &Connection) -> Statistics {
    let counts = &connection.counts;
    Statistics {
        tools_called: counts.tools_called.load(Ordering::Relaxed),
        resources_read: counts.resources_read.load(Ordering::Relaxed),
        prompts_retrieved: counts.prompts_retrieved.load(Ordering::Relaxed),
        faults: counts.faults.load(Ordering::Relaxed),
        frames: connection.client.journal().last(),
        notifications: connection.client.notifications().len(),
    }
}
