//! Asking an authorization server: bounded in time and size, no redirects, and a frame for each question
//! that says what was asked and how it went, without what it carried.

use std::time::Duration;

use futures::StreamExt;
use reqwest::header::{ACCEPT, LOCATION};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::Value;

use super::Trouble;
use crate::{Direction, Journal, Payload};

/// How long an authorization server may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that is read.
const LONGEST: usize = 1024 * 1024;
/// How much of an error's description is shown.
const SHOWN: usize = 300;

/// Who asks, and where it is noted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fetcher<'a> {
    pub(crate) client: &'a Client,
    pub(crate) journal: &'a Journal,
}

/// How a question was answered.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    pub(super) json: Option<Value>,
    url: String,
}

impl Fetcher<'_> {
    pub(super) async fn get(&self, url: &Url) -> Result<Answered, Trouble> {
        let request = self.client.get(url.clone());
        self.ask(request.header(ACCEPT, "application/json"), "GET", url).await
    }

    pub(super) async fn page(&self, url: &Url) -> Result<Answered, Trouble> {
        self.ask(self.client.get(url.clone()).header(ACCEPT, "text/html"), "GET", url).await
    }

    pub(super) fn post(&self, url: &Url) -> RequestBuilder {
        self.client.post(url.clone()).header(ACCEPT, "application/json")
    }

    pub(super) async fn ask(
        &self,
        request: RequestBuilder,
        method: &str,
        url: &Url,
    ) -> Result<Answered, Trouble> {
        let shown = bare(url);
        let note = Payload::Text(format!("authorization: {method} {shown}"));
        self.journal.keep(Direction::Sent, 0, note);
        let answer = request.timeout(PATIENCE).send().await;
        let answer = answer.map_err(|error| unreadable(&shown, &error))?;
        let status = answer.status().as_u16();
        let location = answer.headers().get(LOCATION);
        let location = location.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let mut body = Vec::new();
        let mut pieces = answer.bytes_stream();
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece.map_err(|error| unreadable(&shown, &error))?);
            if body.len() > LONGEST {
                let reason = format!("it is longer than {LONGEST} bytes");
                return Err(Trouble::Fetch { url: shown, reason });
            }
        }
        let head = Payload::Http { status, headers: Vec::new() };
        self.journal.keep(Direction::Received, 0, head);
        Ok(Answered { status, location, json: serde_json::from_slice(&body).ok(), url: shown })
    }
}

impl Answered {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The JSON of an answer that must have succeeded.
    pub(super) fn expect_json(self) -> Result<Value, Trouble> {
        match self.json {
            Some(json) if (200..300).contains(&self.status) => Ok(json),
            Some(json) => {
                Err(Trouble::Endpoint { url: self.url, status: self.status, said: said(&json) })
            }
            None => Err(Trouble::Endpoint { url: self.url, status: self.status, said: None }),
        }
    }
}

/// The error that OAuth names, and its description: nothing else of an answer is shown.
fn said(json: &Value) -> Option<String> {
    let text = |name: &str| json.get(name).and_then(Value::as_str);
    let said = match (text("error")?, text("error_description")) {
        (error, Some(description)) => format!("{error}: {description}"),
        (error, None) => error.to_owned(),
    };
    Some(said.chars().take(SHOWN).collect())
}

/// An address without what its query may carry.
pub(super) fn bare(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

fn unreadable(url: &str, error: &reqwest::Error) -> Trouble {
    let reason = match error.is_timeout() {
        true => format!("no answer within {} s", PATIENCE.as_secs()),
        false => crate::wire::cause_of(error),
    };
    Trouble::Fetch { url: url.to_owned(), reason }
}

/// An address that can be asked.
pub(super) fn address(text: &str) -> Result<Url, Trouble> {
    let wrong = |reason: String| Trouble::Fetch { url: text.to_owned(), reason };
    let url = Url::parse(text).map_err(|error| wrong(error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(wrong(format!("the scheme is `{other}`, not http or https"))),
    }
}
