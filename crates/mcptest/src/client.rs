//! A JSON-RPC client that repairs nothing.
//!
//! Requests are numbers; an answer belongs to a request only if it carries exactly that number. What
//! does not fit is kept as an [`Anomaly`] with its frame. Requests of the server's are parked until
//! somebody answers them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::sync::oneshot;

use crate::era::Era;
use crate::mirrored::{self, Mirrored};
use crate::wire::{self, Envelope, Event, Wire};
use crate::{Exit, Fault, Frame, Journal, Target};

/// The most anomalies, notifications and parked requests that are kept.
const KEPT: usize = 1000;
/// The most messages that wait to be understood.
const UNREAD: usize = 256;
/// How long a server may take to read our answer to its ping.
const PING_PATIENCE: Duration = Duration::from_secs(1);

/// Something that a server did and should not have done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Anomaly {
    /// What it is, as a stable name.
    pub kind: &'static str,
    /// What happened, in a sentence.
    pub message: String,
    /// The frame that shows it.
    pub frame: u64,
}

/// A request or notification of the server's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerRequest {
    /// The id to answer with; none for a notification.
    pub id: Option<Value>,
    /// What is asked.
    pub method: String,
    /// The parameters.
    pub params: Value,
    /// The frame that carried it.
    pub frame: u64,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The result, as it was sent.
    pub result: Value,
    /// The frame that carried it.
    pub frame: u64,
    /// How long it took.
    pub elapsed: Duration,
}

/// An answer that is ready before the server asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Scripted {
    /// What it answers.
    pub method: String,
    /// A result, or an error object.
    pub answer: Result<Value, Value>,
    /// Whether it serves more than once.
    pub always: bool,
}

/// A response as it was sent and the frame that carried it, or why there is none.
pub type Response = Result<(Value, u64), Fault>;

type Waiting = oneshot::Sender<Response>;

/// A connection to a server.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    wire: Arc<dyn Wire>,
    journal: Arc<Journal>,
    era: Mutex<Era>,
    next_id: AtomicU64,
    waiting: Mutex<HashMap<u64, Waiting>>,
    anomalies: Mutex<Vec<Anomaly>>,
    notifications: Mutex<Vec<ServerRequest>>,
    parked: Mutex<Vec<ServerRequest>>,
    script: Mutex<Vec<Scripted>>,
    mirrored: Mutex<HashMap<String, Vec<Mirrored>>>,
    arrived: Notify,
    ended: Mutex<Option<Fault>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("frames", &self.0.journal.last()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    let mut list = lock(list);
    if list.len() < KEPT {
        list.push(item);
    }
}

impl Client {
    /// Opens the way to a server. Nothing is sent yet.
    pub async fn open(target: &Target) -> Result<Self, Fault> {
        let journal = Arc::<Journal>::default();
        let (events, heard) = channel(UNREAD);
        let wire = wire::open(target, Arc::clone(&journal), events).await?;
        let client = Self(Arc::new(Shared {
            wire,
            journal,
            era: Mutex::new(Era::default()),
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
            anomalies: Mutex::default(),
            notifications: Mutex::default(),
            parked: Mutex::default(),
            script: Mutex::default(),
            mirrored: Mutex::default(),
            arrived: Notify::new(),
            ended: Mutex::default(),
        }));
        tokio::spawn(client.clone().hear(heard));
        Ok(client)
    }

