//! The last calls, for a person who wants to see what was asked and what came back.
//!
//! Kept only where somebody can look at it, bounded in number and in size. What looks like a secret
//! never enters.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use proofstone_contract::{Failure, Violation};
use serde_json::{Map, Value};

use crate::Outcome;

/// A value whose JSON is longer than this is kept as its beginning.
const LONGEST_KEPT: usize = 256 * 1024;
/// How much of such a value is kept.
const KEPT_OF_LONG: usize = 8 * 1024;
/// The size of all kept values together.
const LARGEST: usize = 32 * 1024 * 1024;
/// Names of arguments whose values are not kept.
const SECRETS: [&str; 7] =
    ["authorization", "token", "secret", "password", "apikey", "cookie", "credential"];
/// What stands in place of a secret.
const HIDDEN: &str = "(not kept)";

/// A value of a past call.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// All of it.
    Whole(Value),
    /// It was long: its beginning, as JSON text, and its whole length in bytes.
    Beginning(String, usize),
}

impl Kept {
    fn new(value: &Value) -> (Self, usize) {
        let text = value.to_string();
        if text.len() <= LONGEST_KEPT {
            return (Self::Whole(value.clone()), text.len());
        }
        let end = text.floor_char_boundary(KEPT_OF_LONG);
        (Self::Beginning(text[..end].to_owned(), text.len()), end)
    }

    /// The value, if all of it was kept.
    pub fn whole(&self) -> Option<&Value> {
        match self {
            Self::Whole(value) => Some(value),
            Self::Beginning(..) => None,
        }
    }
}

/// One past call.
#[derive(Debug, Clone)]
pub struct PastCall {
    /// Its number since the server started.
    pub id: u64,
    /// When it began.
    pub at: SystemTime,
    /// The tool.
    pub tool: &'static str,
    /// The session that called.
    pub session: String,
    /// The arguments, secrets left out.
    pub input: Kept,
    /// The answer: structured where the tool has structured answers, its text otherwise.
    pub output: Kept,
    /// Facts about the answer.
    pub meta: Map<String, Value>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// Where the answer does not fit its own schema.
    pub answer_violations: Vec<Violation>,
    /// How long it took.
    pub elapsed: Duration,
}

/// The last calls.
#[derive(Debug)]
pub(crate) struct Journal {
    most: usize,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    calls: VecDeque<(PastCall, usize)>,
    size: usize,
    next: u64,
}

impl Journal {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, pages: Mutex::default() }
    }

    /// Writes a call down and gives its number.
    pub(crate) fn write(
        &self,
        tool: &'static str,
        session: &str,
        arguments: Value,
        outcome: &Outcome,
    ) -> u64 {
        let (input, input_size) = Kept::new(&without_secrets(arguments));
        let said = match &outcome.rendered.structured {
            Some(structured) => Kept::new(structured),
            None => Kept::new(&Value::String(outcome.rendered.text())),
        };
        let (output, output_size) = said;
        let call = PastCall {
            id: 0,
            at: SystemTime::now() - outcome.elapsed,
            tool,
            session: session.to_owned(),
            input,
            output,
            meta: outcome.rendered.meta.clone(),
            failure: outcome.failure.clone(),
            answer_violations: outcome.answer_violations.clone(),
            elapsed: outcome.elapsed,
        };
        self.pages().add(call, input_size + output_size, self.most)
    }

    /// The last calls, the latest first.
    pub(crate) fn last(&self, most: usize) -> Vec<PastCall> {
        self.pages().calls.iter().rev().take(most).map(|(call, _)| call.clone()).collect()
    }

    /// One call.
    pub(crate) fn find(&self, id: u64) -> Option<PastCall> {
        self.pages().calls.iter().find(|(call, _)| call.id == id).map(|(call, _)| call.clone())
    }

    fn pages(&self) -> std::sync::MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Pages {
    fn add(&mut self, mut call: PastCall, size: usize, most: usize) -> u64 {
        self.next += 1;
        call.id = self.next;
        self.calls.push_back((call, size));
        self.size += size;
        while self.calls.len() > most || (self.size > LARGEST && self.calls.len() > 1) {
            let Some((_, size)) = self.calls.pop_front() else { break };
            self.size -= size;
        }
        self.next
    }
}

/// The same arguments with the values of telling names taken out, at any depth. A name counts
/// however it is spelled: `api_key`, `apiKey`, `X-Api-Key`.
fn without_secrets(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(_) if is_secret(&name) => (name, HIDDEN.into()),
                other => (name, without_secrets(other)),
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(without_secrets).collect(),
        other => other,
    }
}

fn is_secret(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    // `token_url` is an address and `maxTokens` a number of words.
    SECRETS.iter().any(|secret| plain.contains(secret))
        && !plain.ends_with("url")
        && !plain.ends_with("tokens")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_left_out_at_any_depth() {
        let sent = json!({
            "url": "http://x", "auth": { "type": "bearer", "token": "abc", "token_url": "http://t" },
            "headers": { "X-Api-Key": "k", "Accept": "a" }, "maxTokens": 5,
            "list": [{ "client_secret": "s" }],
        });
        let kept = json!({
            "url": "http://x", "auth": { "type": "bearer", "token": HIDDEN, "token_url": "http://t" },
            "headers": { "X-Api-Key": HIDDEN, "Accept": "a" }, "maxTokens": 5,
            "list": [{ "client_secret": HIDDEN }],
        });
        assert_eq!(without_secrets(sent), kept);
    }

    #[test]
    fn a_long_value_is_kept_as_its_beginning() {
        let (kept, size) = Kept::new(&Value::String("ä".repeat(LONGEST_KEPT)));
        let Kept::Beginning(text, whole) = kept else { panic!("it was kept whole") };
        assert!(text.len() <= KEPT_OF_LONG && size == text.len());
        assert_eq!(whole, LONGEST_KEPT * 2 + 2);
    }

    #[test]
    fn the_oldest_calls_go_first() {
        let outcome = Outcome {
            rendered: proofstone_contract::Rendered {
                is_error: false,
                content: Vec::new(),
                structured: Some(json!({})),
                meta: Map::new(),
            },
            failure: None,
            elapsed: Duration::ZERO,
            answer_violations: Vec::new(),
            number: None,
        };
        let journal = Journal::new(2);
        let ids: Vec<u64> = (0..3).map(|_| journal.write("t", "s", json!({}), &outcome)).collect();
        assert_eq!(ids, [1, 2, 3]);
        let last: Vec<u64> = journal.last(10).iter().map(|call| call.id).collect();
        assert_eq!(last, [3, 2]);
        assert!(journal.find(1).is_none() && journal.find(2).is_some());
    }
}
