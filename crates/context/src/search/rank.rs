//! From scores to an answer: one number for each chunk, many files, spans of a file kept together.

use rustc_hash::FxHashMap;

use super::features::{Features, FileFacts};
use super::meaning::{Known, Meaning, Vectors};
use super::question::{Question, QuestionKind};
use super::score::{Bm25, Scores, score};
use super::weights::Weights;
use crate::index::{DocId, View};

/// Chunks that are looked at closely.
const CANDIDATES: usize = 400;
/// Most spans of one file in an answer.
const SPANS: usize = 5;

/// Which files may answer.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only files of this module: a folder's name anywhere on the path, or the file's own name.
    pub module: Option<String>,
}

impl Filter {
    fn allows(&self, path: &str) -> bool {
        self.module.as_deref().is_none_or(|module| crate::module::contains(module, path))
    }
}

/// A stretch of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Number of the file in the view.
    pub file: u32,
    /// Path of the file.
    pub path: String,
    /// Where in it.
    pub span: Span,
    /// The definition that begins there and fits best, if any.
    pub symbol: Option<String>,
    /// Between 0 and 1: what share of the evidence a perfect answer would have.
    pub score: f32,
    /// The parts of the score.
    pub features: Features,
}

/// The best `limit` chunks, and how many had anything to do with the question.
pub fn search(
    view: &View,
    question: &Question,
    filter: &Filter,
    weights: &Weights,
    limit: usize,
) -> (Vec<Hit>, usize) {
    let vectors = if weights.uses_vectors() { Vectors::Own } else { Vectors::None };
    let looked = Looked::at(view, question, filter, weights.bm25, vectors);
    (looked.best(question, weights, limit), looked.total)
}

/// Everything that may answer a question, with its features: what weights then decide about.
#[derive(Debug)]
pub struct Looked<'v> {
    view: &'v View,
    kind: QuestionKind,
    candidates: Vec<Ranked>,
    /// How many chunks had anything to do with the question.
    pub total: usize,
}

impl<'v> Looked<'v> {
    /// Looks at a question's candidates.
    pub fn at(
        view: &'v View,
        question: &Question,
        filter: &Filter,
        bm25: Bm25,
        vectors: Vectors<'_>,
    ) -> Self {
        let scores = score(view, question, bm25);
        let mut facts = FileFacts::gather(view, question, &scores);
        let meaning = Meaning::of(question, view, vectors);
        let nearest = meaning.as_ref().map(|meaning| meaning.nearest(view)).unwrap_or_default();
        let (found, total) = candidates(view, &scores, &facts, &nearest, filter);
        let mut known = Known::default();
        let mut paths: FxHashMap<u32, f32> = FxHashMap::default();
        let look = |(id, chunk, file): (DocId, u32, u32)| {
            let mut features = facts.features(view, &scores, id, chunk, file);
            if let Some(meaning) = &meaning {
                features.meaning = meaning.chunk(view, id.segment, chunk);
                features.file_meaning = known.document(meaning, view, id);
                features.path_meaning =
                    *paths.entry(file).or_insert_with(|| meaning.path(view, file));
            }
            let start_line = view.segment(id).chunk(chunk).start_line;
            Ranked { id, chunk, file, start_line, score: 0.0, features }
        };
        let candidates = found.into_iter().map(look).collect();
        Self { view, kind: question.kind, candidates, total }
    }

    /// The best of them by some weights.
    pub fn best(&self, question: &Question, weights: &Weights, limit: usize) -> Vec<Hit> {
        let chosen = self.chosen(weights, limit);
        chosen.into_iter().map(|r| r.into_hit(self.view, question)).collect()
    }

    /// The files of the best of them and where in them, best first.
    pub fn places(&self, weights: &Weights, limit: usize) -> Vec<(u32, Span)> {
        let chosen = self.chosen(weights, limit);
        chosen.iter().map(|ranked| (ranked.file, ranked.span(self.view))).collect()
    }

    /// What is known of the best chunks, whatever files they are in: the file, where in it, and the features.
    pub fn evidence(&self, weights: &Weights, limit: usize) -> Vec<(u32, Span, Features)> {
        let chosen = choose(self.ranked(weights), 1.0, limit);
        chosen.iter().map(|ranked| (ranked.file, ranked.span(self.view), ranked.features)).collect()
    }

    fn chosen(&self, weights: &Weights, limit: usize) -> Vec<Ranked> {
        choose(self.ranked(weights), weights.repeat, limit)
    }

    fn ranked(&self, weights: &Weights) -> Vec<Ranked> {
        let mut ranked = self.candidates.clone();
        for candidate in &mut ranked {
            candidate.score = weights.apply(self.kind, &candidate.features);
        }
        ranked
    }
}

#[derive(Debug, Clone)]
struct Ranked {
    id: DocId,
    chunk: u32,
    file: u32,
    start_line: u32,
    score: f32,
    features: Features,
}

impl Ranked {
    fn span(&self, view: &View) -> Span {
        let chunk = view.segment(self.id).chunk(self.chunk);
        Span { start_line: chunk.start_line, end_line: chunk.end_line }
    }

    fn into_hit(self, view: &View, question: &Question) -> Hit {
        let segment = view.segment(self.id);
        let span = self.span(view);
        let symbol = best_symbol(segment.doc_definitions(self.id.doc), span, question);
        let path = view.files()[self.file as usize].path.clone();
        Hit {
            file: self.file,
            path,
            span,
            symbol,
            score: self.score.clamp(0.0, 1.0),
            features: self.features,
        }
    }
}

