//! Counterexamples made small: fewer transactions, then simpler ones, then smaller values.
//!
//! A pure function of the sequence it is given: no chance is involved, so the same failure always
//! shrinks to the same counterexample.

use super::fuzzer::push_folding;
use super::offspring::Offspring;
use crate::abi::{AbiType, Value};
use crate::checks::{Test, Verdict, ask, judge};
use crate::config::Config;
use crate::input::{Action, Sequence, Transaction};
use crate::target::Target;
use crate::vm::{Machine, Mark, Outcome};
use revm::primitives::{I256, U256};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Transactions of the same function that one is merged with.
const NEAREST: usize = 3;
/// Numbers that are tried one by one: where only a remainder matters, halving misses them.
const SMALL: u64 = 10;

/// Shrinks failures of one target.
pub struct Shrinker {
    target: Arc<Target>,
    config: Arc<Config>,
    machine: Machine,
    base: Mark,
    test: Arc<Test>,
    /// For optimisations: the value that must not be lost.
    goal: Option<I256>,
    attempts: u64,
    stop: Arc<AtomicBool>,
}

impl std::fmt::Debug for Shrinker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shrinker").field("test", &self.test.name).finish_non_exhaustive()
    }
}

impl Shrinker {
    /// A shrinker for one test.
    pub fn new(
        target: Arc<Target>,
        config: Arc<Config>,
        test: Arc<Test>,
        goal: Option<I256>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let mut machine = target.machine();
        let base = machine.mark();
        Self { target, config, machine, base, test, goal, attempts: 0, stop }
    }

    /// The smallest sequence found within the limit that still shows the failure.
    pub fn shrink(&mut self, sequence: &[Transaction]) -> Sequence {
        let mut best = sequence.to_vec();
        if let Some(ran) = self.reproduces(&best) {
            best = ran;
        }
        self.try_last_alone(&mut best);
        loop {
            let before = best.clone();
            self.remove_transactions(&mut best);
            self.merge_transactions(&mut best);
            self.simplify_transactions(&mut best);
            self.shrink_arguments(&mut best);
            if best == before || self.is_spent() {
                return best;
            }
        }
    }