    /// Sends a request and waits for its answer.
    pub async fn request(
        &self,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Result<Reply, Fault> {
        self.request_until(method, params, tokio::time::sleep(patience), patience).await
    }

    /// Sends a request and waits for its answer until something else happens, which is then called a
    /// timeout after `patience`.
    pub async fn request_until(
        &self,
        method: &str,
        params: Value,
        over: impl Future<Output = ()>,
        patience: Duration,
    ) -> Result<Reply, Fault> {
        if let Some(fault) = lock(&self.0.ended).clone() {
            return Err(fault);
        }
        let started = Instant::now();
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        lock(&self.0.waiting).insert(id, answer);
        let _forget = Forget(&self.0.waiting, id);
        let mut mirrored = self.mirrored(method, &params);
        let (params, mut envelope) = lock(&self.0.era).dress(method, params);
        envelope.headers.append(&mut mirrored);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let exchange = async {
            self.0.wire.send(&message, envelope).await?;
            answered.await.unwrap_or(Err(Fault::Closed))
        };
        tokio::select! {
            answer = exchange => {
                let (response, frame) = answer?;
                let result = result_of(&response)?;
                self.learn(method, &result);
                Ok(Reply { result, frame, elapsed: started.elapsed() })
            }
            () = over => {
                self.give_up(id).await;
                Err(Fault::Timeout { method: method.to_owned(), after: patience })
            }
        }
    }

    /// Keeps which parameters go into headers, as the server's list of tools says.
    fn learn(&self, method: &str, result: &Value) {
        if method != "tools/list" {
            return;
        }
        for tool in result["tools"].as_array().into_iter().flatten() {
            let found = mirrored::mirrored(tool).unwrap_or_default();
            if let (Some(name), false) = (tool["name"].as_str(), found.is_empty()) {
                lock(&self.0.mirrored).insert(name.to_owned(), found);
            }
        }
    }

    /// The headers that repeat a call's parameters.
    fn mirrored(&self, method: &str, params: &Value) -> Vec<(String, String)> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        match lock(&self.0.mirrored).get(name) {
            Some(found) if method == "tools/call" && lock(&self.0.era).stateless => {
                mirrored::headers(found, &params["arguments"])
            }
            _ => Vec::new(),
        }
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) -> Result<(), Fault> {
        let (params, envelope) = lock(&self.0.era).dress(method, params);
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.0.wire.send(&message, envelope).await
    }

    /// Answers a request of the server's: with a result, or with an error object.
    pub async fn respond(&self, id: &Value, answer: Result<Value, Value>) -> Result<bool, Fault> {
        let known = {
            let mut parked = lock(&self.0.parked);
            let before = parked.len();
            parked.retain(|request| request.id.as_ref() != Some(id));
            parked.len() < before
        };
        let mut message = Map::new();
        message.insert("jsonrpc".into(), "2.0".into());
        message.insert("id".into(), id.clone());
        match answer {
            Ok(result) => message.insert("result".into(), result),
            Err(error) => message.insert("error".into(), error),
        };
        let envelope = lock(&self.0.era).envelope();
        self.0.wire.send(&Value::Object(message), envelope).await?;
        Ok(known)
    }

    /// Sends JSON as it is, also if it is no proper message. Answers to it arrive as anomalies or, with
    /// an id from [`Client::reserve`], at its receiver.
    pub async fn send_raw(&self, message: &Value) -> Result<(), Fault> {
        let envelope = lock(&self.0.era).envelope();
        self.0.wire.send(message, envelope).await
    }

    /// An id for a hand-made request, and where its answer arrives.
    pub fn reserve(&self) -> (u64, oneshot::Receiver<Response>) {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        lock(&self.0.waiting).insert(id, answer);
        (id, answered)
    }

    /// The revision in force and what the server said of itself.
    pub fn era(&self) -> Era {
        lock(&self.0.era).clone()
    }

    pub(crate) fn set_era(&self, era: Era) {
        *lock(&self.0.era) = era;
    }

    /// Opens the stream for the server's own requests, where the transport has one.
    pub(crate) async fn listen(&self) {
        self.0.wire.listen().await;
    }

    /// The requests of the server's that nobody has answered.
    pub fn parked(&self) -> Vec<ServerRequest> {
        lock(&self.0.parked).clone()
    }

    /// Waits until a request of the server's waits that came with a frame or after it.
    pub async fn asked_since(&self, first: u64) {
        loop {
            let arrives = self.0.arrived.notified();
            tokio::pin!(arrives);
            arrives.as_mut().enable();
            if lock(&self.0.parked).iter().any(|request| request.frame >= first) {
                return;
            }
            arrives.await;
        }
    }

    /// Puts answers before those that are there already.
    pub fn script(&self, answers: Vec<Scripted>) {
        lock(&self.0.script).splice(0..0, answers);
    }

