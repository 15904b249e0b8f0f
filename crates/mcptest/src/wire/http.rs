//! Streamable HTTP: every message is a POST, whose answer is JSON, a stream of events, or nothing.
//!
//! Nothing is repaired: no retries, no redirects, no new session when the server forgot ours. The one
//! thing taken up again is a stream that the server itself ended with an id and without an answer, as
//! the protocol allows, a few times at the most. Where the caller gave a way to a token, a challenge for one
//! is met and the message is sent again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use proofstone_contract::BoxFuture;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, WWW_AUTHENTICATE,
};
use reqwest::{Client, RequestBuilder, Response, Url};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::stream::Cutter;
use super::{Envelope, Event, Events, HttpTarget, NOT_JSON, Wire};
use crate::oauth::{Access, Fetcher, Turned, challenge};
use crate::{Direction, Exit, Fault, Journal, Payload};

const SESSION: &str = "mcp-session-id";
/// How often a stream that ended is taken up again, and how long to wait at least.
const RESUMED: usize = 10;
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
/// How often a message is sent again with another token.
const TRIES: usize = 3;
/// How much of a body that is no answer is shown.
const SHOWN: usize = 2000;
/// The longest body that is read.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

/// An address that speaks streamable HTTP.
pub(super) struct Http {
    client: Client,
    url: Url,
    headers: HeaderMap,
    access: Option<Access>,
    session: Mutex<Option<String>>,
    journal: Arc<Journal>,
    events: Events,
    closed: CancellationToken,
}

impl Http {
    pub(super) fn new(
        target: &HttpTarget,
        journal: Arc<Journal>,
        events: Events,
    ) -> Result<Self, Fault> {
        Ok(Self {
            client: client()?,
            url: address(&target.url)?,
            headers: headers(target)?,
            access: target.access.clone(),
            session: Mutex::default(),
            journal,
            events,
            closed: CancellationToken::new(),
        })
    }

    fn request(&self, request: RequestBuilder) -> RequestBuilder {
        let mut request = request.headers(self.headers.clone());
        if let Some(token) = self.token() {
            request = request.bearer_auth(token);
        }
        match self.session() {
            Some(session) => request.header(SESSION, session),
            None => request,
        }
    }

    async fn post(&self, message: &Value, envelope: Envelope) -> Result<(), Fault> {
        let body = message.to_string();
        self.journal.keep(Direction::Sent, body.len(), Payload::Message(message.clone()));
        let mut tries = 0;
        let answer = loop {
            let shown = self.token();
            let answer = self.post_once(body.clone(), &envelope).await?;
            self.keep_head(&answer);
            match turned(&answer) {
                Some((status, challenge)) if tries < TRIES && self.access.is_some() => {
                    let (server, fresh) = (&self.url, tries > 0);
                    self.renew(Turned { server, status, shown, fresh, challenge }).await?;
                    tries += 1;
                }
                _ => break answer,
            }
        };
        if let Some(session) = answer.headers().get(SESSION).and_then(|value| value.to_str().ok()) {
            *self.lock() = Some(session.to_owned());
        }
        // Answers of ours have an id too, but nothing answers them.
        let awaited = message.get("method").and_then(|_| message.get("id")).cloned();
        self.take_answer(answer, awaited).await
    }

    async fn post_once(&self, body: String, envelope: &Envelope) -> Result<Response, Fault> {
        let mut request = self
            .request(self.client.post(self.url.clone()))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream");
        for (name, value) in &envelope.headers {
            request = request.header(name, value);
        }
        tokio::select! {
            answer = request.body(body).send() => answer.map_err(|error| unreachable(&self.url, &error)),
            () = self.closed.cancelled() => Err(Fault::Closed),
        }
    }

    fn token(&self) -> Option<String> {
        self.access.as_ref().and_then(Access::token)
    }

    /// Gets a token for a server that turned us away.
    async fn renew(&self, turned: Turned<'_>) -> Result<(), Fault> {
        let Some(access) = &self.access else { return Ok(()) };
        let fetcher = Fetcher { client: &self.client, journal: &self.journal };
        tokio::select! {
            renewed = access.renew(fetcher, turned) => Ok(renewed?),
            () = self.closed.cancelled() => Err(Fault::Closed),
        }
    }

