//! One transaction: run it, count it, learn from it, and keep the sequence if it reached something new.

use super::{Fuzzer, SAMPLE_EVERY, Sample, folding};
use crate::abi::{AbiType, Value, decode};
use crate::campaign::corpus::{Entry, Origin};
use crate::campaign::gas::GasPeak;
use crate::input::{Action, Sequence, Transaction};
use crate::vm::{Ending, Operator, Outcome, intrinsic_gas};
use revm::primitives::U256;
use std::sync::Arc;

impl Fuzzer {
    /// Runs one transaction and all checks. Returns whether it reached something new.
    pub(super) fn step(&mut self, transaction: Transaction, remember: bool) -> bool {
        let waited = transaction.time_delay > 0 || transaction.block_delay > 0;
        let outcome = self.execute(transaction);
        if remember {
            let probe = self.machine.probe();
            self.seen.comparisons.clone_from(&probe.comparisons);
            self.seen.preimages.clone_from(&probe.preimages);
            self.seen.now = self.machine.now();
        }
        if let Some(outcome) = outcome.as_ref().filter(|_| remember) {
            self.heat_bare_call();
            self.note_made(outcome);
        }
        let changed = outcome.as_ref().is_some_and(Outcome::is_success);
        if self.holds_alone(&self.trail) {
            // No other test is about what a test does that is called alone.
        } else if changed || self.unasked {
            self.heating = remember;
            self.ask_tests();
            self.unasked = false;
        } else if waited {
            self.ask_tests_that_read_the_clock();
        }
        !self.fresh.is_empty()
    }

    /// Identifiers that a call has made: what it returns as `bytesN`, and hashes, which serve as keys.
    fn note_made(&mut self, outcome: &Outcome) {
        for (hash, _) in &self.machine.probe().preimages {
            self.dictionary.note_made(32, (*hash).into());
        }
        let function = self.trail.last().and_then(Transaction::function);
        let Some(function) = function.filter(|_| outcome.is_success()) else { return };
        let outputs = &self.target.functions[function].function.outputs;
        let is_made = |kind: &AbiType| matches!(kind, AbiType::FixedBytes(_));
        if !outputs.iter().any(is_made) {
            return;
        }
        for (kind, value) in
            outputs.iter().zip(decode(outputs, &outcome.output).unwrap_or_default())
        {
            if let (AbiType::FixedBytes(size), Value::Word(word)) = (kind, value) {
                self.dictionary.note_made(*size, word);
            }
        }
    }

    /// A call without arguments compares what other calls have written: what it is compared with is what
    /// they should write.
    fn heat_bare_call(&mut self) {
        let last = self.trail.last().map(|transaction| &transaction.action);
        let Some(Action::Call { function, arguments }) = last else { return };
        let selector = self.target.functions[*function].function.selector;
        let selector = U256::from_be_slice(&selector);
        if !arguments.is_empty() {
            return;
        }
        for comparison in &self.machine.probe().comparisons {
            let (left, right) = (comparison.left, comparison.right);
            // The dispatcher compares the selector with every function's.
            if comparison.operator != Operator::Equal || left == selector || right == selector {
                continue;
            }
            // A constant of the code is the aim, what stands beside it is only where things are.
            let constant = [left, right].map(|word| self.dictionary.is_constant(word));
            for (word, aim) in
                [(left, constant[0] || !constant[1]), (right, constant[1] || !constant[0])]
            {
                if aim {
                    self.dictionary.heat(word);
                }
            }
        }
    }

