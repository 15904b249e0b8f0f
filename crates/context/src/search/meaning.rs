//! What the vectors say: which chunks, files and paths are about what the question is about, whatever their words.

use rustc_hash::FxHashMap;

use super::question::Question;
use crate::embed::{Bag, Middle, Model, Vector, inverse_length};
use crate::index::{DocId, View};

/// Chunks that are looked at closely because of their vectors alone.
const NEAREST: usize = 100;
/// Those that the beginnings of the vectors are asked for, before the whole vectors decide.
const ROUGHLY: usize = 400;

/// Chunks of a document that speak for it.
const BEST: usize = 3;
/// Chunks of a document that its middle is made of, evenly spread.
const OF_MIDDLE: usize = 64;
/// How much of what everything in the project has in common is taken out of a question.
const COMMON: f32 = 0.5;

/// Chunks by segment and number, with how near they are.
pub(crate) type Nearest = Vec<(u32, u32, f32)>;

/// Whose vectors are used.
#[derive(Debug, Clone, Copy)]
pub enum Vectors<'v> {
    /// Nobody's.
    None,
    /// The index's, by the model in the binary.
    Own,
    /// Another model's, for comparison.
    Given(&'v Likeness),
}

/// How alike a question is to everything, by some model.
#[derive(Debug, Clone, Default)]
pub struct Likeness {
    /// To each chunk, in the order of [`View::chunk_places`].
    pub chunks: Vec<f32>,
    /// To each path, in the order of the files.
    pub paths: Vec<f32>,
}

/// What a question means, and roughly how alike every chunk is to it.
#[derive(Debug)]
pub(crate) struct Meaning<'v> {
    source: Source<'v>,
    /// By segment and chunk, for the model in the binary by the beginnings of the vectors alone.
    rough: Vec<Vec<f32>>,
}

#[derive(Debug)]
enum Source<'v> {
    Own { model: &'static Model, question: Box<Vector>, inverse: f32 },
    Given(&'v Likeness),
}

impl<'v> Meaning<'v> {
    /// `None` without vectors, and for a question without a word that the model knows.
    pub(crate) fn of(question: &Question, view: &View, vectors: Vectors<'v>) -> Option<Self> {
        match vectors {
            Vectors::None => None,
            Vectors::Own => Self::own(question, view),
            Vectors::Given(likeness) => Some(Self::given(view, likeness)),
        }
    }

    fn own(question: &Question, view: &View) -> Option<Self> {
        let model = Model::embedded()?;
        let question = model.question(&question.terms)?;
        let telling = view.common().and_then(|common| question.less(common, COMMON));
        let question = telling.unwrap_or(question);
        let inverse = inverse_length(question.numbers());
        let rough = view.segments.iter().map(|s| s.rough_likeness(&question)).collect();
        let question = Box::new(question);
        Some(Self { source: Source::Own { model, question, inverse }, rough })
    }

    fn given(view: &View, likeness: &'v Likeness) -> Self {
        let mut rough: Vec<Vec<f32>> =
            view.segments.iter().map(|s| vec![0.0; s.chunk_count() as usize]).collect();
        for ((_, id, chunk), alike) in view.chunk_ids().zip(&likeness.chunks) {
            rough[id.segment as usize][chunk as usize] = *alike;
        }
        Self { rough, source: Source::Given(likeness) }
    }

    /// How alike a chunk and the question are, 0 to 1.
    pub(crate) fn chunk(&self, view: &View, segment: u32, chunk: u32) -> f32 {
        match &self.source {
            Source::Own { question, inverse, .. } => {
                view.segments[segment as usize].likeness(chunk, question, *inverse).max(0.0)
            }
            Source::Given(_) => {
                self.rough[segment as usize].get(chunk as usize).copied().unwrap_or(0.0).max(0.0)
            }
        }
    }

    /// How alike the chunks before and after this one are, the better of the two; 0 where there is none.
    pub(crate) fn beside(&self, view: &View, id: DocId, chunk: u32) -> f32 {
        let beside = [chunk.checked_sub(1), chunk.checked_add(1)].into_iter().flatten();
        let same_file = beside.filter(|other| view.segment(id).doc_chunks(id.doc).contains(other));
        same_file.map(|other| self.chunk(view, id.segment, other)).fold(0.0, f32::max)
    }

    /// How alike a whole document is.
    fn document(&self, view: &View, id: DocId) -> OfDocument {
        OfDocument { best: self.best_chunks(view, id), middle: self.middle(view, id) }
    }

    /// How alike the middle of a document's chunks is.
    fn middle(&self, view: &View, id: DocId) -> f32 {
        let (segment, chunks) = (view.segment(id), view.segment(id).doc_chunks(id.doc));
        let spread = chunks.clone().step_by(chunks.len().div_ceil(OF_MIDDLE).max(1));
        match &self.source {
            Source::Own { question, .. } => {
                let mut middle = Middle::default();
                spread.for_each(|chunk| segment.add_to(chunk, &mut middle));
                middle.vector().map_or(0.0, |middle| middle.likeness(question).max(0.0))
            }
            // Of another model only likenesses are known.
            Source::Given(_) => {
                let count = spread.clone().count().max(1) as f32;
                spread.map(|chunk| self.chunk(view, id.segment, chunk)).sum::<f32>() / count
            }
        }
    }

    /// How alike a document's best chunks are.
    fn best_chunks(&self, view: &View, id: DocId) -> f32 {
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
        match &self.source {
            Source::Own { model, question, .. } => {
                let mut bag = Bag::default();
                bag.add(view.paths().called(file), 1);
                model.code(&mut bag).map_or(0.0, |path| path.likeness(question).max(0.0))
            }
            Source::Given(likeness) => {
                likeness.paths.get(file as usize).copied().unwrap_or(0.0).max(0.0)
            }
        }
    }

    /// The chunks that are nearest, with how near they are.
    pub(crate) fn nearest(&self, view: &View) -> Nearest {
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
        let mut found: Nearest =
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
pub(crate) struct Known(FxHashMap<DocId, OfDocument>);

/// How alike a whole document is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfDocument {
    /// Its best chunks, on the average.
    pub(crate) best: f32,
    /// The middle of all of them.
    pub(crate) middle: f32,
}

impl Known {
    /// A document's likeness.
    pub(crate) fn document(&mut self, meaning: &Meaning<'_>, view: &View, id: DocId) -> OfDocument {
        *self.0.entry(id).or_insert_with(|| meaning.document(view, id))
    }
}