    /// Reads an answer by what it says it is.
    async fn take_answer(&self, answer: Response, awaited: Option<Value>) -> Result<(), Fault> {
        let status = answer.status();
        let kind = content_type(&answer);
        if status.is_success() && kind.starts_with("text/event-stream") {
            self.follow(answer, awaited);
            return Ok(());
        }
        let header = |name: HeaderName| {
            let value = answer.headers().get(name);
            value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let (challenge, location) = (header(WWW_AUTHENTICATE), header(LOCATION));
        let body = read_body(answer).await?;
        if kind.starts_with("application/json")
            && let Ok(value) = serde_json::from_slice::<Value>(&body)
            && (status.is_success() || value.get("jsonrpc").is_some())
        {
            let frame =
                self.journal.keep(Direction::Received, body.len(), Payload::Message(value.clone()));
            let _ = self.events.send(Event::Message { frame, value }).await;
            return Ok(());
        }
        let shown = shown(&body);
        if !body.is_empty() {
            self.journal.keep(Direction::Received, body.len(), Payload::Text(shown.clone()));
        }
        if !status.is_success() {
            let status = status.as_u16();
            return Err(Fault::Http { status, body: shown, challenge, location });
        }
        match awaited {
            // A notification or an answer of ours is accepted without a body.
            None => Ok(()),
            Some(_) if body.is_empty() => {
                Err(Fault::Malformed(format!("HTTP {} without a body", status.as_u16())))
            }
            Some(_) if kind.starts_with("application/json") => {
                Err(Fault::Malformed(format!("the body is not JSON: {shown}")))
            }
            Some(_) => Err(Fault::ContentType(kind)),
        }
    }

    /// Reads a stream of events in the background until it or the connection ends.
    fn follow(&self, answer: Response, awaited: Option<Value>) {
        let (journal, events) = (Arc::clone(&self.journal), self.events.clone());
        let closed = self.closed.clone();
        let again = self.request(self.client.get(self.url.clone()));
        tokio::spawn(async move {
            let reading = async {
                let mut ended = read_stream(answer, &journal, &events).await;
                // The protocol lets a server end a stream that it gave an id, to be taken up again.
                for _ in 0..RESUMED {
                    let (Some(_), Some(from)) = (&awaited, ended) else { break };
                    ended = resume(again.try_clone(), from, &journal, &events).await;
                }
            };
            tokio::select! { () = reading => {}, () = closed.cancelled() => {} }
            if let Some(request) = awaited {
                let _ = events.send(Event::StreamEnded { request }).await;
            }
        });
    }

    fn keep_head(&self, answer: &Response) {
        keep_head(answer, &self.journal);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Wire for Http {
    fn send<'a>(
        &'a self,
        message: &'a Value,
        envelope: Envelope,
    ) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.post(message, envelope))
    }

    fn listen(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let request = self.request(self.client.get(self.url.clone()));
            let Ok(answer) = request.header(ACCEPT, "text/event-stream").send().await else {
                return;
            };
            self.keep_head(&answer);
            if answer.status().is_success() {
                self.follow(answer, None);
            }
        })
    }

    fn session(&self) -> Option<String> {
        self.lock().clone()
    }

    fn close(&self) -> BoxFuture<'_, Option<Exit>> {
        Box::pin(async {
            if self.session().is_some() {
                let request = self.request(self.client.delete(self.url.clone()));
                let ended = tokio::time::timeout(Duration::from_secs(2), request.send()).await;
                if let Ok(Ok(answer)) = ended {
                    self.keep_head(&answer);
                }
            }
            self.closed.cancel();
            None
        })
    }
}

/// Whether an answer asks for a token, or for one with more scope, and what it says of it.
fn turned(answer: &Response) -> Option<(u16, challenge::Challenge)> {
    let said = answer.headers().get_all(WWW_AUTHENTICATE).iter();
    let said = said.flat_map(|value| challenge::read(&String::from_utf8_lossy(value.as_bytes())));
    let found = challenge::bearer(said.collect());
    match answer.status().as_u16() {
        401 => Some((401, found.unwrap_or_default())),
        403 => found
            .filter(|found| found.get("error") == Some("insufficient_scope"))
            .map(|found| (403, found)),
        _ => None,
    }
}

