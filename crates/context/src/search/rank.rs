//! From scores to an answer: one number for each chunk, many files, spans of a file kept together.

use rustc_hash::FxHashMap;

use super::candidates::{Filter, Place};
use super::features::Features;
use super::look::Look;
use super::meaning::Vectors;
use super::question::{Question, QuestionKind};
use super::score::Bm25;
use super::weights::Weights;
use crate::index::{DocId, View};

/// Chunks whose names are read before it is asked whether that is enough.
const AT_ONCE: usize = 40;
/// Most spans of one file in an answer.
const SPANS: usize = 5;

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
    let mut look = Look::at(view, question, weights.bm25, vectors);
    let (possible, total) = possible(&mut look, filter);
    let chosen = best(&look, possible, question.kind, weights, limit);
    (chosen.into_iter().map(|ranked| ranked.into_hit(view, question)).collect(), total)
}

/// What may answer, each by the most that it could score.
fn possible(look: &mut Look<'_>, filter: &Filter) -> (Vec<Ranked>, usize) {
    let (places, total) = look.candidates(filter);
    (places.into_iter().map(|place| Ranked::possible(look, place)).collect(), total)
}

/// The best by their true scores. Reading names takes long, so it is done in the order of the most that each chunk could score, until
/// none of the others can be among the best.
fn best(
    look: &Look<'_>,
    mut possible: Vec<Ranked>,
    kind: QuestionKind,
    weights: &Weights,
    limit: usize,
) -> Vec<Ranked> {
    for ranked in &mut possible {
        ranked.score = weights.apply(kind, &ranked.features);
    }
    possible.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    let mut known = Vec::with_capacity(possible.len());
    let mut others = possible.into_iter().peekable();
    loop {
        for mut ranked in others.by_ref().take(AT_ONCE) {
            ranked.features.name = look.best_name(ranked.id, ranked.chunk);
            ranked.score = weights.apply(kind, &ranked.features);
            known.push(ranked);
        }
        let chosen = choose(known.clone(), weights.repeat, limit);
        let least = chosen.last().filter(|_| chosen.len() == limit).map(|last| last.score);
        let may_be_better = |other: &Ranked| least.is_none_or(|least| other.score >= least);
        if !others.peek().is_some_and(may_be_better) {
            return chosen;
        }
    }
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
        vectors: Vectors<'v>,
    ) -> Self {
        let mut look = Look::at(view, question, bm25, vectors);
        let (mut candidates, total) = possible(&mut look, filter);
        for ranked in &mut candidates {
            ranked.features.name = look.best_name(ranked.id, ranked.chunk);
        }
        Self { view, kind: question.kind, candidates, total }
    }

    /// The files of the best of them and where in them, best first.
    pub fn places(&self, weights: &Weights, limit: usize) -> Vec<(u32, Span)> {
        let chosen = choose(self.ranked(weights), weights.repeat, limit);
        chosen.iter().map(|ranked| (ranked.file, ranked.span(self.view))).collect()
    }

    /// What is known of the best chunks, whatever files they are in: the file, where in it, and the features.
    pub fn evidence(&self, weights: &Weights, limit: usize) -> Vec<(u32, Span, Features)> {
        let chosen = choose(self.ranked(weights), 1.0, limit);
        chosen.iter().map(|ranked| (ranked.file, ranked.span(self.view), ranked.features)).collect()
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
    fn possible(look: &mut Look<'_>, Place { id, chunk, file }: Place) -> Self {
        let start_line = look.view.segment(id).chunk(chunk).start_line;
        let features = look.possible_features(Place { id, chunk, file });
        Self { id, chunk, file, start_line, score: 0.0, features }
    }

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
