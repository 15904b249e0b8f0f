//! Connections to servers, by name, and what happens on them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::oauth::Access;
use crate::pending::Pending;
use crate::{Anomaly, Client, Fault, Opening, Payload, Reply, Target};

/// The name of the connection where none is given.
pub const CURRENT: &str = "default";

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    /// Its name.
    pub name: String,
    /// Where it leads.
    pub target: Target,
    /// How it was opened.
    pub opening: Opening,
    /// The client.
    pub client: Client,
    /// Since when.
    pub since: Timestamp,
    /// What was done on it.
    pub counts: Counts,
    /// The calls that wait for answers of ours.
    pub pending: Pending,
}

/// How often each thing was done and succeeded.
#[derive(Debug, Default)]
pub struct Counts {
    /// Tools called.
    pub tools_called: AtomicU64,
    /// Resources read.
    pub resources_read: AtomicU64,
    /// Prompts retrieved.
    pub prompts_retrieved: AtomicU64,
    /// Requests without a proper answer.
    pub faults: AtomicU64,
}

impl Connection {
    /// Opens a connection and its session. If that fails, nothing is left behind, and what the server
    /// wrote to stderr is in the fault.
    pub async fn open(name: &str, target: Target, opening: Opening) -> Result<Self, Fault> {
        let client = tokio::time::timeout(opening.patience, Client::open(&target))
            .await
            .unwrap_or_else(|_| Err(timed_out("opening", opening.patience)))?;
        client.script(opening.answers.clone());
        if let Err(fault) = client.begin(&opening).await {
            let (stderr, anomalies) = (client.stderr(), quoted(&client));
            client.close().await;
            return Err(with_evidence(fault, stderr, anomalies));
        }
        let (since, counts) = (Timestamp::now(), Counts::default());
        let (name, pending) = (name.to_owned(), Pending::default());
        Ok(Self { name, target, opening, client, since, counts, pending })
    }

    /// The address, or the command as one line.
    pub fn url(&self) -> String {
        self.target.to_string()
    }

    /// How long requests may take unless their caller says otherwise.
    pub fn patience(&self) -> Duration {
        self.opening.patience
    }

    /// Sends a request and counts it.
    pub async fn request(
        &self,
        method: &str,
        params: Value,
        patience: Option<Duration>,
    ) -> Result<Reply, Fault> {
        let patience = patience.unwrap_or_else(|| self.patience());
        let answer = self.client.request(method, params, patience).await;
        if answer.is_err() {
            self.counts.faults.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }

    /// All entries of one of the server's lists, and the frames that carried them.
    pub async fn list(&self, what: Listed) -> Result<(Vec<Value>, Vec<u64>), Fault> {
        let (method, key) = what.names();
        self.client.list_all(method, key, self.patience()).await
    }

    /// Whether a list names an entry. A list that can't be had names nothing.
    pub async fn lists(&self, what: Listed, name: &str) -> bool {
        let key = if what == Listed::Resources { "uri" } else { "name" };
        let entries = self.list(what).await.map(|(entries, _)| entries).unwrap_or_default();
        entries.iter().any(|entry| entry.get(key).and_then(Value::as_str) == Some(name))
    }
}

/// What a server lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Its tools.
    Tools,
    /// Its resources.
    Resources,
    /// Its resource templates.
    Templates,
    /// Its prompts.
    Prompts,
}

impl Listed {
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Tools => ("tools/list", "tools"),
            Self::Resources => ("resources/list", "resources"),
            Self::Templates => ("resources/templates/list", "resourceTemplates"),
            Self::Prompts => ("prompts/list", "prompts"),
        }
    }
}

/// The open connections, and the logins that wait for a person.
#[derive(Debug, Default)]
pub struct Connections {
    open: Mutex<BTreeMap<String, Arc<Connection>>>,
    logins: Mutex<BTreeMap<String, Access>>,
}

/// The most logins that wait.
const MOST_LOGINS: usize = 64;

impl Connections {
    /// The connection with a name.
    pub fn get(&self, name: Option<&str>) -> Option<Arc<Connection>> {
        self.lock().get(name.unwrap_or(CURRENT)).cloned()
    }

    /// The names of all.
    pub fn names(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Puts a connection in its place; gives the one that was there.
    pub fn put(&self, connection: Arc<Connection>) -> Option<Arc<Connection>> {
        self.lock().insert(connection.name.clone(), connection)
    }

    /// Takes a connection out.
    pub fn take(&self, name: Option<&str>) -> Option<Arc<Connection>> {
        self.lock().remove(name.unwrap_or(CURRENT))
    }

    /// Closes all.
    pub async fn close_all(&self) {
        let all = std::mem::take(&mut *self.lock());
        for connection in all.into_values() {
            connection.client.close().await;
        }
    }

    /// Keeps a way into a server until a person has signed in.
    pub fn keep_login(&self, url: &str, access: Access) {
        let mut logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
        if logins.len() >= MOST_LOGINS {
            logins.clear();
        }
        logins.insert(url.to_owned(), access);
    }

    /// Takes the way into a server that waits for a person.
    pub fn take_login(&self, url: &str) -> Option<Access> {
        self.logins.lock().unwrap_or_else(PoisonError::into_inner).remove(url)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn timed_out(what: &str, after: Duration) -> Fault {
    Fault::Timeout { method: what.to_owned(), after }
}

/// A fault on opening says what the server wrote, where it does not already.
/// What a server did and should not have done, with the text itself: its frames go with the client.
fn quoted(client: &Client) -> Vec<Anomaly> {
    let quote = |mut odd: Anomaly| {
        if let Some(Payload::Text(text)) = client.journal().frame(odd.frame).map(|f| f.payload) {
            let beginning: String = text.chars().take(200).collect();
            odd.message = format!("{}: {beginning:?}", odd.message);
        }
        odd
    };
    client.anomalies().into_iter().map(quote).collect()
}

/// A server that only did not answer has said why elsewhere, if at all: on stderr, or with words on
/// stdout that are no messages.
fn with_evidence(fault: Fault, stderr: String, anomalies: Vec<Anomaly>) -> Fault {
    let silent = stderr.trim().is_empty() && anomalies.is_empty();
    match fault {
        Fault::Closed | Fault::Timeout { .. } if !silent => {
            Fault::Opening { why: Box::new(fault), anomalies, stderr }
        }
        other => other,
    }
}

/// The timestamp as the contract wants it: ISO 8601 with a timezone.
pub fn iso(at: Timestamp) -> String {
    at.to_string()
}
