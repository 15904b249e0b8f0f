//! Making a segment: documents are collected, and their tables, postings and vectors written as the bytes that
//! [`Segment`](super::Segment) reads in place.

use super::analysis::{Analysis, ContentHash};
use super::bytes::{SEAL, push_all, push_u32, push_varint};
use super::dictionary::Dictionary;
use super::segment::{
    CHUNK, ChunkSpan, DEFINITION, DOC, FORMAT, HEADER, LENGTHS, MAGIC, Posting, model_id,
};
use crate::embed::{Bag, HEAD, Model, SIZE, Vector, inverse_length};
use crate::syntax::Definition;

/// The terms of a segment and where each stands, while they are being written.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    count: u32,
    table: Vec<u8>,
    strings: Vec<u8>,
    postings: Vec<u8>,
}

impl Terms {
    /// Adds a term, unless it stands nowhere. Terms must come sorted, and postings in the order of chunks.
    pub(crate) fn push(&mut self, term: &[u8], postings: impl Iterator<Item = Posting>) {
        let (start, mut last, mut count) = (self.postings.len(), 0, 0);
        for posting in postings {
            count += 1;
            push_varint(&mut self.postings, posting.chunk.wrapping_sub(last));
            last = posting.chunk;
            push_varint(&mut self.postings, posting.count << 1 | u32::from(posting.named > 0));
            if posting.named > 0 {
                push_varint(&mut self.postings, posting.named);
            }
        }
        let length = self.postings.len() - start;
        if length > 0 {
            let fields = [self.strings.len(), term.len(), start, length, count];
            push_all(&mut self.table, &fields.map(|field| field as u32));
            self.strings.extend_from_slice(term);
            self.count += 1;
        }
    }
}

/// The tables of a segment before they become bytes.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) docs: Vec<(ContentHash, u32)>,
    pub(crate) chunks: Vec<ChunkSpan>,
    pub(crate) definitions: Vec<(u32, Definition)>,
    pub(crate) vectors: Vectors,
}

/// Vectors of chunks, heads apart from tails, so that heads can be read through quickly.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    lengths: Vec<u8>,
    heads: Vec<u8>,
    tails: Vec<u8>,
}

impl Vectors {
    /// Adds the next chunk's.
    pub(crate) fn push(&mut self, vector: Option<&Vector>) {
        const NONE: [i8; SIZE] = [0; SIZE];
        let numbers = vector.map_or(&NONE, |vector| &vector.0);
        for length in [inverse_length(numbers), inverse_length(&numbers[..HEAD])] {
            push_u32(&mut self.lengths, length.to_bits());
        }
        let (head, tail) = numbers.split_at(HEAD);
        self.heads.extend(head.iter().map(|number| *number as u8));
        self.tails.extend(tail.iter().map(|number| *number as u8));
    }
}

impl Tables {
    /// Turns tables and terms into a segment's bytes.
    pub(crate) fn into_bytes(self, mut terms: Terms) -> Vec<u8> {
        let definitions = self.push_definitions(&mut terms.strings);
        let sizes = [
            self.docs.len(),
            self.chunks.len(),
            self.definitions.len(),
            terms.count as usize,
            terms.strings.len(),
            terms.postings.len(),
        ];
        let vectors = self.chunks.len() * (LENGTHS + SIZE);
        let fixed = self.docs.len() * DOC + self.chunks.len() * CHUNK + vectors;
        let varying = definitions.len() + terms.table.len() + terms.strings.len();
        let mut out = Vec::with_capacity(
            HEADER + fixed + varying + terms.postings.len() + self.definitions.len() * 4 + SEAL,
        );
        out.extend_from_slice(MAGIC);
        push_all(&mut out, &[FORMAT, model_id()]);
        push_all(&mut out, &sizes.map(|size| size as u32));
        self.push_docs_and_chunks(&mut out);
        out.extend_from_slice(&definitions);
        push_all(&mut out, &self.sorted_definitions());
        for part in [terms.table, terms.strings, terms.postings] {
            out.extend_from_slice(&part);
        }
        for part in [self.vectors.lengths, self.vectors.heads, self.vectors.tails] {
            out.extend_from_slice(&part);
        }
        out
    }

    /// The definitions' table; their names go to the strings.
    fn push_definitions(&self, strings: &mut Vec<u8>) -> Vec<u8> {
        let mut table = Vec::with_capacity(self.definitions.len() * DEFINITION);
        for (doc, d) in &self.definitions {
            let (at, length) = (strings.len() as u32, d.name.len() as u32);
            push_all(&mut table, &[at, length, d.kind as u32, *doc, d.start_line, d.end_line]);
            strings.extend_from_slice(d.name.as_bytes());
        }
        table
    }

    fn push_docs_and_chunks(&self, out: &mut Vec<u8>) {
        let (mut chunk, mut definition) = (0, 0);
        for (doc, (hash, lines)) in self.docs.iter().enumerate() {
            out.extend_from_slice(hash);
            push_u32(out, chunk as u32);
            push_u32(out, definition as u32);
            push_u32(out, *lines);
            while self.chunks.get(chunk).is_some_and(|c| c.doc as usize == doc) {
                chunk += 1;
            }
            while self.definitions.get(definition).is_some_and(|(d, _)| *d as usize == doc) {
                definition += 1;
            }
        }
        for chunk in &self.chunks {
            push_all(out, &[chunk.doc, chunk.start_line, chunk.end_line, chunk.words]);
        }
    }

