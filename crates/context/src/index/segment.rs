//! A segment: some documents with everything a search needs of them, in one immutable run of bytes.
//!
//! The bytes are the structure: fixed-size tables that are read in place, a sorted table of terms, and
//! postings in variable-length numbers. Loading one is reading the file and checking its seal.

use std::ops::{Range, RangeInclusive};

use super::analysis::ContentHash;
use super::body::Body;
use super::bytes::{push_all, take_u32, take_varint, u32_at, unseal};
use crate::embed::{HEAD, Middle, Model, SIZE, Vector, dot, products};
use crate::syntax::{Definition, DefinitionKind};

/// Changes whenever the bytes or the words change meaning; other versions are rebuilt.
pub(crate) const FORMAT: u32 = 4;

pub(super) const MAGIC: &[u8; 8] = b"PRFSTSEG";
pub(super) const HEADER: usize = 8 + 8 * 4;
pub(super) const DOC: usize = 32 + 3 * 4;
pub(super) const CHUNK: usize = 4 * 4;
pub(super) const DEFINITION: usize = 6 * 4;
const TERM: usize = 5 * 4;
/// The lengths of a chunk's vector and of its head.
pub(super) const LENGTHS: usize = 2 * 4;
const TAIL: usize = SIZE - HEAD;

/// A chunk's place and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkSpan {
    /// Which document of the segment it is in.
    pub doc: u32,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// How many words it has.
    pub words: u32,
}

/// Where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) chunk: u32,
    /// How often in the text.
    pub(crate) count: u32,
    /// How often in names that the chunk defines.
    pub(crate) named: u32,
}

/// Documents that can be searched.
pub struct Segment {
    bytes: Body,
    docs: u32,
    chunks: u32,
    definitions: u32,
    terms: u32,
    strings_at: usize,
    postings_at: usize,
    vectors_at: usize,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("docs", &self.docs)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl Segment {
    /// Reads a segment's file; `None` for anything that is not whole and of this version.
    pub fn load(sealed: Vec<u8>) -> Option<Self> {
        Self::from_body(Body::Owned(unseal(sealed)?))
    }

    pub(crate) fn from_body(bytes: Body) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut next = || take_u32(&mut rest);
        let (format, model) = (next()?, next()?);
        let (docs, chunks, definitions, terms) = (next()?, next()?, next()?, next()?);
        let (strings, postings) = (next()? as usize, next()? as usize);
        let strings_at = HEADER + tables([docs, chunks, definitions, terms]);
        let postings_at = strings_at + strings;
        let vectors_at = postings_at + postings;
        let is_ours = format == FORMAT && model == model_id();
        let is_whole = bytes.len() == vectors_at + vectors(chunks);
        let segment =
            Self { bytes, docs, chunks, definitions, terms, strings_at, postings_at, vectors_at };
        (is_ours && is_whole && segment.is_in_order()).then_some(segment)
    }

    /// Whether documents have their chunks and definitions one after the other, and every chunk is of a document: what a
    /// search relies on. A right seal says that the bytes are those that were written, not that they were right.
    fn is_in_order(&self) -> bool {
        let starts = |at: usize, count: u32| {
            let mut starts = (0..self.docs).map(move |doc| self.number(doc_at(doc) + at));
            starts.clone().is_sorted() && starts.next_back().is_none_or(|last| last <= count)
        };
        starts(32, self.chunks)
            && starts(36, self.definitions)
            && (0..self.chunks).all(|chunk| self.doc_and_words(chunk).0 < self.docs)
    }

    /// How many documents it holds.
    pub fn doc_count(&self) -> u32 {
        self.docs
    }

    /// How many chunks it holds.
    pub fn chunk_count(&self) -> u32 {
        self.chunks
    }

    /// Bytes it takes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// A document's content hash.
    pub(crate) fn hash(&self, doc: u32) -> ContentHash {
        let at = doc_at(doc);
        self.bytes.get(at..at + 32).and_then(|b| b.try_into().ok()).unwrap_or_default()
    }

    /// How many lines a document has.
    pub(crate) fn lines(&self, doc: u32) -> u32 {
        self.number(doc_at(doc) + 40)
    }

    /// A document's chunks.
    pub(crate) fn doc_chunks(&self, doc: u32) -> Range<u32> {
        let next = doc.saturating_add(1);
        let end = if next < self.docs { self.number(doc_at(next) + 32) } else { self.chunks };
        self.number(doc_at(doc) + 32)..end.min(self.chunks)
    }