    /// The answer to a question that is ready, if there is one. What serves once is used up.
    pub fn scripted(&self, method: &str) -> Option<Result<Value, Value>> {
        let mut script = lock(&self.0.script);
        let at = script.iter().position(|scripted| scripted.method == method)?;
        match script[at].always {
            true => Some(script[at].answer.clone()),
            false => Some(script.remove(at).answer),
        }
    }

    /// The notifications so far.
    pub fn notifications(&self) -> Vec<ServerRequest> {
        lock(&self.0.notifications).clone()
    }

    /// What the server did and should not have done, so far.
    pub fn anomalies(&self) -> Vec<Anomaly> {
        lock(&self.0.anomalies).clone()
    }

    /// Everything that crossed the wire.
    pub fn journal(&self) -> &Journal {
        &self.0.journal
    }

    /// The frame with a number.
    pub fn frame(&self, id: u64) -> Option<Frame> {
        self.0.journal.frame(id)
    }

    /// The session that an HTTP server gave us.
    pub fn session(&self) -> Option<String> {
        self.0.wire.session()
    }

    /// The end of what the server's process wrote to stderr.
    pub fn stderr(&self) -> String {
        self.0.wire.stderr()
    }

    /// Why nothing more will arrive, if so.
    pub fn ended(&self) -> Option<Fault> {
        lock(&self.0.ended).clone()
    }

    /// Ends the connection and whatever belongs to it.
    pub async fn close(&self) -> Option<Exit> {
        let exit = self.0.wire.close().await;
        lock(&self.0.ended).get_or_insert(Fault::Closed);
        lock(&self.0.waiting).clear();
        exit
    }

    /// Tells the server that an answer is no longer waited for. It may be beyond hearing.
    async fn give_up(&self, id: u64) {
        let params = json!({ "requestId": id, "reason": "no answer in time" });
        let telling = self.notify("notifications/cancelled", params);
        let _ = tokio::time::timeout(Duration::from_millis(200), telling).await;
    }

    async fn hear(self, mut heard: Receiver<Event>) {
        while let Some(event) = heard.recv().await {
            match event {
                Event::Message { frame, value } => self.take(frame, value).await,
                Event::Noise { frame, why } => self.note("noise", why, frame),
                Event::StreamEnded { request } => self.fail_one(&request),
                Event::Ended(fault) => self.end(fault).await,
            }
        }
    }

    async fn take(&self, frame: u64, value: Value) {
        if value.is_array() {
            self.note("batch", "a batch of messages, which the protocol does not have", frame);
            for value in value.as_array().into_iter().flatten() {
                Box::pin(self.take(frame, value.clone())).await;
            }
            return;
        }
        if value.is_object() && value.get("jsonrpc") != Some(&json!("2.0")) {
            self.note("jsonrpc", "a message without \"jsonrpc\": \"2.0\"", frame);
        }
        match (value.get("method").and_then(Value::as_str), value.get("id")) {
            (Some(method), id) => self.take_request(method, id.cloned(), &value, frame).await,
            (None, Some(id)) => self.take_answer(&id.clone(), value, frame),
            (None, None) if value.get("error").is_some() => {
                let said = format!("an error without an id: {}", value["error"]);
                self.note("error_without_id", &said, frame);
            }
            (None, None) => self.note("no_message", "JSON that is no message", frame),
        }
    }

    fn take_answer(&self, id: &Value, value: Value, frame: u64) {
        let waiting = id.as_u64().and_then(|id| lock(&self.0.waiting).remove(&id));
        if let Some(waiting) = waiting {
            let _ = waiting.send(Ok((value, frame)));
            return;
        }
        let issued = id.as_u64().is_some_and(|id| id < self.0.next_id.load(Ordering::Relaxed));
        let said = match issued {
            true => format!("an answer with the id {id}, whose request was answered or given up"),
            false => format!("an answer with the id {id}, which no request has"),
        };
        self.note("stray_answer", &said, frame);
        // With a single request under way there is no doubt what the answer was meant for.
        let mut all = lock(&self.0.waiting);
        if let [expected] = all.keys().copied().collect::<Vec<_>>()[..]
            && (!issued || looks_like(id, expected))
            && let Some(waiting) = all.remove(&expected)
        {
            let _ =
                waiting.send(Err(Fault::WrongId { expected: json!(expected), got: id.clone() }));
        }
    }

