//! Several segments made into one, without the documents nobody needs any more.

use rustc_hash::FxHashSet;

use super::analysis::ContentHash;
use super::segment::{ChunkSpan, Posting, Segment};
use super::writing::{Tables, Terms};

/// Merges segments, keeping each content once and only where `keep` says so.
pub(crate) fn merge(segments: &[&Segment], keep: impl Fn(&ContentHash) -> bool) -> Vec<u8> {
    let mut tables = Tables::default();
    let mut seen = FxHashSet::default();
    let mut chunk_numbers: Vec<Vec<u32>> = Vec::with_capacity(segments.len());
    for segment in segments {
        chunk_numbers
            .push(copy_docs(segment, &mut tables, |hash| keep(hash) && seen.insert(*hash)));
    }
    let terms = merged_terms(segments, &chunk_numbers);
    tables.into_bytes(terms)
}

/// Stands for a chunk that was not kept.
const DROPPED: u32 = u32::MAX;

fn copy_docs(
    segment: &Segment,
    tables: &mut Tables,
    mut keep: impl FnMut(&ContentHash) -> bool,
) -> Vec<u32> {
    let mut numbers = vec![DROPPED; segment.chunk_count() as usize];
    for doc in 0..segment.doc_count() {
        let hash = segment.hash(doc);
        if !keep(&hash) {
            continue;
        }
        let new_doc = tables.docs.len() as u32;
        tables.docs.push((hash, segment.lines(doc)));
        for chunk in segment.doc_chunks(doc) {
            if let Some(number) = numbers.get_mut(chunk as usize) {
                *number = tables.chunks.len() as u32;
            }
            tables.chunks.push(ChunkSpan { doc: new_doc, ..segment.chunk(chunk) });
            tables.vectors.push(Some(&segment.vector(chunk)));
        }
        tables.definitions.extend(segment.doc_definitions(doc).map(|d| (new_doc, d)));
    }
    numbers
}

/// Walks all term tables side by side in their sorted order.
fn merged_terms(segments: &[&Segment], numbers: &[Vec<u32>]) -> Terms {
    let mut at = vec![0_u32; segments.len()];
    let mut terms = Terms::default();
    loop {
        let heads =
            segments.iter().zip(&at).filter(|(s, n)| **n < s.term_count()).map(|(s, n)| s.term(*n));
        let Some(term) = heads.min() else { return terms };
        let having: Vec<usize> = (0..segments.len())
            .filter(|s| at[*s] < segments[*s].term_count() && segments[*s].term(at[*s]) == term)
            .collect();
        let postings = having.iter().flat_map(|s| {
            segments[*s].term_postings(at[*s]).filter_map(|p| renumbered(p, &numbers[*s]))
        });
        terms.push(term, postings);
        for segment in having {
            at[segment] += 1;
        }
    }
}

fn renumbered(posting: Posting, numbers: &[u32]) -> Option<Posting> {
    let chunk = *numbers.get(posting.chunk as usize)?;
    (chunk != DROPPED).then_some(Posting { chunk, ..posting })
}