    /// A document's definitions, in the order they stand.
    pub(crate) fn doc_definitions(&self, doc: u32) -> impl Iterator<Item = Definition> + '_ {
        self.definitions_of(doc).map(|d| self.definition(d).1)
    }

    /// Names of what a document mainly consists of that begin on some lines.
    pub(crate) fn names_on(
        &self,
        doc: u32,
        lines: RangeInclusive<u32>,
    ) -> impl Iterator<Item = &str> + '_ {
        let all = self.definitions_of(doc);
        let at = |n: u32| self.definitions_at() + n as usize * DEFINITION;
        let line = move |n: u32| self.number(at(n) + 16);
        let first =
            all.start + first_not(all.len() as u32, |n| line(all.start + n) < *lines.start());
        let here = (first..all.end).take_while(move |n| line(*n) <= *lines.end());
        let is_main = move |n: &u32| kind(self.number(at(*n) + 8)).is_main();
        here.filter(is_main).map(move |n| self.string(self.number(at(n)), self.number(at(n) + 4)))
    }

    fn definitions_of(&self, doc: u32) -> Range<u32> {
        let next = doc.saturating_add(1);
        let end = if next < self.docs { self.number(doc_at(next) + 36) } else { self.definitions };
        self.number(doc_at(doc) + 36)..end.min(self.definitions)
    }

    /// One chunk.
    pub(crate) fn chunk(&self, chunk: u32) -> ChunkSpan {
        let at = self.chunks_at() + chunk as usize * CHUNK;
        let field = |n: usize| self.number(at + 4 * n);
        ChunkSpan { doc: field(0), start_line: field(1), end_line: field(2), words: field(3) }
    }

    /// The document a chunk is in and how many words it has: what a search asks of every chunk it meets.
    pub(crate) fn doc_and_words(&self, chunk: u32) -> (u32, u32) {
        let at = self.chunks_at() + chunk as usize * CHUNK;
        (self.number(at), self.number(at + 12))
    }

    /// One definition and the document it is in.
    pub(crate) fn definition(&self, index: u32) -> (u32, Definition) {
        let at = self.definitions_at() + index as usize * DEFINITION;
        let field = |n: usize| self.number(at + 4 * n);
        let name = self.string(field(0), field(1)).to_owned();
        (
            field(3),
            Definition { name, kind: kind(field(2)), start_line: field(4), end_line: field(5) },
        )
    }

    /// Numbers of all definitions, sorted by lower-cased name.
    pub(crate) fn definitions_named(&self, lower: &str) -> impl Iterator<Item = u32> + '_ {
        let lower = lower.to_owned();
        let start = first_not(self.definitions, |n| {
            self.sorted_name(n).to_lowercase().as_str() < lower.as_str()
        });
        (start..self.definitions)
            .take_while(move |n| self.sorted_name(*n).to_lowercase() == lower)
            .map(|n| self.sorted(n))
    }

    /// How many definitions it holds.
    pub fn definition_count(&self) -> u32 {
        self.definitions
    }

    /// Where a word stands, in the order of chunks.
    pub(crate) fn postings(&self, term: &str) -> Postings<'_> {
        let found = first_not(self.terms, |n| self.term(n) < term.as_bytes());
        if found < self.terms && self.term(found) == term.as_bytes() {
            self.term_postings(found)
        } else {
            Postings::default()
        }
    }

    pub(crate) fn term_count(&self) -> u32 {
        self.terms
    }

    pub(crate) fn term(&self, index: u32) -> &[u8] {
        let at = self.terms_at() + index as usize * TERM;
        self.string_bytes(self.number(at), self.number(at + 4))
    }

    pub(crate) fn term_postings(&self, index: u32) -> Postings<'_> {
        let at = self.terms_at() + index as usize * TERM;
        let start = self.postings_at + self.number(at + 8) as usize;
        let end = start + self.number(at + 12) as usize;
        let bytes = self.bytes.get(start..end).unwrap_or(&[]);
        Postings { bytes, chunk: 0, chunks: self.chunks, written: self.number(at + 16) }
    }

    /// A chunk's vector, all zero where it has no word that the model knows.
    pub(crate) fn vector(&self, chunk: u32) -> Vector {
        let mut numbers = [0_i8; SIZE];
        let parts = self.head(chunk).iter().chain(self.tail(chunk));
        numbers.iter_mut().zip(parts).for_each(|(number, byte)| *number = *byte as i8);
        Vector(numbers)
    }

    /// How alike a chunk's vector and another are, -1 to 1, where `inverse` is one divided by the other's length.
    pub(crate) fn likeness(&self, chunk: u32, other: &Vector, inverse: f32) -> f32 {
        let (head, tail) = other.0.split_at(HEAD);
        let sum = dot(head, self.head(chunk)) + dot(tail, self.tail(chunk));
        sum as f32 * inverse * self.inverse_length(chunk, 0)
    }

    /// Adds a chunk's vector to those that a middle is made of.
    pub(crate) fn add_to(&self, chunk: u32, middle: &mut Middle) {
        let parts = [self.head(chunk), self.tail(chunk)];
        middle.add(parts.into_iter(), self.inverse_length(chunk, 0));
    }

    /// The same for every chunk by the beginnings of both vectors alone, but for the other's length: a quarter of
    /// the bytes to read.
    pub(crate) fn rough_likeness(&self, other: &Vector) -> Vec<f32> {
        let Some(head) = other.0.first_chunk::<HEAD>() else { return Vec::new() };
        let lengths = self.bytes.get(self.vectors_at..self.heads_at()).unwrap_or(&[]);
        let lengths: Vec<f32> = lengths
            .as_chunks::<LENGTHS>()
            .0
            .iter()
            .map(|both| u32_at(both, 4).map_or(0.0, length))
            .collect();
        products(head, self.bytes.get(self.heads_at()..).unwrap_or(&[]), &lengths)
    }

    /// Reads everything there is, and says how much that was.
    pub(crate) fn read_all(&self) -> usize {
        let zero = Vector([0; SIZE]);
        let docs = (0..self.docs).map(|doc| {
            let (chunks, definitions) = (self.doc_chunks(doc), self.doc_definitions(doc));
            let names = self.names_on(doc, 0..=u32::MAX).map(str::len).sum::<usize>();
            names
                + chunks.count()
                + definitions.count()
                + self.hash(doc).len()
                + self.lines(doc) as usize
        });
        let chunks = (0..self.chunks).map(|chunk| {
            let (span, vector) = (self.chunk(chunk), self.vector(chunk));
            let alike = self.likeness(chunk, &zero, 1.0).is_nan();
            span.words as usize + vector.0.len() + usize::from(alike)
        });
        let terms = (0..self.terms).map(|term| {
            self.term(term).len() + self.term_postings(term).count() + self.postings("x").count()
        });
        let named = self.definitions_named("x").count() + self.rough_likeness(&zero).len();
        docs.sum::<usize>() + chunks.sum::<usize>() + terms.sum::<usize>() + named
    }

    fn inverse_length(&self, chunk: u32, which: usize) -> f32 {
        length(self.number(self.vectors_at + chunk as usize * LENGTHS + which * 4))
    }

    fn head(&self, chunk: u32) -> &[u8] {
        let at = self.heads_at() + chunk as usize * HEAD;
        self.bytes.get(at..at + HEAD).unwrap_or(&[])
    }

    fn tail(&self, chunk: u32) -> &[u8] {
        let tails = self.heads_at() + self.chunks as usize * HEAD;
        let at = tails + chunk as usize * TAIL;
        self.bytes.get(at..at + TAIL).unwrap_or(&[])
    }

    fn heads_at(&self) -> usize {
        self.vectors_at + self.chunks as usize * LENGTHS
    }

    fn sorted(&self, n: u32) -> u32 {
        self.number(self.sorted_at() + n as usize * 4)
    }

    fn sorted_name(&self, n: u32) -> &str {
        let at = self.definitions_at() + self.sorted(n) as usize * DEFINITION;
        self.string(self.number(at), self.number(at + 4))
    }

    fn string(&self, at: u32, length: u32) -> &str {
        std::str::from_utf8(self.string_bytes(at, length)).unwrap_or("")
    }

    fn string_bytes(&self, at: u32, length: u32) -> &[u8] {
        let start = self.strings_at + at as usize;
        self.bytes.get(start..start + length as usize).unwrap_or(&[])
    }

    fn number(&self, at: usize) -> u32 {
        u32_at(&self.bytes, at).unwrap_or(0)
    }

    fn chunks_at(&self) -> usize {
        HEADER + self.docs as usize * DOC
    }

    fn definitions_at(&self) -> usize {
        self.chunks_at() + self.chunks as usize * CHUNK
    }

    fn sorted_at(&self) -> usize {
        self.definitions_at() + self.definitions as usize * DEFINITION
    }

    fn terms_at(&self) -> usize {
        self.sorted_at() + self.definitions as usize * 4
    }
}

