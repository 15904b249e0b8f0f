//! `list_tools`: every tool of the server, exactly as advertised.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{ConnectionInfo, OnConnection, Timing, Watch, connected, failure, renamed};
use crate::connection::{Connections, Listed};

/// The tools, as the server advertised them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Each with all that the server said of it; `input_schema` is its `inputSchema`
    #[schemars(extend("items" = { "type": "object" }))]
    tools: Vec<Value>,
    metadata: Metadata,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    total_tools: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_version: Option<String>,
    #[serde(flatten)]
    timing: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ListTools(pub(crate) Arc<Connections>);

impl Tool for ListTools {
    const NAME: &'static str = "list_tools";
    const TITLE: &'static str = "List tools";
    const DESCRIPTION: &'static str = "Retrieves all tools from the currently connected MCP server \
        with complete schemas. Returns full input schemas, descriptions, and metadata to enable \
        verification and prevent hallucination.\n\nThis tool provides verbose output showing exactly \
        what the server advertised, not a summary.";
    const EFFECT: Effect = Effect::READS.in_open_world();
    type Input = OnConnection;
    type Output = Output;

    async fn call(&self, input: OnConnection, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let listed = connection.list(Listed::Tools).await;
        let (entries, frames) = listed.map_err(|fault| failure(&fault, &connection))?;
        let tools: Vec<Value> =
            entries.iter().map(|tool| renamed(tool, "inputSchema", "input_schema")).collect();
        let info = ConnectionInfo::from(connection.as_ref());
        let metadata = Metadata {
            total_tools: tools.len(),
            server_name: info.server_info.name.clone(),
            server_version: info.server_info.version.clone(),
            timing: watch.timing(frames),
        };
        Ok(Output { success: true, connection: info, tools, metadata }.into())
    }
}
