//! The way from a running tool back to its client: progress, log messages, questions.
//!
//! Tools speak from any thread and never wait; what they say is queued here and sent by the handler
//! in order, before the call's answer.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use proofstone_contract::{Ask, AskError, BoxFuture, ClientLink, Elicited, LogLevel};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest,
    InputRequests, InputResponses, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The field of a request's `_meta` that asks for log messages.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Something said during a call.
#[derive(Debug)]
pub(crate) enum Said {
    Progress { done: f64, total: Option<f64>, message: Option<String> },
    Log { level: LogLevel, message: Value },
}

/// The level from which log messages reach a session's client.
#[derive(Debug)]
pub(crate) struct Loudness(AtomicU8);

impl Default for Loudness {
    fn default() -> Self {
        Self(AtomicU8::new(LogLevel::Info as u8))
    }
}

impl Loudness {
    pub(crate) fn set(&self, level: LogLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    fn level(&self) -> LogLevel {
        let level = self.0.load(Ordering::Relaxed);
        let all = [LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error];
        all.into_iter().find(|known| *known as u8 == level).unwrap_or(LogLevel::Info)
    }
}

/// One call's link.
pub(crate) struct Link {
    peer: Peer<RoleServer>,
    said: UnboundedSender<Said>,
    wants_progress: bool,
    can_ask: bool,
    /// Whether questions go out with the answer (2026-07-28) and not during the call.
    asks_later: bool,
    replies: InputResponses,
    questions: Mutex<InputRequests>,
}

impl Link {
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
        replies: Option<InputResponses>,
        asks_later: bool,
    ) -> (Self, UnboundedReceiver<Said>) {
        let (said, heard) = unbounded_channel();
        let can_ask = context.client_capabilities().is_some_and(|can| can.elicitation.is_some());
        let link = Self {
            peer: context.peer.clone(),
            said,
            wants_progress: context.meta.get_progress_token().is_some(),
            can_ask,
            asks_later,
            replies: replies.unwrap_or_default(),
            questions: Mutex::new(BTreeMap::new()),
        };
        (link, heard)
    }

    /// The questions that must go out with the answer.
    pub(crate) fn questions(&self) -> InputRequests {
        std::mem::take(
            &mut *self.questions.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }
}

impl ClientLink for Link {
    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if self.wants_progress {
            let message = message.map(str::to_owned);
            let _ = self.said.send(Said::Progress { done, total, message });
        }
    }

    fn log(&self, level: LogLevel, message: Value) {
        let _ = self.said.send(Said::Log { level, message });
    }

    fn ask<'a>(&'a self, key: &'a str, ask: Ask) -> BoxFuture<'a, Result<Elicited, AskError>> {
        Box::pin(async move {
            if let Some(reply) = self.replies.get(key) {
                let reply = serde_json::from_value(reply.clone());
                return reply.map(elicited).map_err(|error| AskError::Failed(error.to_string()));
            }
            if !self.can_ask {
                return Err(AskError::Unsupported);
            }
            let schema = serde_json::from_value(Value::Object(ask.schema))
                .map_err(|error| AskError::Failed(error.to_string()))?;
            let params = ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: ask.message,
                requested_schema: schema,
            };
            if self.asks_later {
                let question = InputRequest::Elicitation(ElicitRequest::new(params));
                let mut questions =
                    self.questions.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                questions.insert(key.to_owned(), question);
                return Err(AskError::Later);
            }
            let reply = self.peer.create_elicitation(params).await;
            reply.map(elicited).map_err(|error| AskError::Failed(error.to_string()))
        })
    }
}

fn elicited(result: ElicitResult) -> Elicited {
    match result.action {
        ElicitationAction::Accept => Elicited::Accepted(
            result.content.and_then(|c| c.as_object().cloned()).unwrap_or_default(),
        ),
        ElicitationAction::Decline => Elicited::Declined,
        _ => Elicited::Cancelled,
    }
}

/// Sends what was said.
pub(crate) async fn send(said: Said, context: &RequestContextParts) {
    match said {
        Said::Progress { done, total, message } => {
            let Some(token) = context.token.clone() else { return };
            let mut params = ProgressNotificationParam::new(token, done);
            params.total = total;
            params.message = message;
            let _ = context.peer.notify_progress(params).await;
        }
        Said::Log { level, message } if context.threshold.is_some_and(|from| level >= from) => {
            notify_log(&context.peer, level, message).await;
        }
        Said::Log { .. } => {}
    }
}

/// What sending needs of the request, which itself moves into the call.
pub(crate) struct RequestContextParts {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    threshold: Option<LogLevel>,
}

impl RequestContextParts {
    /// Sessions set their log level once; from 2026-07-28 on, each request names its own and gets no
    /// log messages if it does not.
    pub(crate) fn new(context: &RequestContext<RoleServer>, session: Option<&Loudness>) -> Self {
        let named = context.meta.get(LOG_LEVEL).and_then(Value::as_str).map(log_level);
        Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            threshold: named.or(session.map(Loudness::level)),
        }
    }
}

/// The protocol's eight levels as our four.
pub(crate) fn log_level(name: &str) -> LogLevel {
    match name {
        "debug" => LogLevel::Debug,
        "info" | "notice" => LogLevel::Info,
        "warning" => LogLevel::Warning,
        _ => LogLevel::Error,
    }
}

#[expect(deprecated, reason = "log messages exist for clients of the older revisions")]
async fn notify_log(peer: &Peer<RoleServer>, level: LogLevel, message: Value) {
    use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
    let level = match level {
        LogLevel::Debug => LoggingLevel::Debug,
        LogLevel::Info => LoggingLevel::Info,
        LogLevel::Warning => LoggingLevel::Warning,
        LogLevel::Error => LoggingLevel::Error,
    };
    let mut params = LoggingMessageNotificationParam::new(level, message);
    params.logger = Some("proofstone".into());
    let _ = peer.notify_logging_message(params).await;
}