    async fn take_request(&self, method: &str, id: Option<Value>, value: &Value, frame: u64) {
        let params = value.get("params").cloned().unwrap_or_else(|| json!({}));
        let request = ServerRequest { id: id.clone(), method: method.to_owned(), params, frame };
        match id {
            None => push(&self.0.notifications, request),
            Some(id) if method == "ping" => {
                let answer = self.respond(&id, Ok(json!({})));
                let _ = tokio::time::timeout(PING_PATIENCE, answer).await;
            }
            Some(id) => match self.scripted(method) {
                Some(answer) => self.answer_aside(id, answer),
                None => push(&self.0.parked, request),
            },
        }
        self.0.arrived.notify_waiters();
    }

    /// Answers without keeping the next message waiting.
    fn answer_aside(&self, id: Value, answer: Result<Value, Value>) {
        let client = self.clone();
        tokio::spawn(async move { client.respond(&id, answer).await });
    }

    fn fail_one(&self, request: &Value) {
        let waiting = request.as_u64().and_then(|id| lock(&self.0.waiting).remove(&id));
        if let Some(waiting) = waiting {
            let _ = waiting.send(Err(Fault::StreamEnded));
        }
    }

    async fn end(&self, fault: Fault) {
        let fault = match self.0.wire.exit().await {
            Some(exit) => Fault::Ended(exit),
            None => fault,
        };
        lock(&self.0.ended).get_or_insert(fault.clone());
        for (_, waiting) in lock(&self.0.waiting).drain() {
            let _ = waiting.send(Err(fault.clone()));
        }
        self.0.arrived.notify_waiters();
    }

    fn note(&self, kind: &'static str, message: &str, frame: u64) {
        push(&self.0.anomalies, Anomaly { kind, message: message.to_owned(), frame });
    }
}

/// Forgets a request when nobody waits for it any more.
struct Forget<'a>(&'a Mutex<HashMap<u64, Waiting>>, u64);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        lock(self.0).remove(&self.1);
    }
}

/// Whether a wrong id is a garbled form of the right one: the same number as text, or none.
fn looks_like(id: &Value, expected: u64) -> bool {
    match id {
        Value::String(text) => text.trim() == expected.to_string(),
        Value::Null => true,
        Value::Number(number) => number.as_f64() == Some(expected as f64),
        _ => false,
    }
}

fn result_of(response: &Value) -> Result<Value, Fault> {
    match (response.get("result"), response.get("error")) {
        (Some(result @ Value::Object(_)), None) => Ok(result.clone()),
        (Some(other), None) => {
            Err(Fault::Malformed(format!("its result is not an object: {}", start_of(other))))
        }
        (None, Some(error)) => Err(error_of(error)),
        (Some(_), Some(_)) => Err(Fault::Malformed("it has both a result and an error".into())),
        (None, None) => Err(Fault::Malformed("it has neither a result nor an error".into())),
    }
}

fn error_of(error: &Value) -> Fault {
    let code = error.get("code").and_then(Value::as_i64);
    let message = error.get("message").and_then(Value::as_str);
    match (code, message) {
        (Some(code), Some(message)) => {
            let data = error.get("data").cloned();
            Fault::Rpc { code, message: message.to_owned(), data }
        }
        _ => Fault::Malformed(format!(
            "its error has no code and message as JSON-RPC wants them: {}",
            start_of(error)
        )),
    }
}

/// The start of a value, for a message.
fn start_of(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}

impl Era {
    /// The headers that go with any message.
    pub(crate) fn envelope(&self) -> Envelope {
        let headers = self.revision.iter().map(|r| ("MCP-Protocol-Version".to_owned(), r.clone()));
        Envelope { headers: headers.collect() }
    }
}
