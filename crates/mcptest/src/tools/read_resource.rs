//! `read_resource`: a resource's content, text or bytes, as the server sent it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ConnectionInfo, Timing, Watch, connected, described, failure, on};
use crate::Fault;
use crate::connection::{Connection, Connections, Listed};

/// The resource.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// URI of the resource to read (as returned by list_resources)
    uri: String,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

/// The content.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    resource: Resource,
    metadata: Metadata,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Resource {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    /// Resource content (text or base64 for binary)
    content: Value,
    /// Everything the server sent for the resource
    contents: Vec<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    /// Size of the content in bytes, over all parts
    content_size: usize,
    #[serde(flatten)]
    timing: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ReadResource(pub(crate) Arc<Connections>);

impl Tool for ReadResource {
    const NAME: &'static str = "read_resource";
    const TITLE: &'static str = "Read a resource";
    const DESCRIPTION: &'static str = "Reads a specific resource from the currently connected MCP \
        server. Provide the resource URI as returned by list_resources.";
    const EFFECT: Effect = Effect::READS.in_open_world();
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let answer = connection.request("resources/read", json!({ "uri": input.uri }), None).await;
        let reply = match answer {
            Ok(reply) => reply,
            Err(fault) => return Err(refusal(&fault, &connection, &input.uri).await),
        };
        connection.counts.resources_read.fetch_add(1, Ordering::Relaxed);
        let contents = reply.result["contents"].as_array().cloned().unwrap_or_default();
        let first = contents.first().cloned().unwrap_or_default();
        let metadata = Metadata {
            content_size: contents.iter().map(size).sum(),
            timing: watch.timing(vec![reply.frame]),
        };
        let resource = Resource {
            uri: first["uri"].as_str().unwrap_or(&input.uri).to_owned(),
            mime_type: first["mimeType"].as_str().map(str::to_owned),
            content: first.get("text").or_else(|| first.get("blob")).cloned().unwrap_or_default(),
            contents,
        };
        let connection = ConnectionInfo::from(connection.as_ref());
        Ok(Output { success: true, connection, resource, metadata }.into())
    }
}

/// The bytes of a part: of its text, or of what its base64 stands for.
fn size(part: &Value) -> usize {
    let blob = || part["blob"].as_str().map(|blob| blob.trim_end_matches('=').len() * 3 / 4);
    part["text"].as_str().map(str::len).or_else(blob).unwrap_or(0)
}

/// The protocol has a code for a resource that is not there (-32002, from 2026-07-28 on -32602); a
/// server that uses another is judged by its own list.
async fn refusal(fault: &Fault, connection: &Connection, uri: &str) -> Failure {
    let Fault::Rpc { code, .. } = fault else { return failure(fault, connection) };
    let missing = *code == -32002 || !connection.lists(Listed::Resources, uri).await;
    let kind = if missing { "resource_not_found" } else { "execution_error" };
    on(
        connection,
        described(fault, kind).hint("use a uri from list_resources, or one that fits a template"),
    )
}