/// Bytes of the tables of so many documents, chunks, definitions and terms.
fn tables([docs, chunks, definitions, terms]: [u32; 4]) -> usize {
    docs as usize * DOC
        + chunks as usize * CHUNK
        + definitions as usize * (DEFINITION + 4)
        + terms as usize * TERM
}

/// Bytes of the vectors of so many chunks.
fn vectors(chunks: u32) -> usize {
    chunks as usize * (LENGTHS + SIZE)
}

/// Takes any bytes for a segment of a few documents, chunks, definitions and terms, whatever fits: what a file with a
/// right seal could hold. `None` where they are not in order.
pub(crate) fn any_segment(bytes: &[u8]) -> Option<Segment> {
    let (shape, body) = bytes.split_first_chunk::<6>()?;
    let counts @ [docs, chunks, definitions, terms, ..] = shape.map(|n| u32::from(n % 8));
    let lists = counts[4] as usize + counts[5] as usize;
    let mut file = MAGIC.to_vec();
    push_all(&mut file, &[FORMAT, model_id()]);
    push_all(&mut file, &counts);
    file.extend_from_slice(body);
    file.resize(HEADER + tables([docs, chunks, definitions, terms]) + lists + vectors(chunks), 0);
    // Numbers that are too large for the tables they point into are made small, or nothing would ever be in order.
    let (docs_at, chunks_at) = (HEADER, HEADER + docs as usize * DOC);
    let mut bound = |at: usize, most: u32| {
        if let Some(number) = u32_at(&file, at) {
            file[at..at + 4].copy_from_slice(&(number % (most + 1)).to_le_bytes());
        }
    };
    for doc in 0..docs as usize {
        bound(docs_at + doc * DOC + 32, chunks);
        bound(docs_at + doc * DOC + 36, definitions);
    }
    for chunk in 0..chunks as usize {
        bound(chunks_at + chunk * CHUNK, docs);
    }
    Segment::from_body(Body::Owned(file))
}

