//! What the ranker knows about one chunk, each part between 0 and 1.

use rustc_hash::FxHashMap;

use super::path_kind::PathKind;
use super::question::Question;
use super::score::Scores;
use crate::index::{DocId, View};
use crate::tokens::each_token;

/// How many features there are.
pub const PARTS: usize = 13;
/// The first of those that need vectors.
pub const WITHOUT_VECTORS: usize = 8;

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
    /// How well the best of those names answers the question.
    pub name: f32,
    /// How well the file's own name does.
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
    /// How alike the middle of the file is.
    pub middle_meaning: f32,
    /// How alike the chunks before and after it are, the better of the two.
    pub beside_meaning: f32,
    /// The file's part in the project.
    pub kind: PathKind,
}

impl Features {
    /// What they are called where weights are shown, in the order of [`Features::values`].
    pub const NAMES: [&str; PARTS] = [
        "text",
        "coverage",
        "file",
        "names",
        "best name",
        "file name",
        "folder",
        "definition",
        "vector of the chunk",
        "vectors of the file",
        "vector of the path",
        "middle of the file",
        "chunks beside it",
    ];

    /// All that are weighed.
    pub fn values(&self) -> [f32; PARTS] {
        [
            self.text,
            self.coverage,
            self.file,
            self.named,
            self.name,
            self.stem,
            self.folder,
            self.defines,
            self.meaning,
            self.file_meaning,
            self.path_meaning,
            self.middle_meaning,
            self.beside_meaning,
        ]
    }
}

/// What an abbreviation in a file's name counts, against the word itself.
const ABBREVIATED: f32 = 0.6;

/// Facts about files that a question touches, gathered once.
pub(crate) struct FileFacts {
    stems: FxHashMap<u32, Stem>,
    folder: FxHashMap<u32, f32>,
    /// What was found out about files, so that it is not for each of their chunks.
    files: FxHashMap<u32, OfFile>,
    beginnings: Beginnings,
    /// Chunks that define a name asked for, and how sure that is.
    pub(crate) defining: FxHashMap<(u32, u32), f32>,
}

/// What all chunks of a file share.
#[derive(Clone, Copy)]
struct OfFile {
    stem: f32,
    folder: f32,
    kind: PathKind,
}

/// What a question and a file's own name have in common.
#[derive(Default)]
struct Stem {
    /// How many words, and what they are worth.
    words: f32,
    idf: f32,
    /// The last word that was counted.
    last: Option<usize>,
    /// What two words of the question are worth that are the whole name when written as one.
    whole: f32,
}

impl FileFacts {
    pub(crate) fn gather(view: &View, question: &Question, scores: &Scores) -> Self {
        let mut facts = Self {
            stems: FxHashMap::default(),
            folder: FxHashMap::default(),
            files: FxHashMap::default(),
            beginnings: Beginnings::of(scores),
            defining: FxHashMap::default(),
        };
        for (number, term) in scores.terms.iter().enumerate() {
            for file in view.paths().with_stem(&term.text) {
                facts.note_stem(*file, number, term.idf, 1.0);
            }
            for file in view.paths().with_abbreviated_stem(&term.text) {
                facts.note_stem(file, number, term.idf, ABBREVIATED);
            }
            for file in view.paths().with_folder(&term.text) {
                *facts.folder.entry(*file).or_default() += term.idf;
            }
        }
        for (name, words) in &question.joined {
            let worth: f32 = words.iter().filter_map(|word| scores.idf(word)).sum();
            let files = view.paths().with_stem(name).iter();
            for file in files.filter(|file| view.paths().stem_words(**file) <= 1.0) {
                let stem = facts.stems.entry(*file).or_default();
                stem.whole = stem.whole.max(worth);
            }
        }
        for (name, sure) in &question.names {
            facts.find_definitions(view, name, *sure);
        }
        facts
    }

    /// Counts a word once for a file, the surest first.
    fn note_stem(&mut self, file: u32, term: usize, idf: f32, sure: f32) {
        let stem = self.stems.entry(file).or_default();
        if stem.last != Some(term) {
            stem.last = Some(term);
            stem.words += sure;
            stem.idf += idf * sure;
        }
    }

    /// Files whose own name has a word of the question.
    pub(crate) fn files_by_stem(&self) -> impl Iterator<Item = u32> + '_ {
        self.stems.keys().copied()
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

    /// The features of one chunk as one file holds it, but for its vectors, with the most that its names could be worth.
    pub(crate) fn possible_features(
        &mut self,
        view: &View,
        scores: &Scores,
        id: DocId,
        chunk: u32,
        file: u32,
    ) -> Features {
        let score = scores.chunks[id.segment as usize][chunk as usize];
        let best = scores.best_possible.max(f32::EPSILON);
        let of_file = self.of_file(view, scores, file);
        let named = scores.share(score.named);
        Features {
            text: (score.text / best).min(1.0),
            coverage: scores.share(score.present),
            file: (scores.docs[id.segment as usize][id.doc as usize] / best).min(1.0),
            named,
            name: named.sqrt(),
            stem: of_file.stem,
            folder: of_file.folder,
            defines: self.defining.get(&(id.segment, chunk)).copied().unwrap_or(0.0),
            meaning: 0.0,
            file_meaning: 0.0,
            path_meaning: 0.0,
            middle_meaning: 0.0,
            beside_meaning: 0.0,
            kind: of_file.kind,
        }
    }

