//! Foundry's tests of one call: each is called once, in the state that `setUp()` left, at that time, and what it
//! does is seen by no other test. Invariants of the same contract are about sequences without them.

use super::Fuzzer;
use crate::campaign::corpus::Entry;
use crate::input::{Sequence, Transaction};
use crate::target::Callable;
use std::sync::Arc;

/// How often the corpus is asked for such a call before one is made up.
const ATTEMPTS: usize = 3;

impl Fuzzer {
    /// Whether the next episode is one such call: by the share of such tests among those that are open.
    pub(super) fn goes_alone(&mut self) -> bool {
        if self.generator.alone().is_empty() {
            return false;
        }
        let (alone, all) = match self.generator.priorities() {
            [] => {
                let open = || self.tests.iter().filter(|state| state.open);
                (open().filter(|state| state.test.kind.stands_alone()).count(), open().count())
            }
            preferred => {
                let alone = preferred.iter().filter(|f| self.generator.alone().contains(f));
                (alone.count(), preferred.len())
            }
        };
        self.rng.usize(..all.max(1)) < alone
    }

    /// One call, or one of the corpus in many variants.
    pub(super) fn alone(&mut self, calls_end: u64) {
        if self.rng.bool()
            && let Some(entry) = self.choose_alone()
        {
            return self.vary_last(&entry, calls_end);
        }
        let functions = &self.target.functions;
        let Some(function) = self.generator.choose_alone(&mut self.rng) else { return };
        let call = self.generator.call(&mut self.rng, &self.dictionary, functions, function);
        self.step(call, false);
        self.keep_if_fresh();
    }

    fn choose_alone(&mut self) -> Option<Arc<Entry>> {
        if self.corpus.is_empty() {
            return None;
        }
        for _ in 0..ATTEMPTS {
            let entry = self.choose_entry();
            if self.holds_alone(&entry.sequence) {
                return Some(entry);
            }
        }
        None
    }

    /// Whether a sequence has such a call in it.
    pub(super) fn holds_alone(&self, sequence: &Sequence) -> bool {
        !self.generator.alone().is_empty() && holds_alone(sequence, &self.target.functions)
    }

    /// Whether a transaction is such a call.
    pub(super) fn is_alone(&self, transaction: &Transaction) -> bool {
        transaction.function().is_some_and(|function| self.target.functions[function].alone)
    }
}

/// Whether a sequence has a call in it that stands alone.
pub(crate) fn holds_alone(sequence: &[Transaction], functions: &[Callable]) -> bool {
    let mut called = sequence.iter().filter_map(Transaction::function);
    called.any(|function| functions[function].alone)
}
