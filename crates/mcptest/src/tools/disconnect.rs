//! `disconnect`: ends a connection and whatever was started for it.

use std::sync::Arc;

use jiff::Timestamp;
use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::Serialize;

use super::{OnConnection, Watch, not_connected};
use crate::connection::{Connections, iso};

/// What was ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    message: String,
    previous_connection: Previous,
    metadata: super::Timing,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Previous {
    server_url: String,
    #[schemars(extend("format" = "date-time"))]
    connected_at: String,
    #[schemars(extend("format" = "date-time"))]
    disconnected_at: String,
    /// How the server's process ended, if one was started
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct Disconnect(pub(crate) Arc<Connections>);

impl Tool for Disconnect {
    const NAME: &'static str = "disconnect";
    const TITLE: &'static str = "Disconnect from the server";
    const DESCRIPTION: &'static str = "Disconnects from the currently active MCP server connection. \
        After disconnecting, you must connect to a server before using other tools. A server that was \
        started for the connection is ended, with everything it started.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    type Input = OnConnection;
    type Output = Output;

    async fn call(&self, input: OnConnection, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let name = input.connection.as_deref();
        let connection = self.0.take(name).ok_or_else(|| not_connected(&self.0, name))?;
        let watch = Watch::start(&connection);
        let exit = connection.client.close().await;
        Ok(Output {
            success: true,
            message: format!("Disconnected from {}", connection.url()),
            previous_connection: Previous {
                server_url: connection.url(),
                connected_at: iso(connection.since),
                disconnected_at: iso(Timestamp::now()),
                exit: exit.map(|exit| exit.to_string()),
            },
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}
