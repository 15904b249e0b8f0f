//! One file's text as the index sees it.

use crate::language::Language;
use crate::syntax::{self, Chunk, Definition};

/// A content's name: the hash of its bytes and of the language they are read in, because the same bytes are cut
/// differently as C and as C++.
pub type ContentHash = [u8; 32];

/// Names a content.
pub fn content_hash(language: Option<Language>, bytes: &[u8]) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(bytes);
    hasher.update(&[language.map_or(u8::MAX, |language| language as u8)]);
    *hasher.finalize().as_bytes()
}

/// What is kept of a content.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Its chunks, in order.
    pub chunks: Vec<Chunk>,
    /// Its definitions, in order.
    pub definitions: Vec<Definition>,
    /// How many lines it has.
    pub lines: u32,
}

/// Cuts a text into chunks and finds its definitions.
pub fn analyse(language: Option<Language>, text: &str) -> Analysis {
    let (chunks, definitions) = syntax::chunks(language, text);
    let lines = chunks.last().map_or(0, |chunk| chunk.end_line);
    Analysis { chunks, definitions, lines }
}

impl Analysis {
    /// Each chunk with its text and the definitions that begin in it.
    pub(crate) fn parts<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = (&'a Chunk, &'a str, &'a [Definition])> {
        let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let (mut at, mut defined) = (0, self.definitions.as_slice());
        self.chunks.iter().map(move |chunk| {
            let count = (chunk.end_line - chunk.start_line) as usize;
            let end = ends.nth(count).map_or(text.len(), |end| end + 1);
            let part = &text[at..end];
            at = end;
            let begin_here = defined.partition_point(|d| d.start_line <= chunk.end_line);
            let (here, after) = defined.split_at(begin_here);
            defined = after;
            (chunk, part, here)
        })
    }
}
