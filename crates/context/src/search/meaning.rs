//! What the vectors say: which chunks, files and paths are about what the question is about, whatever their words.

use rustc_hash::FxHashMap;

use super::question::Question;
use crate::embed::{Bag, Model, Vector, inverse_length};
use crate::index::{DocId, View};

/// Chunks that are looked at closely because of their vectors alone.
const NEAREST: usize = 100;
/// Those that the beginnings of the vectors are asked for, before the whole vectors decide.
const ROUGHLY: usize = 400;

/// Chunks of a document that speak for it.
const BEST: usize = 3;

/// A question's vector, and roughly how alike every chunk is to it.
#[derive(Debug)]
pub(crate) struct Meaning {
    model: &'static Model,
    question: Vector,
    inverse: f32,
    /// By segment and chunk, by the beginnings of the vectors alone.
    rough: Vec<Vec<f32>>,
}

impl Meaning {
    /// `None` for a question without a word that the model knows.
    pub(crate) fn of(question: &Question, view: &View) -> Option<Self> {
        let model = Model::embedded()?;
        let question = model.question(&question.terms)?;
        let inverse = inverse_length(question.numbers());
        let rough = view.segments.iter().map(|s| s.rough_likeness(&question)).collect();
        Some(Self { model, question, inverse, rough })
    }

    /// How alike a chunk and the question are, 0 to 1.
    pub(crate) fn chunk(&self, view: &View, segment: u32, chunk: u32) -> f32 {
        let segment = &view.segments[segment as usize];
        segment.likeness(chunk, &self.question, self.inverse).max(0.0)
    }

    /// How alike a whole document is: its best chunks count.
    pub(crate) fn document(&self, view: &View, id: DocId) -> f32 {
        let rough = &self.rough[id.segment as usize];
        let mut best: [(f32, u32); BEST] = [(f32::NEG_INFINITY, u32::MAX); BEST];
        for chunk in view.segment(id).doc_chunks(id.doc) {
            let this = (rough.get(chunk as usize).copied().unwrap_or(0.0), chunk);
            if this.0 > best[BEST - 1].0 {
                let place = best.iter().position(|known| this.0 > known.0).unwrap_or(BEST - 1);
                best[place..].rotate_right(1);
                best[place] = this;
            }
        }
        let found = best.iter().filter(|(_, chunk)| *chunk != u32::MAX);
        let (sum, count) = found.fold((0.0, 0.0), |(sum, count), (_, chunk)| {
            (sum + self.chunk(view, id.segment, *chunk), count + 1.0)
        });
        sum / f32::max(count, 1.0)
    }

    /// How alike a file's path is.
    pub(crate) fn path(&self, view: &View, file: u32) -> f32 {
        let mut bag = Bag::default();
        bag.add(view.paths().called(file), 1);
        let Some(vector) = self.model.code(&mut bag) else { return 0.0 };
        let pairs = vector.numbers().iter().zip(self.question.numbers());
        let sum: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        (sum as f32 * self.inverse * inverse_length(vector.numbers())).max(0.0)
    }

    /// The chunks that are nearest, with how near they are.
    pub(crate) fn nearest(&self, view: &View) -> Vec<(u32, u32, f32)> {
        let mut rough: Vec<(f32, u32, u32)> = Vec::new();
        let mut enough = 0.0;
        for (segment, chunks) in self.rough.iter().enumerate() {
            for (chunk, likeness) in chunks.iter().enumerate() {
                if *likeness > enough {
                    rough.push((*likeness, segment as u32, chunk as u32));
                    if rough.len() == ROUGHLY * 8 {
                        enough = keep_best(&mut rough);
                    }
                }
            }
        }
        keep_best(&mut rough);
        let mut found: Vec<(u32, u32, f32)> =
            rough.into_iter().map(|(_, s, c)| (s, c, self.chunk(view, s, c))).collect();
        found.sort_unstable_by(|a, b| b.2.total_cmp(&a.2));
        found.truncate(NEAREST);
        found
    }
}

/// Keeps the best, and says what the next has to be better than.
fn keep_best(rough: &mut Vec<(f32, u32, u32)>) -> f32 {
    if rough.len() > ROUGHLY {
        rough.select_nth_unstable_by(ROUGHLY - 1, |a, b| b.0.total_cmp(&a.0));
        rough.truncate(ROUGHLY);
    }
    rough.iter().map(|entry| entry.0).fold(f32::INFINITY, f32::min)
}

/// What was found out about documents in one search, so that nothing is computed twice.
#[derive(Debug, Default)]
pub(crate) struct Known(FxHashMap<DocId, f32>);

impl Known {
    /// A document's likeness.
    pub(crate) fn document(&mut self, meaning: &Meaning, view: &View, id: DocId) -> f32 {
        *self.0.entry(id).or_insert_with(|| meaning.document(view, id))
    }
}
