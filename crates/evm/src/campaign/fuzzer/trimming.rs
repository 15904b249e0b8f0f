//! A sequence that reached something new, cut down to the transactions that it took.
//!
//! Most sequences are found at the end of a long random walk, and most of the walk did not matter. What
//! is replayed again and again should be short, so a find is trimmed once, before anything is built on it.

use super::Fuzzer;
use crate::campaign::corpus::Entry;
use crate::input::{Sequence, Transaction};
use std::sync::Arc;

impl Fuzzer {
    /// Trims an entry of the corpus the first time it is looked at. What that may cost is bounded: by
    /// what replaying the whole sequence a few times would, and, where a large corpus is read in, by half
    /// of all calls.
    pub(super) fn trim(&mut self, index: usize, calls_end: u64) -> Arc<Entry> {
        let entry = self.corpus[index].clone();
        let too_much = self.trimming_calls > self.calls / 2;
        if entry.sequence.len() < 2 || entry.edges.is_empty() || too_much {
            return entry;
        }
        let before = self.calls;
        let calls_end = calls_end.min(self.calls + 3 * entry.sequence.len() as u64);
        let short = self.shortest_end(&entry, calls_end);
        let short = self.without_stretches(short, &entry.edges, calls_end);
        self.trimming_calls += self.calls - before;
        if short.len() == entry.sequence.len() {
            return entry;
        }
        let trimmed = Arc::new(Entry { sequence: short, gas: Vec::new(), ..Entry::clone(&entry) });
        self.corpus[index] = trimmed.clone();
        trimmed
    }

    /// The last transactions that reach the same by themselves, of lengths that double.
    fn shortest_end(&mut self, entry: &Entry, calls_end: u64) -> Sequence {
        let whole = &entry.sequence;
        let mut length = 1;
        while length < whole.len() {
            let end = &whole[whole.len() - length..];
            if self.reaches(end, &entry.edges, calls_end) {
                return end.to_vec();
            }
            length *= 2;
        }
        whole.clone()
    }

    /// Leaves out stretches of transactions, long ones first; the last transaction stays.
    fn without_stretches(
        &mut self,
        mut sequence: Sequence,
        edges: &[u16],
        calls_end: u64,
    ) -> Sequence {
        let mut size = sequence.len() / 2;
        while size > 0 {
            let mut end = sequence.len() - 1;
            while end >= size {
                if self.calls >= calls_end {
                    return sequence;
                }
                let mut shorter = sequence.clone();
                shorter.drain(end - size..end);
                if self.reaches(&shorter, edges, calls_end) {
                    sequence = shorter;
                }
                end -= size;
            }
            size /= 2;
        }
        sequence
    }

    /// Whether a sequence takes all these edges.
    fn reaches(&mut self, sequence: &[Transaction], edges: &[u16], calls_end: u64) -> bool {
        if self.calls + sequence.len() as u64 > calls_end || self.stopped() {
            return false;
        }
        let Some((last, head)) = sequence.split_last() else { return false };
        let before: Vec<u32> = self.counts_of(edges).collect();
        self.begin();
        if !self.replay(head, calls_end) {
            return false;
        }
        self.step(last.clone(), false);
        self.keep_if_fresh();
        self.counts_of(edges).zip(before).all(|(now, before)| now > before)
    }

    fn counts_of<'a>(&'a self, edges: &'a [u16]) -> impl Iterator<Item = u32> + 'a {
        edges.iter().map(|edge| self.machine.probe().edges[*edge as usize])
    }
}
