//! `get_frames`: the messages behind an answer, as they crossed the wire.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ConnectionInfo, Timing, Watch, connected};
use crate::connection::Connections;

/// Which frames.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Numbers of the frames, as other answers name them
    #[serde(default)]
    ids: Vec<u64>,
    /// Give the newest frames instead, at most this many; 20 where no ids are given either
    #[schemars(range(min = 1, max = 500))]
    last: Option<usize>,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// The frames.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Each with its number, time, direction and payload
    #[schemars(extend("items" = { "type": "object" }))]
    frames: Vec<Value>,
    /// Numbers that were asked for and are no longer kept, or never were
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<u64>,
    /// Frames that were dropped to stay within bounds
    dropped: u64,
    metadata: Timing,
}

/// How many frames are given where nothing says which.
const NEWEST: usize = 20;

/// The tool.
#[derive(Debug)]
pub(crate) struct GetFrames(pub(crate) Arc<Connections>);

impl Tool for GetFrames {
    const NAME: &'static str = "get_frames";
    const TITLE: &'static str = "Frames on the wire";
    const DESCRIPTION: &'static str = "Shows the exact messages exchanged with the connected server, by \
        their numbers or the newest ones: the proof behind every other answer.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let journal = connection.client.journal();
        let newest = input.last.or_else(|| input.ids.is_empty().then_some(NEWEST));
        let frames = match newest {
            Some(count) => journal.since((journal.last() + 1).saturating_sub(count as u64)),
            None => input.ids.iter().filter_map(|id| journal.frame(*id)).collect(),
        };
        let found = |id: &u64| frames.iter().any(|frame| frame.id == *id);
        let missing = input.ids.iter().copied().filter(|id| !found(id)).collect();
        let dropped = journal.dropped();
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            frames: frames.iter().map(|frame| serde_json::json!(frame)).collect(),
            missing,
            dropped,
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}