    pub(super) fn execute(&mut self, mut transaction: Transaction) -> Option<Outcome> {
        self.offspring.aim(&self.target, &mut transaction);
        if self.is_alone(&transaction) {
            (transaction.time_delay, transaction.block_delay) = (0, 0);
        }
        self.machine.advance(transaction.time_delay, transaction.block_delay);
        let message = transaction.message(&self.target.functions, self.config.transaction_gas);
        let function = transaction.function();
        self.trail.push(transaction);
        let (Some(message), Some(function)) = (message, function) else {
            self.calls += 1;
            self.trail_gas.push(0);
            self.idle.push(true);
            return None;
        };
        let outcome = self.machine.call(&message);
        self.count(function, &outcome);
        if self.config.estimate_gas {
            self.note_gas(function, &outcome, intrinsic_gas(&message.data));
        }
        if self.calls.is_multiple_of(SAMPLE_EVERY) {
            self.sample(&outcome, false);
        }
        let probe = self.machine.probe_mut();
        let kind = match outcome.ending {
            Ending::Success => 0,
            Ending::Revert => 1,
            Ending::Invalid => 2,
            Ending::OutOfGas => 3,
            Ending::Halt(_) => 4,
        };
        probe.mark((function as u32) << 12 | (probe.max_depth.min(255) as u32) << 4 | kind);
        self.collect_fresh();
        if !self.fresh.is_empty() {
            self.learn(function, &outcome);
        }
        self.judge_tests(function, &outcome);
        if outcome.is_success() && !self.machine.probe().created.is_empty() {
            self.note_created();
        }
        Some(outcome)
    }

    /// A failed assertion of an old compiler eats all gas, which says nothing about the function.
    fn note_gas(&mut self, function: usize, outcome: &Outcome, intrinsic: u64) {
        let gas = outcome.gas_used.saturating_sub(intrinsic);
        let telling = matches!(outcome.ending, Ending::Success | Ending::OutOfGas);
        if telling && self.peaks.is_dearest(function, gas) {
            self.peaks.note(GasPeak { function, gas, sequence: self.without_idle() });
        }
    }

    fn note_created(&mut self) {
        for address in &self.machine.probe().created {
            self.dictionary.add_address(*address);
        }
        self.offspring.note(&mut self.machine, &self.target, self.trail.len());
    }

    fn sample(&mut self, outcome: &Outcome, injected: bool) {
        if let Some(transaction) = self.trail.last() {
            self.harvest.samples.push(Sample {
                transaction: transaction.clone(),
                gas: outcome.gas_used,
                success: outcome.is_success(),
                injected,
            });
        }
    }

    fn count(&mut self, function: usize, outcome: &Outcome) {
        self.calls += 1;
        self.gas += outcome.gas_used;
        let counts = &mut self.counts[function];
        counts.calls += 1;
        if !outcome.is_success() {
            counts.reverts += 1;
        }
        self.trail_gas.push(outcome.gas_used);
        self.idle.push(!outcome.is_success());
        if !self.generator.priorities().is_empty() {
            if self.generator.priorities().contains(&function) {
                self.balance.0 += 1;
            } else {
                self.balance.1 += 1;
            }
        }
    }

    pub(super) fn collect_fresh(&mut self) {
        let probe = self.machine.probe();
        self.fresh.extend_from_slice(&probe.fresh);
        self.fresh_blocks.extend_from_slice(&probe.fresh_blocks);
    }

    /// Return values, events and new addresses of a call that reached something new.
    fn learn(&mut self, function: usize, outcome: &Outcome) {
        let callable = &self.target.functions[function];
        if outcome.is_success()
            && let Some(values) = decode(&callable.function.outputs, &outcome.output)
        {
            for (kind, value) in callable.function.outputs.iter().zip(&values) {
                self.dictionary.learn_value(kind, value);
            }
        }
        for log in self.machine.logs() {
            for topic in log.data.topics().iter().skip(1) {
                self.dictionary.learn((*topic).into());
            }
            for word in log.data.data.chunks_exact(32).take(16) {
                self.dictionary.learn(U256::from_be_slice(word));
            }
            self.dictionary.add_address(log.address);
        }
        let probe = self.machine.probe();
        for comparison in &probe.comparisons {
            self.dictionary.learn(comparison.left);
            self.dictionary.learn(comparison.right);
        }
    }

    pub(super) fn without_idle(&self) -> Sequence {
        folding::without_idle(&self.trail, &self.idle, self.generator.max_delays())
    }

    /// Adds the sequence so far to the corpus if it reached something new.
    pub(super) fn keep_if_fresh(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        let entry = Arc::new(Entry {
            sequence: self.without_idle(),
            gas: self.trail_gas.clone(),
            edges: std::mem::take(&mut self.fresh),
            blocks: std::mem::take(&mut self.fresh_blocks),
            origin: Origin::Found { worker: self.worker },
        });
        self.harvest.entries.push(entry.clone());
        self.adopt(entry);
    }
}
