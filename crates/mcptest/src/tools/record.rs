//! `record`: the session so far, as a file that can be replayed.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConnectionInfo, Timing, Watch, connected, failure, files};
use crate::connection::Connections;
use crate::recording::Recording;

/// Where the recording goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file to write, relative to the project root; one that is there is replaced
    #[serde(default = "session_file")]
    file: String,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

pub(super) fn session_file() -> String {
    "mcp-session.json".to_owned()
}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// The file
    file: String,
    /// How many calls, reads and prompts are in it
    exchanges: usize,
    /// Frames that were no longer kept: what they carried is not in the file
    frames_lost: u64,
    metadata: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct Record(pub(crate) Arc<Connections>);

impl Tool for Record {
    const NAME: &'static str = "record";
    const TITLE: &'static str = "Record the session";
    const DESCRIPTION: &'static str = "Writes what was asked of the connected server so far (calls, \
        reads, prompts) with the answers and the whole surface to a file in the project, for replay on \
        another build. Headers and environment are not in it; arguments and answers are.";
    const EFFECT: Effect = Effect::SETS.in_open_world();
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let frames_lost = connection.client.journal().dropped();
        let recording = Recording::of(&connection).await;
        let recording = recording.map_err(|fault| failure(&fault, &connection))?;
        files::write(cx, &input.file, &recording.written())?;
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            file: input.file,
            exchanges: recording.exchanges.len(),
            frames_lost,
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}
