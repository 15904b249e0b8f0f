//! What a handler knows about the call it serves: how long it has, whether it is still wanted, and
//! how to speak to the client meanwhile.

use std::any::Any;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{BoxFuture, Failure, FailureKind};

/// How loud a log message to the client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Details for finding faults.
    Debug,
    /// What normally happens.
    Info,
    /// Something a person should look at.
    Warning,
    /// Something failed.
    Error,
}

/// A question to the person behind the client.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The question.
    pub message: String,
    /// A flat object schema of the answer.
    pub schema: Map<String, Value>,
}

/// What the person did with a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Elicited {
    /// Answered it.
    Accepted(Map<String, Value>),
    /// Said no.
    Declined,
    /// Closed it.
    Cancelled,
}

/// Why a question could not be put or has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The client can't show questions.
    #[error("this client can't be asked for input")]
    Unsupported,
    /// The question goes out with this call's answer, and the client calls again with the reply.
    /// Return from the handler with any failure: the client will not see it.
    #[error("the question was sent; the call is repeated with the answer")]
    Later,
    /// The client failed to answer.
    #[error("the client did not answer: {0}")]
    Failed(String),
}

/// The way back to the client during a call. The server gives one that speaks its protocol; tests
/// and the command line give one that does not.
pub trait ClientLink: Send + Sync {
    /// Tells how far the work is.
    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>);

    /// Sends a log message.
    fn log(&self, level: LogLevel, message: Value);

    /// Puts a question. `key` tells the questions of one call apart.
    fn ask<'a>(&'a self, key: &'a str, ask: Ask) -> BoxFuture<'a, Result<Elicited, AskError>>;
}

/// No client: progress and logs go nowhere and questions can't be asked.
struct NoClient;

impl ClientLink for NoClient {
    fn progress(&self, _done: f64, _total: Option<f64>, _message: Option<&str>) {}

    fn log(&self, _level: LogLevel, _message: Value) {}

    fn ask<'a>(&'a self, _key: &'a str, _ask: Ask) -> BoxFuture<'a, Result<Elicited, AskError>> {
        Box::pin(async { Err(AskError::Unsupported) })
    }
}

/// The context of one call. Cheap to clone, so that it can move into background work.
#[derive(Clone)]
pub struct CallCx {
    root: Arc<Path>,
    session: Arc<str>,
    stop: Stopped,
    link: Arc<dyn ClientLink>,
    transport: Option<Arc<dyn Any + Send + Sync>>,
}

/// Makes a [`CallCx`]. What is not set: the working directory, no client, a minute.
pub struct CallCxBuilder(CallCx);

/// Says whether work is still wanted. Long work asks it every few thousand steps.
#[derive(Debug, Clone)]
pub struct Stopped {
    token: CancellationToken,
    deadline: Instant,
}

impl Stopped {
    /// Whether the call was cancelled or has run past its deadline.
    pub fn requested(&self) -> bool {
        self.token.is_cancelled() || Instant::now() >= self.deadline
    }

    /// When the call ends at the latest.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }
}

impl CallCx {
    /// Starts a context for a project root.
    pub fn builder(root: impl Into<PathBuf>) -> CallCxBuilder {
        let stop = Stopped {
            token: CancellationToken::new(),
            deadline: Instant::now() + Duration::from_mins(1),
        };
        CallCxBuilder(Self {
            root: Arc::from(root.into()),
            session: Arc::from("local"),
            stop,
            link: Arc::new(NoClient),
            transport: None,
        })
    }

    /// The project root: relative paths are relative to it, and it bounds what may be read.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The session the call belongs to.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Fires when the call is cancelled or its deadline has passed.
    pub fn cancel_token(&self) -> &CancellationToken {
        &self.stop.token
    }

    /// Whether the call is no longer wanted.
    pub fn is_stopped(&self) -> bool {
        self.stop.requested()
    }

    /// When the call ends at the latest.
    pub fn deadline(&self) -> Instant {
        self.stop.deadline
    }

    /// What is left of the call's time.
    pub fn remaining(&self) -> Duration {
        self.stop.deadline.saturating_duration_since(Instant::now())
    }

    /// A handle for long work to ask whether it is still wanted.
    pub fn stopped(&self) -> Stopped {
        self.stop.clone()
    }

    /// Tells the client how far the work is.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.link.progress(done, total, message);
    }

    /// Sends the client a log message.
    pub fn log(&self, level: LogLevel, message: impl Into<Value>) {
        self.link.log(level, message.into());
    }

    /// Asks the person behind the client.
    pub async fn ask(&self, key: &str, ask: Ask) -> Result<Elicited, AskError> {
        self.link.ask(key, ask).await
    }

    /// What the transport attached to the call, for code that belongs to the transport.
    pub fn transport<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.transport.as_ref()?.downcast_ref()
    }

    /// Runs work that keeps a core busy away from the thread that serves the protocol. The work
    /// gets a [`Stopped`] and should ask it now and then.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(&Stopped) -> T + Send + 'static,
    {
        let stop = self.stop.clone();
        match tokio::task::spawn_blocking(move || work(&stop)).await {
            Ok(done) => Ok(done),
            // The gate catches panics wherever they happen, so it must see this one too.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(Failure::new(
                FailureKind::Cancelled,
                "CANCELLED",
                "the server is shutting down",
            )),
        }
    }

    /// The same context with an earlier end, if `deadline` is earlier. Used by the gate.
    pub fn ending_at(&self, deadline: Instant) -> Self {
        let stop = Stopped {
            token: self.stop.token.child_token(),
            deadline: deadline.min(self.stop.deadline),
        };
        Self { stop, ..self.clone() }
    }
}

impl CallCxBuilder {
    /// The session the call belongs to.
    pub fn session(mut self, session: impl Into<Arc<str>>) -> Self {
        self.0.session = session.into();
        self
    }

    /// The token that cancels the call.
    pub fn cancel_token(mut self, token: CancellationToken) -> Self {
        self.0.stop.token = token;
        self
    }

    /// How long the call may take at the most.
    pub fn time(mut self, time: Duration) -> Self {
        self.0.stop.deadline = Instant::now() + time;
        self
    }

    /// The way back to the client.
    pub fn link(mut self, link: Arc<dyn ClientLink>) -> Self {
        self.0.link = link;
        self
    }

    /// Something of the transport's own, found again with [`CallCx::transport`].
    pub fn transport(mut self, transport: Arc<dyn Any + Send + Sync>) -> Self {
        self.0.transport = Some(transport);
        self
    }

    /// The context.
    pub fn build(self) -> CallCx {
        self.0
    }
}

impl fmt::Debug for CallCx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallCx")
            .field("root", &self.root)
            .field("session", &self.session)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CallCxBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallCxBuilder").field(&self.0).finish()
    }
}
