//! `list_resources`: every resource and resource template of the server, exactly as advertised.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{ConnectionInfo, OnConnection, Timing, Watch, connected, failure};
use crate::connection::{Connections, Listed};

/// The resources, as the server advertised them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Each with all that the server said of it
    #[schemars(extend("items" = { "type": "object" }))]
    resources: Vec<Value>,
    /// Families of resources whose addresses follow a template
    #[schemars(extend("items" = { "type": "object" }))]
    resource_templates: Vec<Value>,
    metadata: Metadata,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    total_resources: usize,
    #[serde(flatten)]
    timing: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ListResources(pub(crate) Arc<Connections>);

impl Tool for ListResources {
    const NAME: &'static str = "list_resources";
    const TITLE: &'static str = "List resources";
    const DESCRIPTION: &'static str = "Retrieves all resources from the currently connected MCP \
        server with complete metadata. Returns URIs, descriptions, MIME types, and other resource \
        information.";
    const EFFECT: Effect = Effect::READS.in_open_world();
    type Input = OnConnection;
    type Output = Output;

    async fn call(&self, input: OnConnection, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let listed = connection.list(Listed::Resources).await;
        let (resources, mut frames) = listed.map_err(|fault| failure(&fault, &connection))?;
        // A server may have no templates at all, and then need not know the method.
        let templates = connection.list(Listed::Templates).await.unwrap_or_default();
        frames.extend(templates.1);
        let metadata = Metadata { total_resources: resources.len(), timing: watch.timing(frames) };
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            resources,
            resource_templates: templates.0,
            metadata,
        }
        .into())
    }
}