/// The first of `count` numbers for which `less` does not hold.
fn first_not(count: u32, less: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if less(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// One divided by a vector's length, which is at most 1: a vector has whole numbers.
fn length(bits: u32) -> f32 {
    let length = f32::from_bits(bits);
    if (0.0..=1.0).contains(&length) { length } else { 0.0 }
}

fn kind(number: u32) -> DefinitionKind {
    DefinitionKind::ALL.get(number as usize).copied().unwrap_or(DefinitionKind::Section)
}

fn doc_at(doc: u32) -> usize {
    HEADER + doc as usize * DOC
}

/// Reads postings one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings<'a> {
    bytes: &'a [u8],
    chunk: u32,
    /// How many chunks there are.
    chunks: u32,
    /// How many postings there are, by whoever wrote them.
    pub(crate) written: u32,
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        self.chunk = self.chunk.wrapping_add(take_varint(&mut self.bytes)?);
        let counts = take_varint(&mut self.bytes)?;
        let named = if counts & 1 == 1 { take_varint(&mut self.bytes)? } else { 0 };
        let posting = Posting { chunk: self.chunk, count: counts >> 1, named };
        (self.chunk < self.chunks).then_some(posting)
    }
}

/// What marks the vectors of the model in this program.
pub(super) fn model_id() -> u32 {
    Model::embedded().map_or(0, Model::id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::analyse;
    use crate::index::writing::SegmentBuilder;
    use crate::language::Language;

    fn segment(texts: &[&str]) -> Segment {
        let mut builder = SegmentBuilder::default();
        for text in texts {
            let hash = *blake3::hash(text.as_bytes()).as_bytes();
            builder.add(hash, analyse(Some(Language::Rust), text), text);
        }
        Segment::from_body(Body::Owned(builder.finish().0)).unwrap()
    }

    #[test]
    fn what_went_in_comes_out() {
        let segment =
            segment(&["fn parse_header() {}\nfn other() { parse_header() }\n", "struct Header;\n"]);
        assert_eq!((segment.doc_count(), segment.chunk_count()), (2, 2));
        let postings: Vec<Posting> = segment.postings("head").collect();
        assert_eq!(
            postings,
            [Posting { chunk: 0, count: 2, named: 1 }, Posting { chunk: 1, count: 1, named: 1 }]
        );
        assert_eq!(segment.postings("nothing").count(), 0);
        let named: Vec<Definition> =
            segment.definitions_named("header").map(|d| segment.definition(d).1).collect();
        assert_eq!(named.len(), 1);
        assert_eq!(
            segment.doc_definitions(0).map(|d| d.name).collect::<Vec<_>>(),
            ["parse_header", "other"]
        );
        assert_eq!((segment.lines(0), segment.lines(1)), (2, 1));
    }
}