/// Chunks worth a closer look: those with the best scores, those that define a name asked for, and the best
/// chunk of each file whose name answers.
fn candidates(
    view: &View,
    scores: &Scores,
    facts: &FileFacts,
    nearest: &[(u32, u32, f32)],
    filter: &Filter,
) -> (Vec<(DocId, u32, u32)>, usize) {
    let mut rough: Vec<(f32, u32, u32, DocId, u32)> = Vec::new();
    let enough = CANDIDATES * 4;
    let (least, total) = least_of_best(scores, enough);
    let least = if filter.module.is_none() { least } else { 0.0 };
    let mut add = |view: &View, segment: u32, chunk: u32, score: f32| {
        let doc = view.segments[segment as usize].chunk(chunk).doc;
        let id = DocId { segment, doc };
        for file in view.holders(id).files() {
            if filter.allows(&view.files()[*file as usize].path) {
                rough.push((score, *file, chunk, id, chunk));
            }
        }
    };
    for (segment, chunks) in scores.chunks.iter().enumerate() {
        let scored = chunks.iter().enumerate().filter(|(_, score)| score.text > 0.0);
        for (chunk, score) in scored.filter(|(_, score)| score.rough() >= least) {
            add(view, segment as u32, chunk as u32, score.rough());
        }
    }
    for ((segment, chunk), sure) in &facts.defining {
        add(view, *segment, *chunk, scores.best_possible * (1.0 + sure));
    }
    for file in facts.files_by_stem() {
        if let Some(id) = view.doc(file) {
            let best = best_chunk(view, scores, id);
            if let Some((chunk, score)) = best {
                add(view, id.segment, chunk, scores.best_possible * 0.5 + score);
            }
        }
    }
    for (segment, chunk, near) in nearest {
        add(view, *segment, *chunk, scores.best_possible * (0.5 + near));
    }
    // Only the best are put in order; all that are as good as the last of them stay, so that ties are decided below.
    if rough.len() > enough {
        let (_, last, _) = rough.select_nth_unstable_by(enough, |a, b| b.0.total_cmp(&a.0));
        let least = last.0;
        rough.retain(|entry| entry.0 >= least);
    }
    // Ties go by path and place, never by where a segment happens to keep a document.
    let start =
        |entry: &(f32, u32, u32, DocId, u32)| view.segment(entry.3).chunk(entry.4).start_line;
    rough.sort_by(|a, b| {
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then_with(|| start(a).cmp(&start(b)))
    });
    let mut seen = rustc_hash::FxHashSet::default();
    let kept = rough
        .into_iter()
        .filter(|(_, file, _, _, chunk)| seen.insert((*file, *chunk)))
        .take(CANDIDATES);
    (kept.map(|(_, file, _, id, chunk)| (id, chunk, file)).collect(), total)
}

/// What the last of the best chunks by words scores, and how many have any of the words.
fn least_of_best(scores: &Scores, best: usize) -> (f32, usize) {
    let scored = scores.chunks.iter().flatten().filter(|score| score.text > 0.0);
    let mut rough: Vec<f32> = scored.map(|score| score.rough()).collect();
    let total = rough.len();
    if total <= best {
        return (0.0, total);
    }
    let (_, least, _) = rough.select_nth_unstable_by(best, |a, b| b.total_cmp(a));
    (*least, total)
}

fn best_chunk(view: &View, scores: &Scores, id: DocId) -> Option<(u32, f32)> {
    let chunks = view.segment(id).doc_chunks(id.doc);
    let scored = chunks.map(|c| (c, scores.chunks[id.segment as usize][c as usize].text));
    scored.fold(None, |best: Option<(u32, f32)>, this| match best {
        Some(best) if best.1 >= this.1 => Some(best),
        _ => Some(this),
    })
}

/// Takes the best, each further span of a file counting less, then puts spans of a file together.
fn choose(mut ranked: Vec<Ranked>, repeat: f32, limit: usize) -> Vec<Ranked> {
    let order = |a: &Ranked, b: &Ranked| {
        b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)).then(a.start_line.cmp(&b.start_line))
    };
    ranked.retain(|r| r.score > 0.0);
    ranked.sort_by(order);
    let mut taken: FxHashMap<u32, usize> = FxHashMap::default();
    for r in &mut ranked {
        let before = taken.entry(r.file).or_default();
        r.score = if *before < SPANS || repeat >= 1.0 {
            r.score * repeat.powi(*before as i32)
        } else {
            0.0
        };
        *before += 1;
    }
    ranked.retain(|r| r.score > 0.0);
    ranked.sort_by(order);
    ranked.truncate(limit);
    ranked
}

/// The definition beginning in the span that the question's words fit best; else the one around it.
fn best_symbol(
    definitions: impl Iterator<Item = crate::syntax::Definition>,
    span: Span,
    question: &Question,
) -> Option<String> {
    let mut best: Option<(i64, String)> = None;
    for d in definitions {
        let begins = (span.start_line..=span.end_line).contains(&d.start_line);
        let around = d.start_line <= span.start_line && d.end_line >= span.end_line;
        if !begins && !around {
            continue;
        }
        let words = crate::tokens::unique_tokens(&d.name);
        let fitting = words.iter().filter(|w| question.terms.contains(w)).count() as i64;
        let asked = i64::from(question.names.iter().any(|(name, _)| *name == d.name));
        let size = i64::from(d.end_line) - i64::from(d.start_line);
        let fit = asked * 1_000_000
            + fitting * 10_000
            + i64::from(begins && d.kind.is_main()) * 5_000
            + size.min(4_000);
        if best.as_ref().is_none_or(|(known, _)| fit > *known) {
            best = Some((fit, d.name));
        }
    }
    best.map(|(_, name)| name)
}
