//! Calls that can't end before somebody answers what the server asks meanwhile.
//!
//! A server may ask for a completion, for words of a person or for roots while it works. In the era of
//! sessions it sends a request of its own; in the newer one its result says what it needs, and the call
//! is sent again with the answers. Both come to the same here: a [`Turn`] that waits for answers. It
//! knows nothing of the tools that show it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::{Client, Fault, Reply};

/// The most rounds of questions in one call.
const ROUNDS: usize = 50;
/// How long further questions may take to join the first, and the answer of a call that does not
/// depend on them: a server may ask for something that has nothing to do with the call.
const TOGETHER: Duration = Duration::from_millis(150);

/// A call of a tool.
#[derive(Debug, Clone)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// When it was called first.
    pub started: Timestamp,
}

impl Call {
    /// A call that starts now.
    pub fn new(name: String, arguments: Map<String, Value>) -> Self {
        Self { name, arguments, started: Timestamp::now() }
    }
}

/// Something that the server asks and nobody has answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Question {
    /// What an answer must name.
    pub id: Value,
    /// What is asked.
    pub method: String,
    /// The parameters.
    pub params: Value,
    /// The frame that carried it.
    pub frame: u64,
}

/// How a call stands.
#[derive(Debug)]
pub enum Turn {
    /// It has ended.
    Ended(Result<Reply, Fault>),
    /// It waits for answers to these.
    Waits(Vec<Question>),
}

/// The calls of a connection that wait.
#[derive(Debug, Default)]
pub struct Pending(Mutex<Vec<Waiting>>);

#[derive(Debug)]
struct Waiting {
    call: Call,
    questions: Vec<Question>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The request is under way; the server asked beside it.
    Running(Running),
    /// The request was answered with questions; it will be sent again.
    Again { given: Map<String, Value>, state: Option<Value>, round: usize },
}

#[derive(Debug)]
struct Running {
    answer: JoinHandle<Result<Reply, Fault>>,
    stop: CancellationToken,
}

impl Pending {
    /// The questions that calls wait for.
    pub fn questions(&self) -> Vec<Question> {
        self.lock().iter().flat_map(|waiting| waiting.questions.clone()).collect()
    }

