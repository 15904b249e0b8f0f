//! BM25 over chunks and over whole files, with the names that a chunk defines as a field of their own.

use super::question::Question;
use crate::index::{DocId, Posting, Postings, View};

/// How BM25 is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How soon more of the same word stops counting.
    pub k1: f32,
    /// How much a chunk's length counts.
    pub b: f32,
    /// What a word in a defined name counts, in words of text.
    pub named: f32,
}

/// A word of the question and what finding it is worth.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) text: String,
    pub(crate) idf: f32,
}

/// Scores of all chunks and documents, by segment.
#[derive(Debug)]
pub(crate) struct Scores {
    pub(crate) terms: Vec<Term>,
    pub(crate) chunks: Vec<Vec<ChunkScore>>,
    pub(crate) docs: Vec<Vec<f32>>,
    /// What a perfect chunk would score.
    pub(crate) best_possible: f32,
    pub(crate) idf_sum: f32,
}

/// One chunk's.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChunkScore {
    /// BM25 of its text and names.
    pub(crate) text: f32,
    /// Sum of the weights of words that its defined names have.
    pub(crate) named: f32,
    /// Sum of the weights of words it has at all.
    pub(crate) present: f32,
}

impl ChunkScore {
    /// What decides whether a chunk is looked at closely.
    pub(crate) fn rough(&self) -> f32 {
        self.text + self.named
    }
}

/// Scores everything a word of the question stands in.
pub(crate) fn score(view: &View, question: &Question, bm25: Bm25) -> Scores {
    let chunks = view
        .segments
        .iter()
        .map(|s| vec![ChunkScore::default(); s.chunk_count() as usize])
        .collect();
    let docs = view.segments.iter().map(|s| vec![0.0; s.doc_count() as usize]).collect();
    let mut scores = Scores { terms: Vec::new(), chunks, docs, best_possible: 0.0, idf_sum: 0.0 };
    for term in &question.terms {
        scores.add_term(view, term, bm25);
    }
    scores
}

impl Scores {
    /// What a word of the question is worth; `None` for any other.
    pub(crate) fn idf(&self, word: &str) -> Option<f32> {
        self.terms.iter().find(|term| term.text == word).map(|term| term.idf)
    }

    /// What share of the question words that are worth so much are.
    pub(crate) fn share(&self, worth: f32) -> f32 {
        if self.idf_sum > 0.0 { (worth / self.idf_sum).min(1.0) } else { 0.0 }
    }

    fn add_term(&mut self, view: &View, text: &str, bm25: Bm25) {
        let postings: Vec<_> = view.segments.iter().map(|s| s.postings(text)).collect();
        let counts = postings.iter().enumerate().map(|(segment, found)| {
            // A segment whose documents are all held says itself how many there are.
            if view.holds_all(segment) {
                found.written as usize
            } else {
                held(view, segment, found.clone()).count()
            }
        });
        let df: usize = counts.sum();
        let (n, df) = (view.chunk_count() as f32, df as f32);
        let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
        self.terms.push(Term { text: text.to_owned(), idf });
        self.best_possible += idf * (bm25.k1 + 1.0);
        self.idf_sum += idf;
        for (segment, found) in postings.into_iter().enumerate() {
            self.add_postings(view, segment, found, idf, bm25);
        }
    }

    fn add_postings(
        &mut self,
        view: &View,
        segment: usize,
        found: Postings<'_>,
        idf: f32,
        bm25: Bm25,
    ) {
        let average = view.average_words() as f32;
        let (chunks, docs) = (&mut self.chunks[segment], &mut self.docs[segment]);
        let mut found = held(view, segment, found).peekable();
        let mut doc_count = 0.0;
        while let Some((doc, words, posting)) = found.next() {
            let normal = 1.0 - bm25.b + bm25.b * words as f32 / average;
            let weighted = posting.count as f32 / normal + bm25.named * posting.named as f32;
            if let Some(chunk) = chunks.get_mut(posting.chunk as usize) {
                chunk.text += idf * saturated(weighted, bm25.k1);
                chunk.present += idf;
                chunk.named += if posting.named > 0 { idf } else { 0.0 };
            }
            doc_count += posting.count as f32 + bm25.named * posting.named as f32;
            if found.peek().is_none_or(|(next, ..)| *next != doc) {
                let chunks = view.segments[segment].doc_chunks(doc).len() as f32;
                // A file's length in chunks, against one of four.
                let normal = 1.0 - bm25.b + bm25.b * chunks / 4.0;
                if let Some(known) = docs.get_mut(doc as usize) {
                    *known += idf * saturated(doc_count / normal, bm25.k1);
                }
                doc_count = 0.0;
            }
        }
    }
}

/// Those of a word's postings in a segment that lie in documents which some file holds: the document, the words of the
/// chunk, the posting.
fn held<'v>(
    view: &'v View,
    segment: usize,
    postings: Postings<'v>,
) -> impl Iterator<Item = (u32, u32, Posting)> + 'v {
    let of = &view.segments[segment];
    let all_held = view.holds_all(segment);
    let found = postings.map(|posting| {
        let (doc, words) = of.doc_and_words(posting.chunk);
        (doc, words, posting)
    });
    found.filter(move |(doc, ..)| {
        all_held || !view.holders(DocId { segment: segment as u32, doc: *doc }).is_none()
    })
}

fn saturated(count: f32, k1: f32) -> f32 {
    count * (k1 + 1.0) / (count + k1)
}
