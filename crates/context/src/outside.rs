//! One function for each reader of bytes that others may have written, for the fuzz targets of this crate: it reads
//! all there is and panics only where a promise is broken. No part of the crate's interface.

use crate::index;
use crate::language::Language;
use crate::memory;
use crate::search::{Filter, Question, Weights, search};

/// Any bytes as the tables of an index segment whose seal was right, and as sealed files. What can be read is searched for
/// a word that it has and for one that it may not have.
pub fn index_file(bytes: &[u8]) {
    for view in index::read_any(bytes) {
        let word = view.segments.first().and_then(|s| std::str::from_utf8(s.term(0)).ok());
        for asked in [word.unwrap_or("x"), "how does parse header work"] {
            let question = Question::parse(asked);
            let (hits, _) = search(&view, &question, &Filter::default(), &Weights::default(), 10);
            assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "a score is a share");
        }
    }
}

/// Any text as a discovery file, a decision record and the output of `git log`.
pub fn memory_file(text: &str) {
    memory::read_any(text);
}

/// Any text as a source file of the language that `name` says: its chunks cover every line once, in order.
pub fn source_file(name: &str, text: &str) {
    let (chunks, definitions) = crate::syntax::chunks(Language::of(name), text);
    let mut next = 1;
    for chunk in &chunks {
        assert_eq!(chunk.start_line, next, "chunks follow each other");
        assert!(chunk.end_line >= chunk.start_line, "a chunk has a line");
        next = chunk.end_line + 1;
    }
    let lines = crate::text::count_lines(text);
    assert_eq!(u64::from(next) - 1, lines, "chunks end where the text does");
    let in_text = |line: u32| line >= 1 && u64::from(line) <= lines;
    assert!(definitions.iter().all(|d| d.start_line <= d.end_line && in_text(d.end_line)));
}

/// Where a source file's chunks and definitions differ from those of a tree of all of it: one line for each, `-` for those
/// of the whole tree. The insides of functions are not parsed for the index, so code that the grammar does not understand
/// may differ.
pub fn outline_differences(name: &str, text: &str) -> Vec<String> {
    let language = Language::of(name);
    let shown =
        |(chunks, definitions): (Vec<crate::syntax::Chunk>, Vec<crate::syntax::Definition>)| {
            let chunks = chunks.iter().map(|c| format!("chunk {}-{}", c.start_line, c.end_line));
            let definitions = definitions
                .iter()
                .map(|d| format!("{} {} {}-{}", d.kind.name(), d.name, d.start_line, d.end_line));
            chunks.chain(definitions).collect::<Vec<_>>()
        };
    let whole = shown(crate::syntax::chunks_of_whole(language, text));
    let outline = shown(crate::syntax::chunks(language, text));
    let lost = whole.iter().filter(|line| !outline.contains(line)).map(|line| format!("- {line}"));
    let added = outline.iter().filter(|line| !whole.contains(line)).map(|line| format!("+ {line}"));
    lost.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_an_index_or_none(bytes in prop::collection::vec(any::<u8>(), 0..900), small in prop::collection::vec(0_u8..9, 6..900)) {
            index_file(&bytes);
            index_file(&small);
        }
    }
}
