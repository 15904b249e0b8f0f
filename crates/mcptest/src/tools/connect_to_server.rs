//! `connect_to_server`: opens a connection and leaves it open for the other tools.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{ConnectionInfo, ScriptedInput, described, scripted};
use crate::auth::{self, Admission, Auth};
use crate::connection::{CURRENT, Connection, Connections};
use crate::oauth::Trouble;
use crate::{Fault, HttpTarget, Opening, StdioTarget, Target};

/// Which server to connect to, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// URL of the MCP server to connect to (e.g., https://my-server.apps.openshift.com/mcp)
    url: Option<String>,
    /// Program that starts a local server which speaks on stdin and stdout; instead of url
    command: Option<String>,
    /// Arguments of the program
    #[serde(default)]
    args: Vec<String>,
    /// Environment variables for the program, besides those of this process
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Folder the program runs in, relative to the project root
    cwd: Option<PathBuf>,
    /// HTTP headers of every request
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// How to be let in
    auth: Option<Auth>,
    /// Transport of the url: sse is the old HTTP with server-sent events
    #[serde(default)]
    transport: Transport,
    /// Protocol revision to speak: auto, or a revision such as 2025-11-25
    #[serde(default = "auto")]
    protocol: String,
    /// Client capabilities to advertise; servers may show more tools for more of them
    #[serde(default)]
    capabilities: Map<String, Value>,
    /// How long the server may take to answer, here and later
    #[serde(default = "half_a_minute")]
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: u64,
    /// Answers for what the server will ask; what has none is returned by call_tool to be answered
    /// with respond
    #[serde(default)]
    answers: Vec<ScriptedInput>,
    /// Name of the connection, to have several side by side
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Transport {
    /// By the url: sse if its path ends with /sse.
    #[default]
    Auto,
    /// Streamable HTTP.
    StreamingHttp,
    /// The transport of 2024-11-05.
    Sse,
}

fn auto() -> String {
    "auto".to_owned()
}

fn half_a_minute() -> u64 {
    30_000
}

/// The open connection.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether connection was successful
    success: bool,
    /// The server that answered
    connection: ConnectionInfo,
    /// What happened, in a sentence
    message: String,
    /// The server's own words at the opening: capabilities, instructions and whatever else it sent
    opening: Value,
    metadata: Metadata,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    /// How long connecting took
    request_time_ms: u64,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ConnectToServer(pub(crate) Arc<Connections>);

impl Tool for ConnectToServer {
    const NAME: &'static str = "connect_to_server";
    const TITLE: &'static str = "Connect to an MCP server";
    const DESCRIPTION: &'static str = "Connects to an MCP server for testing. Supports both deployed \
        servers (streaming-http) and local servers (stdio). Once connected, all other tools will \
        operate on this connection until disconnect() is called.\n\nFor deployed servers, provide the \
        full URL (e.g., https://server.apps.openshift.com/mcp). For local servers, provide the command \
        that starts one, with its args. A connection that was open under the same name is closed.";
    const EFFECT: Effect = Effect::ADDS.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(11));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let started = Instant::now();
        let name = input.name.clone().unwrap_or_else(|| CURRENT.to_owned());
        let opening = opening(&input)?;
        let target = target(input, cx, &self.0).await?;
        let opened = Connection::open(&name, target.clone(), opening).await;
        let connection = opened.map_err(|fault| self.failed(&fault, target))?;
        let connection = Arc::new(connection);
        if let Some(before) = self.0.put(Arc::clone(&connection)) {
            before.client.close().await;
        }
        Ok(Output {
            success: true,
            message: format!("Connected to {}", connection.url()),
            opening: connection.client.era().opening,
            connection: ConnectionInfo::from(connection.as_ref()),
            metadata: Metadata { request_time_ms: started.elapsed().as_millis() as u64 },
        }
        .into())
    }
}

impl ConnectToServer {
    /// Describes why there is no connection. A login that waits for a person is kept for the next call.
    fn failed(&self, fault: &Fault, target: Target) -> Failure {
        if let Fault::Authorization(Trouble::Person { .. }) = fault
            && let Target::Http(HttpTarget { url, access: Some(access), .. }) = target
        {
            self.0.keep_login(&url, access);
        }
        let failure = described(fault, "connection_failed");
        match fault {
            // There are no frames to look at where there is no connection.
            Fault::Timeout { .. } => failure.hint(
                "check that this is an MCP server and that it speaks on stdin and stdout, or give a larger \
                 timeout_ms",
            ),
            _ => failure,
        }
    }
}

fn opening(input: &Input) -> Result<Opening, Failure> {
    let revision = match input.protocol.as_str() {
        "auto" => None,
        known if crate::REVISIONS.contains(&known) => Some(known.to_owned()),
        other => {
            let known = crate::REVISIONS.join(", ");
            let said = format!("`{other}` is no protocol revision; use auto or one of {known}");
            return Err(Failure::invalid("/protocol", said));
        }
    };
    Ok(Opening {
        revision,
        capabilities: json!(input.capabilities),
        patience: Duration::from_millis(input.timeout_ms),
        answers: scripted(&input.answers)?,
    })
}

async fn target(input: Input, cx: &CallCx, connections: &Connections) -> Result<Target, Failure> {
    match (input.url, input.command) {
        (Some(url), None) => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            let old = match input.transport {
                Transport::Auto => path.trim_end_matches('/').ends_with("/sse"),
                Transport::StreamingHttp => false,
                Transport::Sse => true,
            };
            let mut target = HttpTarget { url, headers: input.headers, access: None };
            if let Some(auth) = input.auth {
                admit(&mut target, auth, old, connections).await?;
            }
            Ok(if old { Target::Sse(target) } else { Target::Http(target) })
        }
        (None, Some(command)) => {
            let cwd = Some(cx.root().join(input.cwd.unwrap_or_default()));
            Ok(Target::Stdio(StdioTarget { command, args: input.args, env: input.env, cwd }))
        }
        (Some(_), Some(_)) => Err(Failure::invalid("/command", "give either url or command")),
        (None, None) => {
            let said = "give the url of a server, or the command that starts one";
            Err(Failure::invalid("/url", said))
        }
    }
}

/// Lets a connection in, or prepares it to ask when the server wants it.
async fn admit(
    target: &mut HttpTarget,
    auth: Auth,
    old: bool,
    connections: &Connections,
) -> Result<(), Failure> {
    let failed = |fault: Fault| described(&fault, "connection_failed");
    match auth::admission(auth).await.map_err(failed)? {
        Admission::Header(value) => {
            target.headers.insert("Authorization".to_owned(), value);
        }
        Admission::Login(..) if old => {
            let said = "authorization_code needs streamable HTTP; give a bearer token instead";
            return Err(Failure::invalid("/auth/type", said));
        }
        Admission::Login(login, redirected_to) => {
            let waiting = connections.take_login(&target.url);
            let access = auth::access(login, redirected_to, waiting).await.map_err(failed)?;
            target.access = Some(access);
        }
    }
    Ok(())
}