    fn of_file(&mut self, view: &View, scores: &Scores, file: u32) -> OfFile {
        if let Some(known) = self.files.get(&file) {
            return *known;
        }
        let found = OfFile {
            stem: self.stems.get(&file).map_or(0.0, |stem| stem.fit(view, scores, file)),
            folder: scores.share(self.folder.get(&file).copied().unwrap_or(0.0)),
            kind: kind_of(view, file),
        };
        self.files.insert(file, found);
        found
    }

    /// How well the best name that a chunk defines answers: how much of it is asked for, and how much of what is asked
    /// for it has.
    pub(crate) fn best_name(&self, view: &View, scores: &Scores, id: DocId, chunk: u32) -> f32 {
        // What all its names have: no single one has more, even if it says a word twice.
        let most = scores.share(scores.chunks[id.segment as usize][chunk as usize].named);
        if most <= 0.0 {
            return 0.0;
        }
        let segment = view.segment(id);
        let span = segment.chunk(chunk);
        let names = segment.names_on(id.doc, span.start_line..=span.end_line);
        let likely = names.filter(|name| self.beginnings.may_stand_in(name));
        likely.map(|name| name_fit(scores, name).min(most)).fold(0.0, f32::max).sqrt()
    }
}

/// The part a file plays, also by what else there is.
fn kind_of(view: &View, file: u32) -> PathKind {
    match PathKind::of(&view.files()[file as usize].path) {
        PathKind::Source if view.paths().only_declares(file) => PathKind::Declarations,
        kind => kind,
    }
}

impl Stem {
    /// How much of the name is asked for, and, counting less, how much of what is asked for is in the name.
    fn fit(&self, view: &View, scores: &Scores, file: u32) -> f32 {
        let words = if self.whole > 0.0 { 1.0 } else { self.words };
        let asked = (words / view.paths().stem_words(file)).min(1.0);
        let answered = scores.share(self.idf.max(self.whole));
        (asked.powi(3) * answered).sqrt().sqrt()
    }
}

/// How the question's words begin: most names have none of them, which is seen without cutting them into words.
struct Beginnings(Vec<Vec<u8>>);

impl Beginnings {
    /// Letters that a word and its stem share for sure.
    const LETTERS: usize = 3;

    fn of(scores: &Scores) -> Self {
        let begin = |text: &str| text.bytes().take(Self::LETTERS).collect();
        Self(scores.terms.iter().map(|term| begin(&term.text)).collect())
    }

    /// Whether a name may have one of the words; wrong only in saying that it may.
    fn may_stand_in(&self, name: &str) -> bool {
        let name = name.as_bytes();
        let stands_at = |at: usize| {
            self.0.iter().any(|begin| {
                let here = name.get(at..at + begin.len());
                here.is_some_and(|here| here.eq_ignore_ascii_case(begin))
            })
        };
        !name.is_ascii() || (0..name.len()).any(stands_at)
    }
}

fn name_fit(scores: &Scores, name: &str) -> f32 {
    let (mut words, mut found, mut worth) = (0.0, 0.0, 0.0);
    let mut last = None;
    each_token(name, |word| {
        last = scores.idf(word);
        words += 1.0;
        found += f32::from(u8::from(last.is_some()));
        worth += last.unwrap_or(0.0);
    });
    // A name of several words comes whole as well, after them.
    if words > 2.0 {
        words -= 1.0;
        found -= f32::from(u8::from(last.is_some()));
        worth -= last.unwrap_or(0.0);
    }
    if words > 0.0 { found / words * scores.share(worth) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::search::score::Term;
    use crate::tokens::unique_tokens;

    fn asked(words: &str) -> Scores {
        let terms: Vec<Term> =
            unique_tokens(words).into_iter().map(|text| Term { text, idf: 1.0 }).collect();
        let idf_sum = terms.len() as f32;
        Scores { terms, chunks: Vec::new(), docs: Vec::new(), best_possible: 1.0, idf_sum }
    }

    #[test]
    fn names_answer_by_their_words() {
        for (words, name, fit) in [
            ("combine reducers", "combineReducers", 1.0),
            ("combine reducers", "combine", 0.5),
            ("combine reducers", "combineTwoReducers", 2.0 / 3.0),
            ("reducers", "combine_reducers", 0.5),
            ("reducers", "store", 0.0),
            ("reducers", "", 0.0),
        ] {
            assert!((name_fit(&asked(words), name) - fit).abs() < 1e-6, "{words}: {name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_that_answers_is_passed_over(
            words in "([a-z]{1,9} ){0,4}(adding|running|queries|registered|url_value|ÄÖ)?",
            name in "([A-Z_]?[a-z]{0,9}(ing|ies|ed|s)?){0,4}|Adds|runner|query_all|RegisterUrl|äöValue",
        ) {
            let scores = asked(&words);
            let answers = name_fit(&scores, &name) > 0.0;
            prop_assert!(!answers || Beginnings::of(&scores).may_stand_in(&name));
        }

        #[test]
        fn names_made_of_the_words_are_never_passed_over(
            parts in proptest::collection::vec("[a-z]{1,9}(ing|ies|ed|s|ation)?", 1..4),
        ) {
            let scores = asked(&parts.join(" "));
            prop_assert!(name_fit(&scores, &parts.join("_")) == 0.0 || Beginnings::of(&scores).may_stand_in(&parts.join("_")));
        }
    }
}
