//! `list_prompts`: every prompt of the server, exactly as advertised.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{ConnectionInfo, OnConnection, Timing, Watch, connected, failure};
use crate::connection::{Connections, Listed};

/// The prompts, as the server advertised them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Each with all that the server said of it
    #[schemars(extend("items" = { "type": "object" }))]
    prompts: Vec<Value>,
    metadata: Metadata,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    total_prompts: usize,
    #[serde(flatten)]
    timing: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ListPrompts(pub(crate) Arc<Connections>);

impl Tool for ListPrompts {
    const NAME: &'static str = "list_prompts";
    const TITLE: &'static str = "List prompts";
    const DESCRIPTION: &'static str = "Retrieves all prompts from the currently connected MCP server \
        with complete schemas. Returns prompt names, descriptions, and argument schemas.";
    const EFFECT: Effect = Effect::READS.in_open_world();
    type Input = OnConnection;
    type Output = Output;

    async fn call(&self, input: OnConnection, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let listed = connection.list(Listed::Prompts).await;
        let (prompts, frames) = listed.map_err(|fault| failure(&fault, &connection))?;
        let metadata = Metadata { total_prompts: prompts.len(), timing: watch.timing(frames) };
        let connection = ConnectionInfo::from(connection.as_ref());
        Ok(Output { success: true, connection, prompts, metadata }.into())
    }
}