    /// Sequences tried so far.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    fn is_spent(&self) -> bool {
        self.attempts >= self.config.shrink_limit || self.stop.load(Ordering::Relaxed)
    }

    /// What several calls piled up, one call with the largest number may do at once.
    fn try_last_alone(&mut self, best: &mut Sequence) {
        let Some(Action::Call { function, arguments }) = best.last().map(|t| t.action.clone())
        else {
            return;
        };
        let types = self.target.functions[function].function.inputs.clone();
        for index in 0..arguments.len() {
            if best.len() < 2 {
                return;
            }
            let largest = match types.get(index) {
                Some(kind @ AbiType::Uint(_)) => kind.clamp(U256::MAX),
                Some(kind @ AbiType::Int(bits)) => {
                    kind.clamp(U256::MAX >> (257 - usize::from(*bits)))
                }
                _ => continue,
            };
            let mut alone = best[best.len() - 1].clone();
            if let Some(place) = at_path_mut(&mut alone, &[index]) {
                *place = Value::Word(largest);
            }
            self.accept(best, vec![alone]);
        }
    }

    /// Removes ever smaller stretches of transactions.
    fn remove_transactions(&mut self, best: &mut Sequence) {
        let mut size = best.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < best.len() && !self.is_spent() {
                let end = (at + size).min(best.len());
                if self.accept(best, self.without(best, at, end, true))
                    || self.accept(best, self.without(best, at, end, false))
                {
                    continue;
                }
                // Short ones are tried everywhere: two calls may undo each other wherever they stand.
                at += if size <= 3 { 1 } else { size };
            }
            size = if size == 3 { 2 } else { size / 2 };
        }
    }

    /// What two calls of a function did in two portions, one may do with the sum.
    fn merge_transactions(&mut self, best: &mut Sequence) {
        let mut at = 0;
        while at < best.len() && !self.is_spent() {
            if !self.merge_with_next(best, at) {
                at += 1;
            }
        }
    }

    /// Merges a transaction with one of the next few of the same function, in the place of either.
    fn merge_with_next(&mut self, best: &mut Sequence, at: usize) -> bool {
        let function = best[at].function();
        let same = |i: &usize| best[*i].function() == function;
        let later: Vec<_> = (at + 1..best.len()).filter(same).take(NEAREST).collect();
        later.into_iter().any(|later| self.merge(best, at, later))
    }

    fn merge(&mut self, best: &mut Sequence, at: usize, later: usize) -> bool {
        let Some(sum) = self.sum(&best[at], &best[later]) else { return false };
        [(at, later), (later, at)].into_iter().any(|(kept, dropped)| {
            let mut merged = best.clone();
            merged[kept] = Transaction {
                time_delay: best[kept].time_delay,
                block_delay: best[kept].block_delay,
                sender: best[kept].sender,
                ..sum.clone()
            };
            let merged = self.without(&merged, dropped, dropped + 1, true);
            self.accept(best, merged)
        })
    }

    /// One call with the sums of the numbers of two; what is not a number is the second's.
    fn sum(&self, first: &Transaction, second: &Transaction) -> Option<Transaction> {
        let mut sum = second.clone();
        let value = first.value.checked_add(second.value)?;
        sum.value = value.min(self.config.max_value);
        let (Action::Call { arguments: ours, .. }, Action::Call { arguments, function }) =
            (&first.action, &mut sum.action)
        else {
            return None;
        };
        let types = &self.target.functions.get(*function)?.function.inputs;
        for ((kind, our), place) in types.iter().zip(ours).zip(arguments) {
            if let (AbiType::Uint(_), Value::Word(a), Value::Word(b)) = (kind, our, &*place) {
                let word = a.checked_add(*b)?;
                *place = Value::Word(Some(word).filter(|word| kind.clamp(*word) == *word)?);
            }
        }
        Some(sum)
    }

    /// The sequence without a stretch; its waiting time is kept or dropped with it.
    fn without(
        &self,
        sequence: &[Transaction],
        from: usize,
        to: usize,
        keep_time: bool,
    ) -> Sequence {
        let mut kept = Vec::new();
        let mut delays = (0, 0);
        let max = (self.config.max_time_delay, self.config.max_block_delay);
        for (index, transaction) in sequence.iter().enumerate() {
            let mut transaction = transaction.clone();
            if (from..to).contains(&index) {
                if !keep_time {
                    continue;
                }
                transaction.action = Action::Wait;
                transaction.value = U256::ZERO;
            }
            push_folding(&mut kept, transaction, &mut delays, max);
        }
        kept
    }

    /// No waiting, no ether, the first sender.
    fn simplify_transactions(&mut self, best: &mut Sequence) {
        let first = self.target.senders.first().copied().unwrap_or_default();
        let changes: [fn(&mut Transaction); 5] = [
            |t| (t.time_delay, t.block_delay) = (0, 0),
            |t| t.time_delay = 0,
            |t| t.block_delay = 0,
            |t| t.gas_price = 0,
            |t| t.value = U256::ZERO,
        ];
        for index in 0..best.len() {
            for change in changes {
                self.try_change(best, index, change);
            }
            self.try_change(best, index, |t| t.sender = first);
            self.shrink_number(
                best,
                index,
                |t| U256::from(t.time_delay),
                |t, v| {
                    t.time_delay = v.saturating_to();
                },
            );
            self.shrink_number(
                best,
                index,
                |t| U256::from(t.block_delay),
                |t, v| {
                    t.block_delay = v.saturating_to();
                },
            );
            self.shrink_number(best, index, |t| t.value, |t, v| t.value = v);
        }
    }

    fn shrink_arguments(&mut self, best: &mut Sequence) {
        for index in 0..best.len() {
            let action = best.get(index).map(|transaction| &transaction.action);
            let Some(Action::Call { function, .. }) = action else { continue };
            let Some(callable) = self.target.functions.get(*function) else { continue };
            let types = callable.function.inputs.clone();
            for (argument, kind) in types.iter().enumerate() {
                self.shrink_value(best, index, kind, &mut vec![argument]);
            }
        }
    }

    /// Shrinks the value at a path of indices into the arguments.
    fn shrink_value(
        &mut self,
        best: &mut Sequence,
        index: usize,
        kind: &AbiType,
        path: &mut Vec<usize>,
    ) {
        if self.is_spent() {
            return;
        }
        let zero = kind.zero();
        if at_path(best.get(index), path) == Some(&zero) || self.try_value(best, index, path, zero)
        {
            return;
        }
        match kind {
            AbiType::Address => {
                let dead = Value::Word(U256::from(0xdead_beefu32));
                self.try_value(best, index, path, dead);
            }
            AbiType::Uint(_) => self.shrink_word(best, index, path, |w| w, |w| w),
            AbiType::Int(_) => {
                let negative = word_at(best.get(index), path).is_some_and(|w| w.bit(255));
                if negative {
                    let flip = |w: U256| U256::ZERO.wrapping_sub(w);
                    // A positive number of the same size is simpler.
                    let positive = word_at(best.get(index), path).map(|w| kind.clamp(flip(w)));
                    if let Some(word) = positive.filter(|w| !w.bit(255))
                        && self.try_value(best, index, path, Value::Word(word))
                    {
                        self.shrink_word(best, index, path, |w| w, |w| w);
                    } else {
                        self.shrink_word(best, index, path, flip, flip);
                    }
                } else {
                    self.shrink_word(best, index, path, |w| w, |w| w);
                }
            }
            AbiType::Bytes | AbiType::String => self.shrink_bytes(best, index, path),
            AbiType::Array(inner) => {
                self.shrink_list(best, index, path);
                self.shrink_items(best, index, path, |_| Some(inner));
            }
            AbiType::FixedArray(inner, _) => {
                self.shrink_items(best, index, path, |_| Some(inner));
            }
            AbiType::Tuple(members) => {
                self.shrink_items(best, index, path, |i| members.get(i));
            }
            AbiType::Bool | AbiType::FixedBytes(_) => {}
        }
    }

    fn shrink_items<'k>(
        &mut self,
        best: &mut Sequence,
        index: usize,
        path: &mut Vec<usize>,
        kind: impl Fn(usize) -> Option<&'k AbiType>,
    ) {
        let Some(Value::List(items)) = at_path(best.get(index), path) else { return };
        for item in 0..items.len() {
            let Some(kind) = kind(item) else { continue };
            path.push(item);
            self.shrink_value(best, index, kind, path);
            path.pop();
        }
    }

    fn shrink_list(&mut self, best: &mut Sequence, index: usize, path: &[usize]) {
        let mut item = 0;
        while let Some(Value::List(items)) = at_path(best.get(index), path) {
            if item >= items.len() || self.is_spent() {
                return;
            }
            let mut fewer = items.clone();
            fewer.remove(item);
            if !self.try_value(best, index, path, Value::List(fewer)) {
                item += 1;
            }
        }
    }

    fn shrink_bytes(&mut self, best: &mut Sequence, index: usize, path: &[usize]) {
        let mut size = match at_path(best.get(index), path) {
            Some(Value::Bytes(bytes)) => bytes.len() / 2,
            _ => return,
        };
        while size > 0 {
            let mut at = 0;
            while let Some(Value::Bytes(bytes)) = at_path(best.get(index), path) {
                if at >= bytes.len() || self.is_spent() {
                    break;
                }
                let mut fewer = bytes.clone();
                fewer.drain(at..(at + size).min(bytes.len()));
                if !self.try_value(best, index, path, Value::Bytes(fewer)) {
                    at += size;
                }
            }
            size /= 2;
        }
    }

    /// Searches the smallest magnitude by halving, then by single steps.
    fn shrink_word(
        &mut self,
        best: &mut Sequence,
        index: usize,
        path: &[usize],
        magnitude: fn(U256) -> U256,
        word: fn(U256) -> U256,
    ) {
        // Where only a remainder or some low bits matter, halving leads nowhere.
        for bits in [8, 16, 32, 64, 128] {
            let Some(current) = word_at(best.get(index), path).map(magnitude) else { return };
            let cut = current & ((U256::from(1) << bits) - U256::from(1));
            if self.try_value(best, index, path, Value::Word(word(cut))) {
                break;
            }
        }
        // Only for arguments themselves: a long list would use up all attempts.
        for small in (1..=SMALL).map(U256::from).filter(|_| path.len() == 1) {
            let Some(current) = word_at(best.get(index), path).map(magnitude) else { return };
            if small >= current || self.try_value(best, index, path, Value::Word(word(small))) {
                break;
            }
        }
        let Some(current) = word_at(best.get(index), path) else { return };
        let (mut low, mut high) = (U256::ZERO, magnitude(current));
        while high > low + U256::from(1) && !self.is_spent() {
            let middle = low + ((high - low) >> 1);
            if self.try_value(best, index, path, Value::Word(word(middle))) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }

    fn shrink_number(
        &mut self,
        best: &mut Sequence,
        index: usize,
        read: fn(&Transaction) -> U256,
        write: fn(&mut Transaction, U256),
    ) {
        let Some(current) = best.get(index).map(read) else { return };
        let (mut low, mut high) = (U256::ZERO, current);
        while high > low + U256::from(1) && !self.is_spent() {
            let middle = low + ((high - low) >> 1);
            if self.try_change(best, index, |t| write(t, middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }

    fn try_value(
        &mut self,
        best: &mut Sequence,
        index: usize,
        path: &[usize],
        value: Value,
    ) -> bool {
        self.try_change(best, index, |t| {
            if let Some(place) = at_path_mut(t, path) {
                *place = value;
            }
        })
    }

    fn try_change(
        &mut self,
        best: &mut Sequence,
        index: usize,
        change: impl FnOnce(&mut Transaction),
    ) -> bool {
        let mut candidate = best.clone();
        let Some(transaction) = candidate.get_mut(index) else { return false };
        change(transaction);
        // A change that changes nothing is no progress.
        candidate[index] != best[index] && self.accept(best, candidate)
    }

    fn accept(&mut self, best: &mut Sequence, candidate: Sequence) -> bool {
        if candidate == *best || self.is_spent() {
            return false;
        }
        match self.reproduces(&candidate) {
            None => false,
            Some(ran) => {
                *best = ran;
                true
            }
        }
    }

    /// Runs a sequence; its transactions as they were run, up to the one after which the failure shows.
    fn reproduces(&mut self, sequence: &[Transaction]) -> Option<Sequence> {
        self.attempts += 1;
        if self.machine.must_reset() || self.attempts.is_multiple_of(64) {
            self.machine.reset();
            self.base = self.machine.mark();
        } else {
            self.machine.rewind(&self.base);
        }
        let asked = self.test.kind.is_asked();
        let mut offspring = Offspring::default();
        let mut ran = Sequence::with_capacity(sequence.len());
        for transaction in sequence {
            let mut transaction = transaction.clone();
            offspring.aim(&self.target, &mut transaction);
            let outcome = run(&mut self.machine, &self.target, &self.config, &transaction);
            // Asking a test is a call too, and forgets what this one has created.
            offspring.note(&mut self.machine, &self.target, ran.len() + 1);
            let failed = match outcome {
                // What changed nothing can't have falsified anything that held before.
                Some(outcome) if asked => outcome.is_success() && self.is_asked_failed(),
                Some(outcome) => self.is_judged_failed(&transaction, &outcome),
                None => false,
            };
            ran.push(transaction);
            if failed {
                return Some(ran);
            }
        }
        (asked && self.is_asked_failed()).then_some(ran)
    }

    fn is_judged_failed(&self, transaction: &Transaction, outcome: &Outcome) -> bool {
        let callable = transaction.function().and_then(|f| self.target.functions.get(f));
        callable.is_some_and(|callable| {
            let called = (callable.function.selector, callable.address);
            judge(&self.machine, &self.test, called, outcome) == Verdict::Fails
        })
    }

    fn is_asked_failed(&mut self) -> bool {
        let (sender, gas) = (self.config.property_sender, self.config.property_gas);
        match ask(&mut self.machine, &self.test, sender, gas) {
            Verdict::Holds => false,
            Verdict::Fails => true,
            Verdict::Value(value) => self.goal.is_some_and(|goal| value >= goal),
        }
    }
}

/// Runs one transaction on a machine, delays included.
pub(crate) fn run(
    machine: &mut Machine,
    target: &Target,
    config: &Config,
    transaction: &Transaction,
) -> Option<Outcome> {
    machine.advance(transaction.time_delay, transaction.block_delay);
    let message = transaction.message(&target.functions, config.transaction_gas)?;
    Some(machine.call(&message))
}

/// The value at a path into a transaction's arguments; shrinking may have cut the transaction off.
fn at_path<'a>(transaction: Option<&'a Transaction>, path: &[usize]) -> Option<&'a Value> {
    let Action::Call { arguments, .. } = &transaction?.action else { return None };
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(arguments.get(*first)?, |value, index| match value {
        Value::List(items) => items.get(*index),
        _ => None,
    })
}

fn at_path_mut<'a>(transaction: &'a mut Transaction, path: &[usize]) -> Option<&'a mut Value> {
    let Action::Call { arguments, .. } = &mut transaction.action else { return None };
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(arguments.get_mut(*first)?, |value, index| match value {
        Value::List(items) => items.get_mut(*index),
        _ => None,
    })
}

fn word_at(transaction: Option<&Transaction>, path: &[usize]) -> Option<U256> {
    match at_path(transaction, path)? {
        Value::Word(word) => Some(*word),
        _ => None,
    }
}
