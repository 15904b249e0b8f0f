//! `snapshot_contract`: the whole surface of a server as a lock file.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConnectionInfo, Timing, Watch, connected, failure, files};
use crate::Surface;
use crate::connection::Connections;

/// Where the lock file goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file to write, relative to the project root; one that is there is replaced
    #[serde(default = "lock_file")]
    file: String,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

pub(super) fn lock_file() -> String {
    "mcp-contract.lock.json".to_owned()
}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// The file
    file: String,
    /// How many of each are in it
    tools: usize,
    resources: usize,
    resource_templates: usize,
    prompts: usize,
    metadata: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct SnapshotContract(pub(crate) Arc<Connections>);

impl Tool for SnapshotContract {
    const NAME: &'static str = "snapshot_contract";
    const TITLE: &'static str = "Lock a server's surface";
    const DESCRIPTION: &'static str = "Writes everything that the connected server advertises (tools \
        with full schemas, resources, prompts, capabilities, instructions) to a lock file in the \
        project, to be reviewed, committed and compared later with diff_contract.";
    const EFFECT: Effect = Effect::SETS.in_open_world();
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let surface = Surface::of(&connection).await;
        let surface = surface.map_err(|fault| failure(&fault, &connection))?;
        files::write(cx, &input.file, &surface.written())?;
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            file: input.file,
            tools: surface.tools.len(),
            resources: surface.resources.len(),
            resource_templates: surface.resource_templates.len(),
            prompts: surface.prompts.len(),
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}
