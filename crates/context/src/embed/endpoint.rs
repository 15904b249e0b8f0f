//! An endpoint that speaks OpenAI's embeddings protocol.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use super::{EmbedError, Embedder};

/// Texts in one request.
const BATCH: usize = 64;
/// Tries of one request.
const TRIES: u32 = 3;
/// The first pause between tries; it doubles.
const PAUSE: Duration = Duration::from_millis(150);
/// The longest answer that is read.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Where the endpoint is and what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointOptions {
    /// The address before `/embeddings`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The environment variable that holds the key; none if no key is needed.
    pub api_key_env: Option<String>,
}

/// The endpoint.
#[derive(Debug)]
pub struct Endpoint {
    options: EndpointOptions,
    agent: ureq::Agent,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// An endpoint. Nothing is sent yet.
    pub fn new(options: EndpointOptions) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Self { options, agent }
    }

    fn key(&self) -> Result<Option<String>, EmbedError> {
        let Some(variable) = &self.options.api_key_env else { return Ok(None) };
        std::env::var(variable).map(Some).map_err(|_| EmbedError::NoKey(variable.clone()))
    }

    /// One batch, tried again where that may help, as long as there is time.
    fn batch(&self, texts: &[&str], until: Instant) -> Result<Vec<Vec<f32>>, EmbedError> {
        let key = self.key()?;
        let mut pause = PAUSE;
        for last in (0..TRIES).map(|try_| try_ + 1 == TRIES) {
            let failed = match self.once(texts, key.as_deref(), until) {
                Err(
                    failed @ (EmbedError::RateLimited
                    | EmbedError::Unreachable(_)
                    | EmbedError::Status { status: 500.., .. }),
                ) => failed,
                done => return done,
            };
            if last || Instant::now() + pause >= until {
                return Err(failed);
            }
            std::thread::sleep(pause);
            pause *= 2;
        }
        Err(EmbedError::Unreachable("no time was left".to_owned()))
    }

    fn once(
        &self,
        texts: &[&str],
        key: Option<&str>,
        until: Instant,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(EmbedError::Unreachable("no time was left".to_owned()));
        }
        let url = format!("{}/embeddings", self.options.base_url.trim_end_matches('/'));
        let mut request = self.agent.post(&url).config().timeout_global(Some(left)).build();
        request = request.header("Content-Type", "application/json");
        if let Some(key) = key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let body = json!({ "model": self.options.model, "input": texts }).to_string();
        let unreachable = |error: ureq::Error| EmbedError::Unreachable(error.to_string());
        let mut answer = request.send(body).map_err(unreachable)?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(LONGEST).read_to_string();
        let body = body.map_err(unreachable)?;
        match status {
            200..=299 => read(&body, texts.len()),
            429 => Err(EmbedError::RateLimited),
            _ => Err(EmbedError::Status { status, body: body.chars().take(200).collect() }),
        }
    }
}

impl Embedder for Endpoint {
    fn model(&self) -> &str {
        &self.options.model
    }

    fn embed(&self, texts: &[&str], until: Instant) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.batch(batch, until)?);
        }
        Ok(vectors)
    }
}

/// The vectors of an answer, in the order of the texts, whatever the order of the entries.
fn read(body: &str, count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
    let malformed = |said: String| EmbedError::Malformed(said);
    let answer: Answer =
        serde_json::from_str(body).map_err(|error| malformed(error.to_string()))?;
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (place, entry) in answer.data.into_iter().enumerate() {
        let place = entry.index.unwrap_or(place);
        let finite = entry.embedding.iter().all(|number| number.is_finite());
        match vectors.get_mut(place) {
            Some(vector) if finite => *vector = Some(entry.embedding),
            _ => return Err(malformed(format!("entry {place} does not belong to the question"))),
        }
    }
    let whole: Option<Vec<Vec<f32>>> = vectors.into_iter().collect();
    whole.ok_or_else(|| malformed(format!("fewer than {count} vectors")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_in_the_order_of_the_texts() {
        let body = r#"{"data":[{"index":1,"embedding":[2.0]},{"index":0,"embedding":[1.0]}]}"#;
        assert_eq!(read(body, 2), Ok(vec![vec![1.0], vec![2.0]]));
        for bad in [
            "",
            "[]",
            "{}",
            r#"{"data":[]}"#,
            r#"{"data":[{"index":7,"embedding":[1]}]}"#,
            r#"{"data":[{"embedding":"x"}]}"#,
        ] {
            assert!(matches!(read(bad, 1), Err(EmbedError::Malformed(_))), "{bad}");
        }
    }
}
