//! The transport of 2024-11-05: a stream of events for what the server sends, and an address that it
//! names there for what we send.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use proofstone_contract::BoxFuture;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Url};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::http::{address, client, headers, take_event, unreachable};
use super::stream::Cutter;
use super::{Envelope, Event, Events, HttpTarget, Wire};
use crate::{Direction, Exit, Fault, Journal, Payload};

/// How long the server may take to name its address.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open stream and the address that belongs to it.
pub(super) struct Sse {
    client: Client,
    post: Url,
    headers: HeaderMap,
    journal: Arc<Journal>,
    closed: CancellationToken,
}

impl Sse {
    pub(super) async fn open(
        target: &HttpTarget,
        journal: Arc<Journal>,
        events: Events,
    ) -> Result<Self, Fault> {
        let (client, url, headers) = (client()?, address(&target.url)?, headers(target)?);
        let request = client.get(url.clone()).headers(headers.clone());
        let answer = request.header(ACCEPT, "text/event-stream").send().await;
        let answer = answer.map_err(|error| unreachable(&url, &error))?;
        if !answer.status().is_success() {
            let status = answer.status().as_u16();
            let body = answer.text().await.unwrap_or_default();
            return Err(Fault::Http { status, body, challenge: None, location: None });
        }
        let closed = CancellationToken::new();
        let (named, name) = oneshot::channel();
        let reading = read(answer, Arc::clone(&journal), events, named);
        let ended = closed.clone();
        tokio::spawn(async move {
            tokio::select! { () = reading => {}, () = ended.cancelled() => {} }
        });
        let named = tokio::time::timeout(PATIENCE, name).await;
        let Ok(Ok(endpoint)) = named else {
            let said = "the stream names no endpoint to send messages to";
            return Err(Fault::Malformed(said.to_owned()));
        };
        let post = url.join(&endpoint).map_err(|error| Fault::Malformed(error.to_string()))?;
        if post.origin() != url.origin() {
            return Err(Fault::Malformed(format!("the endpoint {post} is of another origin")));
        }
        Ok(Self { client, post, headers, journal, closed })
    }

    async fn post(&self, message: &Value) -> Result<(), Fault> {
        let body = message.to_string();
        self.journal.keep(Direction::Sent, body.len(), Payload::Message(message.clone()));
        let request = self.client.post(self.post.clone()).headers(self.headers.clone());
        let answer = request.header(CONTENT_TYPE, "application/json").body(body).send().await;
        let answer = answer.map_err(|error| unreachable(&self.post, &error))?;
        if answer.status().is_success() {
            return Ok(());
        }
        let status = answer.status().as_u16();
        let body = answer.text().await.unwrap_or_default();
        Err(Fault::Http { status, body, challenge: None, location: None })
    }
}

impl Wire for Sse {
    fn send<'a>(
        &'a self,
        message: &'a Value,
        _envelope: Envelope,
    ) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.post(message))
    }

    fn close(&self) -> BoxFuture<'_, Option<Exit>> {
        self.closed.cancel();
        Box::pin(async { None })
    }
}

async fn read(
    answer: reqwest::Response,
    journal: Arc<Journal>,
    events: Events,
    named: oneshot::Sender<String>,
) {
    let mut named = Some(named);
    let mut cutter = Cutter::default();
    let mut pieces = answer.bytes_stream();
    while let Some(Ok(piece)) = pieces.next().await {
        let Some(done) = cutter.push(&piece) else { break };
        for event in done {
            if event.event == "endpoint" {
                if let Some(named) = named.take() {
                    let _ = named.send(event.data);
                }
            } else {
                take_event(&event.data, &journal, &events).await;
            }
        }
    }
    let _ = events.send(Event::Ended(Fault::StreamEnded)).await;
}
