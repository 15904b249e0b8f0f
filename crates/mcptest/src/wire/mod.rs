//! The ways to a server: its stdin and stdout, streamable HTTP, and the old HTTP with server-sent
//! events. They move JSON and keep frames; what the messages mean is the client's business.

mod http;
mod process;
mod sse;
mod stream;

pub use stream::{Cutter, StreamEvent};

pub(crate) use http::{cause_of, client as http_client};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use proofstone_contract::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc::Sender;

use crate::oauth::Access;
use crate::{Exit, Fault, Journal};

/// A server and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program that speaks on stdin and stdout.
    Stdio(StdioTarget),
    /// An address that speaks streamable HTTP.
    Http(HttpTarget),
    /// An address that speaks HTTP with server-sent events, as in 2024-11-05.
    Sse(HttpTarget),
}

/// A program to start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StdioTarget {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables set for it besides our own.
    pub env: BTreeMap<String, String>,
    /// Where it runs.
    pub cwd: Option<PathBuf>,
}

/// An address and what every request carries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpTarget {
    /// The address.
    pub url: String,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// How a challenge for a token is met; it is shown to the caller if not at all.
    pub access: Option<Access>,
}

/// What arrives from a server.
#[derive(Debug)]
pub(crate) enum Event {
    /// JSON, with the number of its frame.
    Message { frame: u64, value: Value },
    /// Something that is no message where only messages belong, and why it is none.
    Noise { frame: u64, why: &'static str },
    /// The stream that would have carried the answer to a request has ended.
    StreamEnded { request: Value },
    /// Nothing more will arrive.
    Ended(Fault),
}

/// Bounded: a server that floods us is read no faster than it is understood.
pub(crate) type Events = Sender<Event>;

/// Why something that can't be read as JSON is noise.
const NOT_JSON: &str = "something that is not JSON, where only messages belong";

/// What the transport must know about a message besides its JSON.
#[derive(Debug, Clone, Default)]
pub(crate) struct Envelope {
    /// Headers that belong to this message.
    pub(crate) headers: Vec<(String, String)>,
}

/// A way to a server.
pub(crate) trait Wire: Send + Sync {
    /// Sends a message. Its answer arrives as an event; an HTTP answer that is none is a fault.
    fn send<'a>(
        &'a self,
        message: &'a Value,
        envelope: Envelope,
    ) -> BoxFuture<'a, Result<(), Fault>>;

    /// Opens the stream on which a server sends requests of its own, where the transport has one.
    fn listen(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// The session that the server gave us, where the transport has such.
    fn session(&self) -> Option<String> {
        None
    }

    /// Ends the connection and leaves nothing behind; tells how the server's process ended.
    fn close(&self) -> BoxFuture<'_, Option<Exit>>;

    /// How the server's process ended, if it has or does within a moment.
    fn exit(&self) -> BoxFuture<'_, Option<Exit>> {
        Box::pin(async { None })
    }

    /// The end of what the server's process wrote to stderr.
    fn stderr(&self) -> String {
        String::new()
    }
}

/// Opens the way to a server.
pub(crate) async fn open(
    target: &Target,
    journal: Arc<Journal>,
    events: Events,
) -> Result<Arc<dyn Wire>, Fault> {
    Ok(match target {
        Target::Stdio(target) => Arc::new(process::Process::start(target, journal, events)?),
        Target::Http(target) => Arc::new(http::Http::new(target, journal, events)?),
        Target::Sse(target) => Arc::new(sse::Sse::open(target, journal, events).await?),
    })
}

impl Target {
    /// The contract's name of the transport.
    pub fn transport(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "streaming-http",
            Self::Sse(_) => "sse",
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Http(target) | Self::Sse(target) => f.write_str(&target.url),
            Self::Stdio(target) => {
                f.write_str(&target.command)?;
                target.args.iter().try_for_each(|arg| write!(f, " {arg}"))
            }
        }
    }
}
