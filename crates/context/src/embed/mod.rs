//! Vectors of meaning, from whoever makes them, and what they change in a ranking.
//!
//! The [`Model`] in the binary makes the vectors that the index keeps and the ranker counts in. Where an
//! [`Embedder`] is configured as well, the best results are looked at again by the likeness of its vectors to the
//! question's. An embedder that fails changes nothing but what is said about the answer.

mod endpoint;
mod shelf;

use std::fmt::Debug;
use std::time::Instant;

pub use endpoint::{Endpoint, EndpointOptions};
pub use proofstone_embed::{Bag, Model, SIZE, Vector};
pub(crate) use proofstone_embed::{HEAD, Middle, dot, inverse_length, products};

use crate::find::CodeHit;
use shelf::Shelf;

/// What the likeness of vectors counts beside the ranker's own score.
const WEIGHT: f32 = 0.35;
/// The most results that are looked at again.
pub const CANDIDATES: usize = 40;

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The key is not set.
    #[error("the environment variable {0}, which holds the key, is not set")]
    NoKey(String),
    /// Too many requests.
    #[error("API rate limit exceeded")]
    RateLimited,
    /// The server failed.
    #[error("the endpoint answered HTTP {status}: {body}")]
    Status {
        /// The status.
        status: u16,
        /// The start of the answer.
        body: String,
    },
    /// The server can't be reached, or not in time.
    #[error("the endpoint can't be reached: {0}")]
    Unreachable(String),
    /// The answer is not what was asked for.
    #[error("the endpoint's answer can't be used: {0}")]
    Malformed(String),
}

/// Makes vectors of texts.
pub trait Embedder: Send + Sync + Debug {
    /// The model's name: vectors of different models are never compared.
    fn model(&self) -> &str;

    /// One vector for each text, by `until`.
    fn embed(&self, texts: &[&str], until: Instant) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// An embedder and the vectors it made before.
#[derive(Debug)]
pub struct Vectors {
    embedder: Box<dyn Embedder>,
    shelf: Shelf,
}

impl Vectors {
    /// Vectors by an embedder, kept beneath a cache folder.
    pub fn new(embedder: Box<dyn Embedder>, cache: &std::path::Path) -> Self {
        let shelf = Shelf::new(cache, embedder.model());
        Self { embedder, shelf }
    }

    /// The model that makes them.
    pub fn model(&self) -> &str {
        self.embedder.model()
    }

    /// Orders results anew by what their vectors say too; gives each one's likeness to the question. Texts
    /// that were seen before are not sent again.
    pub fn rerank(
        &self,
        question: &str,
        hits: &mut [CodeHit],
        until: Instant,
    ) -> Result<(), EmbedError> {
        let texts: Vec<String> = std::iter::once(question.to_owned())
            .chain(hits.iter().map(|hit| format!("{}\n{}", hit.hit.path, hit.excerpt)))
            .collect();
        let vectors = self.of(&texts, until)?;
        let Some((asked, found)) = vectors.split_first() else { return Ok(()) };
        for (hit, vector) in hits.iter_mut().zip(found) {
            let likeness = cosine(asked, vector).clamp(0.0, 1.0);
            hit.likeness = Some(likeness);
            hit.hit.score = hit.hit.score * (1.0 - WEIGHT) + likeness * WEIGHT;
        }
        hits.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
        Ok(())
    }

    fn of(&self, texts: &[String], until: Instant) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors: Vec<Option<Vec<f32>>> =
            texts.iter().map(|text| self.shelf.get(text)).collect();
        let missing: Vec<usize> =
            (0..texts.len()).filter(|place| vectors[*place].is_none()).collect();
        if !missing.is_empty() {
            let asked: Vec<&str> = missing.iter().map(|place| texts[*place].as_str()).collect();
            let made = self.embedder.embed(&asked, until)?;
            if made.len() != asked.len() {
                let said = format!("{} vectors for {} texts", made.len(), asked.len());
                return Err(EmbedError::Malformed(said));
            }
            for (place, vector) in missing.into_iter().zip(made) {
                self.shelf.put(&texts[place], &vector);
                vectors[place] = Some(vector);
            }
        }
        let vectors: Vec<Vec<f32>> = vectors.into_iter().flatten().collect();
        match vectors.iter().all(|vector| vector.len() == vectors[0].len() && !vector.is_empty()) {
            true => Ok(vectors),
            false => Err(EmbedError::Malformed("vectors of different lengths".to_owned())),
        }
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    dot / (length(a) * length(b)).max(f32::EPSILON)
}
