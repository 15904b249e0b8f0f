//! What each feature counts.

use super::features::{Features, PARTS, WITHOUT_VECTORS};
use super::path_kind::PathKind;
use super::question::QuestionKind;
use super::score::Bm25;

/// What each feature counts, for a name and for anything else, and what the parts files play take away.
/// Those for a question of several words were learned from questions whose answers are known; see `bench/retrieval` before
/// changing one.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// BM25's own.
    pub bm25: Bm25,
    /// For a name, in the order of [`Features::values`].
    pub name: [f32; PARTS],
    /// For a question of several words.
    pub sentence: [f32; PARTS],
    /// Factor for each [`PathKind`], in its order.
    pub kinds: [f32; 8],
    /// Factor for each further span of a file.
    pub repeat: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            bm25: Bm25 { k1: 1.2, b: 0.6, named: 1.25 },
            name: [0.4, 0.3, 0.3, 0.2, 0.2, 0.4, 0.1, 0.5, 0.4, 0.3, 0.2, 0.0, 0.0],
            sentence: [0.83, 0.86, 1.2, 0.14, 1.32, 0.9, 0.35, 0.99, 1.93, 1.34, 1.12, 1.15, 0.88],
            kinds: [1.0, 0.5, 0.5, 0.5, 0.7, 0.7, 0.8, 0.6],
            repeat: 0.8,
        }
    }
}

impl Weights {
    /// BM25 of the text alone: the measure the ranker is held against.
    pub fn bm25_only() -> Self {
        let bm25 = Bm25 { k1: 1.5, b: 0.75, named: 0.0 };
        Self { bm25, ..Self::one(0) }
    }

    /// Vectors alone.
    pub fn vectors_only() -> Self {
        Self::one(WITHOUT_VECTORS)
    }

    /// One feature alone, in whatever file.
    fn one(part: usize) -> Self {
        let mut parts = [0.0; PARTS];
        parts[part] = 1.0;
        Self { name: parts, sentence: parts, kinds: [1.0; 8], repeat: 1.0, ..Self::default() }
    }

    /// The ranker without vectors, its weights found the same way: what vectors are held against.
    pub fn without_vectors() -> Self {
        let mut weights = Self {
            sentence: [1.32, 0.77, 1.67, 0.04, 1.43, 1.39, 0.63, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0],
            ..Self::default()
        };
        weights.name[WITHOUT_VECTORS..].fill(0.0);
        weights
    }

    pub(crate) fn uses_vectors(&self) -> bool {
        let parts = self.name[WITHOUT_VECTORS..].iter().chain(&self.sentence[WITHOUT_VECTORS..]);
        parts.into_iter().any(|weight| *weight > 0.0)
    }

    /// The score of a chunk, 0 to 1: what share of the evidence there could be it has.
    pub(crate) fn apply(&self, kind: QuestionKind, features: &Features) -> f32 {
        let weights = if kind == QuestionKind::Symbol { &self.name } else { &self.sentence };
        let sum: f32 = weights.iter().zip(features.values()).map(|(w, v)| w * v).sum();
        let most: f32 = weights.iter().sum();
        sum / most.max(f32::EPSILON) * self.of_kind(features.kind)
    }

    /// The factor for the part that a file plays.
    pub fn of_kind(&self, kind: PathKind) -> f32 {
        let place = PathKind::ALL.iter().position(|known| *known == kind).unwrap_or(0);
        self.kinds[place]
    }
}