/// Reads the events of an answer until it ends, and says if a message is cut off.
/// A stream that gave an id and no answer can be taken up again from there.
async fn read_stream(
    answer: Response,
    journal: &Journal,
    events: &Events,
) -> Option<(String, u64)> {
    let (mut cutter, mut answered) = (Cutter::default(), false);
    let mut pieces = answer.bytes_stream();
    while let Some(Ok(piece)) = pieces.next().await {
        for event in cutter.push(&piece)? {
            answered |= is_answer(&event.data);
            take_event(&event.data, journal, events).await;
        }
    }
    cutter.resumption().filter(|_| !answered)
}

fn is_answer(data: &str) -> bool {
    let value = serde_json::from_str::<Value>(data).unwrap_or_default();
    value.get("id").is_some() && value.get("method").is_none()
}

fn keep_head(answer: &Response, journal: &Journal) {
    let headers = answer.headers().iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    let payload = Payload::Http { status: answer.status().as_u16(), headers: headers.collect() };
    journal.keep(Direction::Received, 0, payload);
}

/// Takes a stream up again after the time that the server wants.
async fn resume(
    request: Option<RequestBuilder>,
    (id, wait): (String, u64),
    journal: &Journal,
    events: &Events,
) -> Option<(String, u64)> {
    tokio::time::sleep(Duration::from_millis(wait).max(SHORTEST_WAIT)).await;
    let request = request?.header(ACCEPT, "text/event-stream").header("Last-Event-ID", id);
    let answer = request.send().await.ok()?;
    keep_head(&answer, journal);
    if !answer.status().is_success() {
        return None;
    }
    read_stream(answer, journal, events).await
}

/// Keeps an event's data as a frame and passes it on.
pub(super) async fn take_event(data: &str, journal: &Journal, events: &Events) {
    if data.is_empty() {
        return;
    }
    let event = match serde_json::from_str::<Value>(data) {
        Ok(value) => {
            let payload = Payload::Message(value.clone());
            Event::Message { frame: journal.keep(Direction::Received, data.len(), payload), value }
        }
        Err(_) => {
            let payload = Payload::Text(shown(data.as_bytes()));
            let frame = journal.keep(Direction::Received, data.len(), payload);
            Event::Noise { frame, why: NOT_JSON }
        }
    };
    let _ = events.send(event).await;
}

/// A client that follows no redirects: where a server sends us is for the caller to see.
pub(crate) fn client() -> Result<Client, Fault> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .build()
        .map_err(|error| Fault::Broken(error.to_string()))
}

pub(super) fn address(url: &str) -> Result<Url, Fault> {
    let fault = |reason: String| Fault::Address { url: url.to_owned(), reason };
    let parsed = Url::parse(url).map_err(|error| fault(error.to_string()))?;
    match parsed.scheme() {
        "http" | "https" => Ok(parsed),
        other => Err(fault(format!("the scheme is `{other}`, not http or https"))),
    }
}

pub(super) fn headers(target: &HttpTarget) -> Result<HeaderMap, Fault> {
    let mut map = HeaderMap::new();
    for (name, value) in &target.headers {
        let fault = |what: &str| Fault::Address {
            url: target.url.clone(),
            reason: format!("the header `{name}` has {what} that HTTP does not allow"),
        };
        let name = HeaderName::try_from(name.as_str()).map_err(|_| fault("a name"))?;
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| fault("a value"))?;
        map.append(name, value);
    }
    Ok(map)
}

pub(super) fn unreachable(url: &Url, error: &reqwest::Error) -> Fault {
    Fault::Unreachable { url: url.to_string(), reason: cause_of(error) }
}

/// The innermost cause, which is the one that says what happened.
pub(crate) fn cause_of(error: &reqwest::Error) -> String {
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        reason = inner.to_string();
        cause = inner.source();
    }
    reason
}

fn content_type(answer: &Response) -> String {
    let value = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

async fn read_body(answer: Response) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    let mut pieces = answer.bytes_stream();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.map_err(|error| Fault::Broken(cause_of(&error)))?);
        if body.len() > LONGEST_BODY {
            return Err(Fault::Malformed(format!("the body is longer than {LONGEST_BODY} bytes")));
        }
    }
    Ok(body)
}

fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]).into_owned();
    if body.len() > SHOWN { text + "…" } else { text }
}
