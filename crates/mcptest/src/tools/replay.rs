//! `replay`: a recorded session again, on the connected server.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::diff_contract::Changed;
use super::record::session_file;
use super::{ConnectionInfo, Timing, Watch, connected, failure, files};
use crate::connection::{Connection, Connections};
use crate::recording::{Recording, Replay as Replayed};

/// Which recording.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The recording, relative to the project root
    #[serde(default = "session_file")]
    file: String,
    /// Places of answers that may differ, as JSON pointers such as /result/structuredContent/time
    #[serde(default)]
    ignore: Vec<String>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// What differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    pub(super) success: bool,
    pub(super) connection: ConnectionInfo,
    /// Whether nothing differs
    pub(super) same: bool,
    /// Changes of the surface, the worst first
    pub(super) surface: Vec<Changed>,
    /// Every exchange: method, name, same, differences with their places
    #[schemars(extend("items" = { "type": "object" }))]
    pub(super) exchanges: Vec<Value>,
    pub(super) metadata: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct Replay(pub(crate) Arc<Connections>);

impl Tool for Replay {
    const NAME: &'static str = "replay";
    const TITLE: &'static str = "Replay a session";
    const DESCRIPTION: &'static str = "Asks the connected server what a recording asked before, and gives \
        the differences in its surface and in every answer. The recorded tools are called again, with \
        whatever they change.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(10));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let text = files::read(cx, &input.file)?;
        let recording = Recording::read(&text).map_err(|error| {
            Failure::refused("invalid_arguments", format!("{}: {error}", input.file))
                .hint("write a recording with record")
        })?;
        let replayed = recording.replay(&connection, &input.ignore).await;
        let replayed = replayed.map_err(|fault| failure(&fault, &connection))?;
        Ok(shown(&connection, &replayed, watch.timing(Vec::new())).into())
    }
}

pub(super) fn shown(connection: &Connection, replayed: &Replayed, metadata: Timing) -> Output {
    Output {
        success: true,
        connection: ConnectionInfo::from(connection),
        same: replayed.is_same(),
        surface: replayed.surface.iter().map(Changed::from).collect(),
        exchanges: replayed.exchanges.iter().map(|exchange| json!(exchange)).collect(),
        metadata,
    }
}