    fn sorted_definitions(&self) -> Vec<u32> {
        let mut sorted: Vec<(String, u32)> = self
            .definitions
            .iter()
            .enumerate()
            .map(|(n, (_, d))| (d.name.to_lowercase(), n as u32))
            .collect();
        sorted.sort_unstable();
        sorted.into_iter().map(|(_, n)| n).collect()
    }
}

/// Collects documents until they are written.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    tables: Tables,
    dictionary: Dictionary,
    /// Every chunk's words, one chunk after the other, and where each chunk's end.
    standing: Vec<Standing>,
    standing_to: Vec<u32>,
    /// Counts of the chunk being read, by term number, and which are not zero.
    counts: Vec<(u32, u32)>,
    touched: Vec<u32>,
    bag: Bag,
}

/// A term in a chunk while the segment is being made: half of what a [`Posting`] takes.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    /// The term; once they are in the order of terms, the chunk.
    number: u32,
    counts: u32,
}

/// Bits of [`Standing::counts`] for words in names that the chunk defines.
const NAMED_BITS: u32 = 8;

impl Standing {
    fn new(number: u32, count: u32, named: u32) -> Self {
        let (most, most_named) = (u32::MAX >> NAMED_BITS, (1 << NAMED_BITS) - 1);
        Self { number, counts: count.min(most) << NAMED_BITS | named.min(most_named) }
    }

    fn posting(self) -> Posting {
        let named = self.counts & ((1 << NAMED_BITS) - 1);
        Posting { chunk: self.number, count: self.counts >> NAMED_BITS, named }
    }
}

impl SegmentBuilder {
    /// An empty one that knows the words of the last.
    pub(crate) fn with(dictionary: Dictionary) -> Self {
        let counts = vec![(0, 0); dictionary.len()];
        Self { dictionary, counts, ..Self::default() }
    }

    /// Adds one content.
    pub(crate) fn add(&mut self, hash: ContentHash, analysis: Analysis, text: &str) {
        let doc = self.tables.docs.len() as u32;
        self.tables.docs.push((hash, analysis.lines));
        for (chunk, part, defined) in analysis.parts(text) {
            let words = self.count(part, defined);
            self.tables.chunks.push(ChunkSpan {
                doc,
                start_line: chunk.start_line,
                end_line: chunk.end_line,
                words,
            });
            self.flush_counts();
        }
        self.tables.definitions.extend(analysis.definitions.into_iter().map(|d| (doc, d)));
    }

    /// Roughly how many bytes it would take.
    pub(crate) fn weight(&self) -> usize {
        self.standing.len() * 4 + self.tables.chunks.len() * (64 + SIZE)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tables.docs.is_empty()
    }

    /// The segment's bytes, and the words for the next one.
    pub(crate) fn finish(mut self) -> (Vec<u8>, Dictionary) {
        let (ends, by_term) = self.by_term();
        self.standing = Vec::new();
        let run = |term: u32| {
            let start = (term as usize).checked_sub(1).map_or(0, |before| ends[before]);
            start as usize..ends[term as usize] as usize
        };
        let standing = (0..ends.len() as u32).filter(|term| !run(*term).is_empty());
        let mut sorted: Vec<(&str, u32)> =
            standing.map(|term| (self.dictionary.term(term), term)).collect();
        sorted.sort_unstable();
        let mut terms = Terms::default();
        for (term, number) in sorted {
            terms.push(term.as_bytes(), by_term[run(number)].iter().map(|s| s.posting()));
        }
        drop(by_term);
        (self.tables.into_bytes(terms), self.dictionary.for_next_segment())
    }

    /// What stands in the chunks, in the order of terms, and where each term's end. The numbers are those of chunks.
    fn by_term(&self) -> (Vec<u32>, Vec<Standing>) {
        let mut places = vec![0_u32; self.dictionary.len()];
        for standing in &self.standing {
            places[standing.number as usize] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        let mut by_term = vec![Standing::default(); self.standing.len()];
        let mut start = 0;
        for (chunk, end) in self.standing_to.iter().enumerate() {
            for standing in &self.standing[start..*end as usize] {
                let place = &mut places[standing.number as usize];
                by_term[*place as usize] = Standing { number: chunk as u32, ..*standing };
                *place += 1;
            }
            start = *end as usize;
        }
        (places, by_term)
    }

    fn count(&mut self, part: &str, defined: &[Definition]) -> u32 {
        let Self { dictionary, counts, touched, .. } = self;
        let mut words = 0;
        dictionary.each_term(part, |term| {
            words += 1;
            entry(counts, touched, term).0 += 1;
        });
        for definition in defined {
            let mut note = |term| entry(counts, touched, term).1 += 1;
            dictionary.each_term(&definition.name, &mut note);
        }
        words
    }

    /// Puts the counted chunk with the others.
    fn flush_counts(&mut self) {
        self.bag.clear();
        for term in self.touched.drain(..) {
            let (count, named) = std::mem::take(&mut self.counts[term as usize]);
            self.standing.push(Standing::new(term, count, named));
            if count > 0 {
                self.bag.add(self.dictionary.called(term), count);
            }
        }
        self.standing_to.push(self.standing.len() as u32);
        let vector = Model::embedded().and_then(|model| model.code(&mut self.bag));
        self.tables.vectors.push(vector.as_ref());
    }
}

/// A term's counts in the chunk being read.
fn entry<'c>(
    counts: &'c mut Vec<(u32, u32)>,
    touched: &mut Vec<u32>,
    term: u32,
) -> &'c mut (u32, u32) {
    if counts.len() <= term as usize {
        counts.resize(term as usize + 1, (0, 0));
    }
    let counts = &mut counts[term as usize];
    if *counts == (0, 0) {
        touched.push(term);
    }
    counts
}