    fn take(&self, id: &Value) -> Option<Waiting> {
        let mut all = self.lock();
        let at = all.iter().position(|w| w.questions.iter().any(|q| q.id == *id))?;
        Some(all.remove(at))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls a tool until it ends or needs an answer.
pub async fn call(connection: &Arc<Connection>, call: Call, patience: Duration) -> Turn {
    send(connection, call, (Map::new(), None, 0), patience).await
}

/// Answers a question and goes on with the call that waits for it, if one does: that call, and how it
/// stands. The answer is a result, or an error object.
pub async fn answer(
    connection: &Arc<Connection>,
    id: &Value,
    answer: Result<Value, Value>,
    patience: Duration,
) -> Result<Option<(Call, Turn)>, Unanswerable> {
    // Said before the call is taken from those that wait, so that it stays there.
    if answer.is_err() && connection.client.era().stateless {
        return Err(Unanswerable::NoErrors);
    }
    let Some(mut waiting) = connection.pending.take(id) else {
        let known =
            connection.client.parked().iter().any(|request| request.id.as_ref() == Some(id));
        if !known {
            return Err(Unanswerable::Unknown);
        }
        connection.client.respond(id, answer).await?;
        return Ok(None);
    };
    waiting.questions.retain(|question| question.id != *id);
    let call = waiting.call.clone();
    let turn = match waiting.state {
        State::Running(running) => {
            let first = connection.client.journal().last() + 1;
            connection.client.respond(id, answer).await?;
            follow(connection, waiting.call, running, (first, waiting.questions), patience).await
        }
        State::Again { mut given, state, round } => {
            let result = answer.map_err(|_| Unanswerable::NoErrors)?;
            given.insert(id.as_str().unwrap_or_default().to_owned(), result);
            again(connection, waiting.call, waiting.questions, (given, state, round), patience)
                .await
        }
    };
    Ok(Some((call, turn)))
}

/// Why an answer can't be given.
#[derive(Debug, thiserror::Error)]
pub enum Unanswerable {
    /// Nothing of that id waits.
    #[error("no request of the server's with that id waits for an answer")]
    Unknown,
    /// In the newer era there is no way to say it.
    #[error("this revision has no errors as answers: give a result, or leave the call unanswered")]
    NoErrors,
    /// The server can't be told.
    #[error(transparent)]
    Fault(#[from] Fault),
}

type Round = (Map<String, Value>, Option<Value>, usize);

/// Sends the call, with what was answered so far.
async fn send(connection: &Arc<Connection>, call: Call, round: Round, patience: Duration) -> Turn {
    let (given, state, number) = round;
    let mut params = json!({ "name": call.name, "arguments": call.arguments });
    if !given.is_empty() {
        params["inputResponses"] = Value::Object(given);
    }
    if let Some(state) = state {
        params["requestState"] = state;
    }
    let first = connection.client.journal().last() + 1;
    let stop = CancellationToken::new();
    let (client, ended): (Client, _) = (connection.client.clone(), stop.clone());
    let answer = tokio::spawn(async move {
        client.request_until("tools/call", params, ended.cancelled(), patience).await
    });
    let running = Running { answer, stop };
    let turn = follow(connection, call.clone(), running, (first, Vec::new()), patience).await;
    match turn {
        Turn::Ended(Ok(reply)) if needs_input(&reply) && number < ROUNDS => {
            ask(connection, call, reply, number, patience).await
        }
        turn => turn,
    }
}

fn needs_input(reply: &Reply) -> bool {
    reply.result.get("resultType") == Some(&json!("input_required"))
}

/// Waits for the answer of a request that is under way, or for the next question beside it.
async fn follow(
    connection: &Connection,
    call: Call,
    mut running: Running,
    (first, mut questions): (u64, Vec<Question>),
    patience: Duration,
) -> Turn {
    let client = &connection.client;
    if questions.is_empty() {
        tokio::select! {
            ended = &mut running.answer => return Turn::Ended(ended.unwrap_or(Err(Fault::Closed))),
            () = client.asked_since(first) => {
                let soon = tokio::time::timeout(TOGETHER, &mut running.answer).await;
                if let Ok(ended) = soon {
                    return Turn::Ended(ended.unwrap_or(Err(Fault::Closed)));
                }
            }
            () = tokio::time::sleep(patience) => {
                running.stop.cancel();
                return Turn::Ended(running.answer.await.unwrap_or(Err(Fault::Closed)));
            }
        }
        let asked = client.parked().into_iter().filter(|request| request.frame >= first);
        questions.extend(asked.filter_map(|request| {
            let (method, params, frame) = (request.method, request.params, request.frame);
            Some(Question { id: request.id?, method, params, frame })
        }));
    }
    let state = State::Running(running);
    let waiting = Waiting { call, questions: questions.clone(), state };
    connection.pending.lock().push(waiting);
    Turn::Waits(questions)
}

/// A result that asks: what the script knows is answered, the rest waits.
async fn ask(
    connection: &Arc<Connection>,
    call: Call,
    reply: Reply,
    number: usize,
    patience: Duration,
) -> Turn {
    let state = reply.result.get("requestState").cloned();
    let (mut given, mut questions) = (Map::new(), Vec::new());
    for (key, request) in reply.result["inputRequests"].as_object().into_iter().flatten() {
        let method = request["method"].as_str().unwrap_or_default().to_owned();
        match connection.client.scripted(&method) {
            Some(Ok(result)) => drop(given.insert(key.clone(), result)),
            _ => questions.push(Question {
                id: json!(key),
                method,
                params: request["params"].clone(),
                frame: reply.frame,
            }),
        }
    }
    again(connection, call, questions, (given, state, number + 1), patience).await
}

/// Sends the call again once nothing more is to be answered.
async fn again(
    connection: &Arc<Connection>,
    call: Call,
    questions: Vec<Question>,
    (given, state, round): Round,
    patience: Duration,
) -> Turn {
    if questions.is_empty() {
        return Box::pin(send(connection, call, (given, state, round), patience)).await;
    }
    let waiting = State::Again { given, state, round };
    let waiting = Waiting { call, questions: questions.clone(), state: waiting };
    connection.pending.lock().push(waiting);
    Turn::Waits(questions)
}
