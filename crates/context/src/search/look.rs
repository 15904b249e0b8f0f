//! Everything that is known about a question's candidates, found out once. Knows nothing of weights.

use rustc_hash::FxHashMap;

use super::candidates::{Filter, Place, candidates};
use super::features::{Features, FileFacts};
use super::meaning::{Known, Meaning, Nearest, Vectors};
use super::question::Question;
use super::score::{Bm25, Scores, score};
use crate::index::{DocId, View};

/// From so many chunks on, words and vectors are looked up side by side: each takes a millisecond or more.
const LARGE: u64 = 30_000;

/// A look at a project with a question in mind.
pub(crate) struct Look<'v> {
    pub(crate) view: &'v View,
    scores: Scores,
    facts: FileFacts,
    meaning: Option<(Meaning<'v>, Nearest)>,
    documents: Known,
    paths: FxHashMap<u32, f32>,
}

impl<'v> Look<'v> {
    pub(crate) fn at(
        view: &'v View,
        question: &Question,
        bm25: Bm25,
        vectors: Vectors<'v>,
    ) -> Self {
        let (scores, meaning) = words_and_vectors(view, question, bm25, vectors);
        let facts = FileFacts::gather(view, question, &scores);
        let (documents, paths) = (Known::default(), FxHashMap::default());
        Self { view, scores, facts, meaning, documents, paths }
    }

    /// Chunks worth a closer look, and how many had anything to do with the question.
    pub(crate) fn candidates(&self, filter: &Filter) -> (Vec<Place>, usize) {
        let nearest = self.meaning.as_ref().map_or(&[][..], |(_, nearest)| nearest);
        candidates(self.view, &self.scores, &self.facts, nearest, filter)
    }

    /// The features of a candidate, with the most that its names could be worth in the place of what they are.
    pub(crate) fn possible_features(&mut self, Place { id, chunk, file }: Place) -> Features {
        let mut features = self.facts.possible_features(self.view, &self.scores, id, chunk, file);
        if let Some((meaning, _)) = &self.meaning {
            features.meaning = meaning.chunk(self.view, id.segment, chunk);
            let document = self.documents.document(meaning, self.view, id);
            features.file_meaning = document.best;
            features.middle_meaning = document.middle;
            features.beside_meaning = meaning.beside(self.view, id, chunk);
            features.path_meaning =
                *self.paths.entry(file).or_insert_with(|| meaning.path(self.view, file));
        }
        features
    }

    /// What a chunk's names are worth.
    pub(crate) fn best_name(&self, id: DocId, chunk: u32) -> f32 {
        self.facts.best_name(self.view, &self.scores, id, chunk)
    }
}

/// Scores by words, and likenesses by vectors with the nearest chunks.
fn words_and_vectors<'v>(
    view: &'v View,
    question: &Question,
    bm25: Bm25,
    vectors: Vectors<'v>,
) -> (Scores, Option<(Meaning<'v>, Nearest)>) {
    let words = || score(view, question, bm25);
    let near = || {
        let meaning = Meaning::of(question, view, vectors)?;
        let nearest = meaning.nearest(view);
        Some((meaning, nearest))
    };
    if view.chunk_count() < LARGE || matches!(vectors, Vectors::None) {
        return (words(), near());
    }
    std::thread::scope(|scope| {
        let Ok(beside) = std::thread::Builder::new().spawn_scoped(scope, near) else {
            return (words(), near());
        };
        let scores = words();
        (scores, beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
