//! What the ranker knows about one chunk, each part between 0 and 1.

use rustc_hash::FxHashMap;

use super::path_kind::PathKind;
use super::question::Question;
use super::score::Scores;
use crate::index::{DocId, View};

/// The parts of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// BM25 of the chunk against the best a chunk could have.
    pub text: f32,
    /// Share of the question's words, by weight, that the chunk has.
    pub coverage: f32,
    /// BM25 of the whole file.
    pub file: f32,
    /// Share of the question's words, by weight, in names the chunk defines.
    pub named: f32,
    /// How well the file's own name answers the question.
    pub stem: f32,
    /// How well its folders' names do.
    pub folder: f32,
    /// Whether it defines the very name asked for.
    pub defines: f32,
    /// How alike the chunk's vector is to the question's.
    pub meaning: f32,
    /// How alike the file's best chunks are.
    pub file_meaning: f32,
    /// How alike its path is.
    pub path_meaning: f32,
    /// The file's part in the project.
    pub kind: PathKind,
}

/// What an abbreviation in a file's name counts, against the word itself.
const ABBREVIATED: f32 = 0.6;

/// Facts about files that a question touches, gathered once.
pub(crate) struct FileFacts {
    stem: FxHashMap<u32, f32>,
    stem_hits: FxHashMap<u32, f32>,
    folder: FxHashMap<u32, f32>,
    /// Chunks that define a name asked for, and how sure that is.
    pub(crate) defining: FxHashMap<(u32, u32), f32>,
}

impl FileFacts {
    pub(crate) fn gather(view: &View, question: &Question, scores: &Scores) -> Self {
        let mut facts = Self {
            stem: FxHashMap::default(),
            stem_hits: FxHashMap::default(),
            folder: FxHashMap::default(),
            defining: FxHashMap::default(),
        };
        for term in &scores.terms {
            for file in view.paths().with_stem(&term.text) {
                facts.note_stem(*file, term.idf, 1.0);
            }
            for file in view.paths().with_abbreviated_stem(&term.text) {
                facts.note_stem(file, term.idf, ABBREVIATED);
            }
            for file in view.paths().with_folder(&term.text) {
                *facts.folder.entry(*file).or_default() += term.idf;
            }
        }
        for (name, sure) in &question.names {
            facts.find_definitions(view, name, *sure);
        }
        facts
    }

    fn note_stem(&mut self, file: u32, idf: f32, sure: f32) {
        *self.stem.entry(file).or_default() += idf * sure;
        *self.stem_hits.entry(file).or_default() += sure;
    }

    /// Files whose own name has a word of the question.
    pub(crate) fn files_by_stem(&self) -> impl Iterator<Item = u32> + '_ {
        self.stem.keys().copied()
    }

    fn find_definitions(&mut self, view: &View, name: &str, asked: f32) {
        let lower = name.to_lowercase();
        for (number, segment) in view.segments.iter().enumerate() {
            for found in segment.definitions_named(&lower) {
                let (doc, definition) = segment.definition(found);
                let sure = asked * if definition.kind.is_main() { 1.0 } else { 0.4 };
                let sure = if definition.name == name { sure } else { sure * 0.8 };
                let chunk = segment.doc_chunks(doc).find(|c| {
                    let span = segment.chunk(*c);
                    (span.start_line..=span.end_line).contains(&definition.start_line)
                });
                if let Some(chunk) = chunk {
                    let known = self.defining.entry((number as u32, chunk)).or_default();
                    *known = known.max(sure);
                }
            }
        }
    }

    /// The features of one chunk as one file holds it.
    pub(crate) fn features(
        &self,
        view: &View,
        scores: &Scores,
        id: DocId,
        chunk: u32,
        file: u32,
    ) -> Features {
        let score = scores.chunks[id.segment as usize][chunk as usize];
        let share =
            |sum: f32| if scores.idf_sum > 0.0 { (sum / scores.idf_sum).min(1.0) } else { 0.0 };
        let best = scores.best_possible.max(f32::EPSILON);
        let stem_matched =
            self.stem_hits.get(&file).copied().unwrap_or(0.0) / view.paths().stem_words(file);
        let stem_share = share(self.stem.get(&file).copied().unwrap_or(0.0));
        Features {
            text: (score.text / best).min(1.0),
            coverage: share(score.present),
            file: (scores.docs[id.segment as usize][id.doc as usize] / best).min(1.0),
            named: share(score.named),
            stem: (stem_matched.min(1.0) * stem_share).sqrt(),
            folder: share(self.folder.get(&file).copied().unwrap_or(0.0)),
            defines: self.defining.get(&(id.segment, chunk)).copied().unwrap_or(0.0),
            meaning: 0.0,
            file_meaning: 0.0,
            path_meaning: 0.0,
            kind: PathKind::of(&view.files()[file as usize].path),
        }
    }
}
