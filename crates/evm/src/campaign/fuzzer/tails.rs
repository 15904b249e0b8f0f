//! Where a sequence goes on: tails of new transactions, heads from the corpus, changed or joined.

use super::{Fuzzer, TAILS};
use crate::campaign::corpus::Entry;
use crate::input::{Sequence, Transaction, mutate_transaction};
use crate::vm::Mark;

impl Fuzzer {
    /// Random transactions from here.
    pub(super) fn tail(&mut self, length: usize, calls_end: u64) {
        let mut repairable = false;
        // What fulfils conditions opens doors, and undoes what took many calls: some tails do it often,
        // others rarely.
        let one_in = if self.rng.bool() { 2 } else { 8 };
        let room = self.config.sequence_length.saturating_sub(self.trail.len());
        for _ in 0..length.min(room) {
            if self.calls >= calls_end || self.stopped() {
                break;
            }
            let transaction = self.next_transaction(repairable);
            repairable = self.rng.u8(0..one_in) == 0;
            self.step(transaction, repairable);
            self.keep_if_fresh();
        }
    }

    /// The whole sequence or a part of it, and then several tails.
    pub(super) fn extend(&mut self, entry: &Entry, calls_end: u64) {
        let length = entry.sequence.len();
        let kept = if self.rng.bool() { length } else { self.rng.usize(..=length) };
        let mut head = entry.sequence[..kept].to_vec();
        if self.rng.u8(0..4) == 0 {
            self.disturb(&mut head);
        }
        if !self.replay(&head, calls_end) {
            return;
        }
        let mark = self.machine.mark();
        let depth = self.trail.len();
        let room = self.config.sequence_length.saturating_sub(depth).max(1);
        for _ in 0..TAILS {
            // What a state makes possible mostly shows within a few calls.
            let length = match self.rng.u8(0..8) {
                0 => room,
                1 => self.rng.usize(1..=room),
                _ => self.rng.usize(1..=8).min(room),
            };
            self.tail(length, calls_end);
            if self.calls >= calls_end || self.stopped() || !self.back_to(&mark, depth) {
                return;
            }
        }
    }

    /// Two sequences of the corpus joined or interleaved.
    pub(super) fn splice(&mut self, entry: &Entry, calls_end: u64) {
        let other = self.choose_entry();
        if self.holds_alone(&other.sequence) {
            return self.extend(entry, calls_end);
        }
        let (a, b) = (&entry.sequence, &other.sequence);
        let joined: Sequence = if self.rng.bool() {
            let cut = (self.rng.usize(..=a.len()), self.rng.usize(..=b.len()));
            a[..cut.0].iter().chain(&b[cut.1..]).cloned().collect()
        } else {
            let mut rest = (a.iter(), b.iter());
            let mut mixed = Vec::with_capacity(a.len() + b.len());
            loop {
                let next = if self.rng.bool() { rest.0.next() } else { rest.1.next() };
                match next {
                    Some(transaction) => mixed.push(transaction.clone()),
                    None => break mixed.extend(rest.0.chain(rest.1).cloned()),
                }
            }
            mixed
        };
        for transaction in joined.into_iter().take(self.config.sequence_length) {
            if self.calls >= calls_end || self.stopped() {
                return;
            }
            self.step(transaction, false);
            self.keep_if_fresh();
        }
        let length = self.rng.usize(0..4);
        self.tail(length, calls_end);
    }

    /// Swaps, deletes, repeats or changes transactions of a head.
    fn disturb(&mut self, head: &mut Sequence) {
        if head.is_empty() {
            return;
        }
        let index = self.rng.usize(..head.len());
        match self.rng.u8(0..4) {
            0 => {
                let other = self.rng.usize(..head.len());
                head.swap(index, other);
            }
            1 => {
                head.remove(index);
            }
            2 if head.len() < self.config.sequence_length => {
                head.insert(index, head[index].clone());
            }
            _ => self.mutate(&mut head[index]),
        }
    }

    pub(super) fn mutate(&mut self, transaction: &mut Transaction) {
        let functions = &self.target.functions;
        mutate_transaction(
            &mut self.rng,
            &self.generator,
            &self.dictionary,
            functions,
            transaction,
        );
    }

    fn next_transaction(&mut self, repairable: bool) -> Transaction {
        let digress = self.may_digress();
        if repairable && let Some(last) = self.trail.last() {
            let mut variant = last.clone();
            if self.is_allowed(&variant, digress) && self.repair(&mut variant) {
                return variant;
            }
        }
        if !self.corpus.is_empty() && self.rng.u8(0..8) == 0 {
            let entry = self.choose_entry();
            let chosen = if self.rng.bool() {
                entry.sequence.last()
            } else {
                self.rng.choice(&entry.sequence)
            };
            if let Some(chosen) = chosen {
                let mut transaction = chosen.clone();
                if self.is_allowed(&transaction, digress) {
                    if self.rng.bool() {
                        self.mutate(&mut transaction);
                    }
                    return transaction;
                }
            }
        }
        self.fresh_transaction(digress)
    }

    /// A transaction out of nothing; one that calls what the sequence has created, if anything.
    fn fresh_transaction(&mut self, digress: bool) -> Transaction {
        let functions = &self.target.functions;
        let mut fresh = self.generator.transaction(&mut self.rng, &self.dictionary, functions);
        let others = self.generator.active();
        if let Some((function, to)) = self.offspring.choose(&mut self.rng, &self.target, others) {
            let call = self.generator.call(&mut self.rng, &self.dictionary, functions, function);
            let call = Transaction { to: Some(to), ..call };
            if self.is_allowed(&call, digress) {
                fresh = call;
            }
        }
        fresh
    }

    fn is_allowed(&self, transaction: &Transaction, digress: bool) -> bool {
        let preferred = |f| self.generator.priorities().contains(&f);
        !self.is_alone(transaction) && (digress || transaction.function().is_some_and(preferred))
    }

    /// Runs a head without asking tests; whether to go on from there.
    pub(super) fn replay(&mut self, head: &[Transaction], calls_end: u64) -> bool {
        for transaction in head {
            if self.calls >= calls_end || self.stopped() {
                return false;
            }
            self.execute(transaction.clone());
        }
        self.unasked = true;
        true
    }

    pub(super) fn back_to(&mut self, mark: &Mark, depth: usize) -> bool {
        if self.machine.must_reset() {
            return false;
        }
        self.machine.rewind(mark);
        self.trail.truncate(depth);
        self.trail_gas.truncate(depth);
        self.idle.truncate(depth);
        self.offspring.truncate(depth);
        self.unasked = true;
        true
    }
}
