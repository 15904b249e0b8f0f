//! Sequences worth keeping. Append-only: an index once given never changes its meaning.

use crate::input::{Sequence, Transaction};
use revm::primitives::{Address, U256};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where a sequence comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A worker found it.
    Found {
        /// Which one.
        worker: usize,
    },
    /// It was read from disk.
    Disk,
    /// Somebody put it in.
    Injected,
}

/// A sequence that reached something new, or was put in by hand.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The transactions.
    pub sequence: Sequence,
    /// Gas used by each transaction, where known.
    pub gas: Vec<u64>,
    /// Edges that this sequence was the first to take.
    pub edges: Vec<u16>,
    /// Blocks that this sequence was the first to enter, by counter index.
    pub blocks: Vec<u32>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Entry {
    /// A sequence that is worth going on from, whatever it reached.
    pub(crate) fn bare(sequence: Sequence, worker: usize) -> Self {
        let origin = Origin::Found { worker };
        Self { sequence, gas: Vec::new(), edges: Vec::new(), blocks: Vec::new(), origin }
    }
}

/// One transaction of the corpus with its index.
#[derive(Clone, Debug)]
pub struct CorpusTransaction {
    /// Stable index over all transactions.
    pub index: usize,
    /// The entry it belongs to.
    pub entry: Arc<Entry>,
    /// Its place in the entry.
    pub position: usize,
}

impl CorpusTransaction {
    /// The transaction itself.
    pub fn transaction(&self) -> &Transaction {
        &self.entry.sequence[self.position]
    }

    /// Gas it used, where known: only if every transaction of the sequence was kept.
    pub fn gas(&self) -> Option<u64> {
        let gas = &self.entry.gas;
        if gas.len() == self.entry.sequence.len() { gas.get(self.position).copied() } else { None }
    }
}

/// All sequences in the order they were added.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    entries: Vec<Arc<Entry>>,
    /// Index of the first transaction of each entry.
    starts: Vec<usize>,
    size: usize,
    by_function: FxHashMap<usize, Vec<usize>>,
    by_sender: FxHashMap<Address, Vec<usize>>,
}

impl Corpus {
    /// Adds a sequence.
    pub(crate) fn push(&mut self, entry: Arc<Entry>) {
        self.starts.push(self.size);
        for transaction in &entry.sequence {
            if let Some(function) = transaction.function() {
                self.by_function.entry(function).or_default().push(self.size);
            }
            self.by_sender.entry(transaction.sender).or_default().push(self.size);
            self.size += 1;
        }
        self.entries.push(entry);
    }

    /// Sequences in order.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// The number of transactions.
    pub fn transactions(&self) -> usize {
        self.size
    }

    /// The transaction with an index.
    pub fn transaction(&self, index: usize) -> Option<CorpusTransaction> {
        if index >= self.size {
            return None;
        }
        let entry = self.starts.partition_point(|start| *start <= index) - 1;
        let position = index - self.starts[entry];
        Some(CorpusTransaction { index, entry: self.entries[entry].clone(), position })
    }

    /// Indices of transactions that match all given criteria, in order.
    pub fn find(
        &self,
        functions: Option<&[usize]>,
        sender: Option<Address>,
        min_value: Option<U256>,
    ) -> Vec<usize> {
        let mut indices: Vec<usize> = match (functions, sender) {
            (Some(functions), _) => functions
                .iter()
                .flat_map(|f| self.by_function.get(f).into_iter().flatten().copied())
                .collect(),
            (None, Some(sender)) => self.by_sender.get(&sender).cloned().unwrap_or_default(),
            (None, None) => (0..self.size).collect(),
        };
        indices.sort_unstable();
        indices.dedup();
        indices.retain(|index| {
            self.transaction(*index).is_some_and(|t| {
                let t = t.transaction();
                sender.is_none_or(|s| s == t.sender) && min_value.is_none_or(|v| t.value >= v)
            })
        });
        indices
    }
}
