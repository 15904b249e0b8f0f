//! Making a segment: documents are collected, and their tables, postings and vectors written as the bytes that
//! [`Segment`](super::Segment) reads in place.

use rustc_hash::FxHashMap;

use super::analysis::{Analysis, ContentHash};
use super::bytes::{push_all, push_u32, push_varint, seal};
use super::segment::{
    CHUNK, ChunkSpan, DEFINITION, DOC, FORMAT, HEADER, LENGTHS, MAGIC, Posting, model_id,
};
use crate::embed::{Bag, HEAD, Model, SIZE, Vector, inverse_length};
use crate::syntax::Definition;
use crate::tokens::each_token;

/// Postings of one term while they are being written.
#[derive(Debug, Default, Clone)]
pub(crate) struct PostingsWriter {
    pub(crate) bytes: Vec<u8>,
    last: u32,
}

impl PostingsWriter {
    pub(crate) fn push(&mut self, posting: Posting) {
        push_varint(&mut self.bytes, posting.chunk - self.last);
        self.last = posting.chunk;
        push_varint(&mut self.bytes, posting.count << 1 | u32::from(posting.named > 0));
        if posting.named > 0 {
            push_varint(&mut self.bytes, posting.named);
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
    /// Turns tables and terms, which must come sorted, into a segment's sealed bytes.
    pub(crate) fn seal<'t>(&self, terms: impl Iterator<Item = (&'t [u8], &'t [u8])>) -> Vec<u8> {
        let (mut strings, mut postings) = (Vec::new(), Vec::new());
        let (mut table, mut count) = (Vec::new(), 0_u32);
        let mut definitions = Vec::with_capacity(self.definitions.len() * DEFINITION);
        for (doc, d) in &self.definitions {
            let fields = [
                strings.len() as u32,
                d.name.len() as u32,
                d.kind as u32,
                *doc,
                d.start_line,
                d.end_line,
            ];
            push_all(&mut definitions, &fields);
            strings.extend_from_slice(d.name.as_bytes());
        }
        for (term, list) in terms {
            let fields =
                [strings.len() as u32, term.len() as u32, postings.len() as u32, list.len() as u32];
            push_all(&mut table, &fields);
            strings.extend_from_slice(term);
            postings.extend_from_slice(list);
            count += 1;
        }
        let mut out = Vec::with_capacity(
            HEADER
                + definitions.len()
                + table.len()
                + strings.len()
                + postings.len()
                + self.docs.len() * DOC
                + self.chunks.len() * (CHUNK + LENGTHS + SIZE)
                + self.definitions.len() * 4
                + 64,
        );
        out.extend_from_slice(MAGIC);
        let sizes = [
            self.docs.len(),
            self.chunks.len(),
            self.definitions.len(),
            count as usize,
            strings.len(),
            postings.len(),
        ];
        push_all(&mut out, &[FORMAT, model_id()]);
        push_all(&mut out, &sizes.map(|size| size as u32));
        self.push_docs_and_chunks(&mut out);
        out.extend_from_slice(&definitions);
        push_all(&mut out, &self.sorted_definitions());
        out.extend_from_slice(&table);
        out.extend_from_slice(&strings);
        out.extend_from_slice(&postings);
        out.extend_from_slice(&self.vectors.lengths);
        out.extend_from_slice(&self.vectors.heads);
        out.extend_from_slice(&self.vectors.tails);
        seal(out)
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
    numbers: FxHashMap<Box<str>, u32>,
    lists: Vec<PostingsWriter>,
    /// Counts of the chunk being read, by term number, and which are not zero.
    counts: Vec<(u32, u32)>,
    touched: Vec<u32>,
    postings: usize,
    /// What the model calls each term, one after the other, and where each term's end.
    called: Vec<u16>,
    called_to: Vec<u32>,
    bag: Bag,
}

impl SegmentBuilder {
    /// Adds one content.
    pub(crate) fn add(&mut self, hash: ContentHash, analysis: &Analysis, text: &str) {
        let doc = self.tables.docs.len() as u32;
        self.tables.docs.push((hash, analysis.lines));
        for (chunk, part, defined) in analysis.parts(text) {
            let words = self.count(part, &defined);
            let number = self.tables.chunks.len() as u32;
            self.tables.chunks.push(ChunkSpan {
                doc,
                start_line: chunk.start_line,
                end_line: chunk.end_line,
                words,
            });
            self.flush_counts(number);
        }
        self.tables.definitions.extend(analysis.definitions.iter().map(|d| (doc, d.clone())));
    }

    /// Roughly how many bytes it would take.
    pub(crate) fn weight(&self) -> usize {
        self.postings * 4 + self.tables.chunks.len() * (64 + SIZE)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tables.docs.is_empty()
    }

    /// The segment's sealed bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut sorted: Vec<(&str, u32)> =
            self.numbers.iter().map(|(term, n)| (&**term, *n)).collect();
        sorted.sort_unstable();
        let lists = &self.lists;
        self.tables.seal(
            sorted.iter().map(|(term, n)| (term.as_bytes(), lists[*n as usize].bytes.as_slice())),
        )
    }

    fn count(&mut self, part: &str, defined: &[&Definition]) -> u32 {
        let mut words = 0;
        each_token(part, |token| {
            words += 1;
            self.entry(token).0 += 1;
        });
        for definition in defined {
            each_token(&definition.name, |token| self.entry(token).1 += 1);
        }
        words
    }

    fn entry(&mut self, token: &str) -> &mut (u32, u32) {
        let number = if let Some(number) = self.numbers.get(token) {
            *number
        } else {
            let number = self.lists.len() as u32;
            self.numbers.insert(token.into(), number);
            self.lists.push(PostingsWriter::default());
            self.counts.push((0, 0));
            if let Some(model) = Model::embedded() {
                model.numbers(token, &mut self.called);
            }
            self.called_to.push(self.called.len() as u32);
            number
        };
        let counts = &mut self.counts[number as usize];
        if *counts == (0, 0) {
            self.touched.push(number);
        }
        counts
    }

    fn flush_counts(&mut self, chunk: u32) {
        self.postings += self.touched.len();
        self.bag.clear();
        for number in self.touched.drain(..) {
            let number = number as usize;
            let (count, named) = std::mem::take(&mut self.counts[number]);
            self.lists[number].push(Posting { chunk, count, named });
            let from = number.checked_sub(1).map_or(0, |before| self.called_to[before]);
            let called = &self.called[from as usize..self.called_to[number] as usize];
            if count > 0 {
                self.bag.add(called, count);
            }
        }
        let vector = Model::embedded().and_then(|model| model.code(&mut self.bag));
        self.tables.vectors.push(vector.as_ref());
    }
}
