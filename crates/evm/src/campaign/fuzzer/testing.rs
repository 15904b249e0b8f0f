//! Tests against the sequence so far: judged by the last call, or asked by a call of their own.

use super::{Finding, Fuzzer, TestState};
use crate::campaign::corpus::Entry;
use crate::checks::{Test, Verdict, judge};
use crate::input::Sequence;
use crate::vm::Outcome;
use revm::primitives::I256;
use std::sync::Arc;

impl Fuzzer {
    /// A test needs no more checking here.
    pub(crate) fn close_test(&mut self, test: usize) {
        self.tests[test].open = false;
    }

    /// Checks one more test from now on. It gets the next index, for all workers alike.
    pub(crate) fn add_test(&mut self, test: &Test) {
        self.tests.push(TestState::new(test));
    }

    /// A worker has reached this value.
    pub(crate) fn raise_best(&mut self, test: usize, value: I256, sequence: &Sequence) {
        let state = &mut self.tests[test];
        if state.best.is_none_or(|best| value > best) || state.champion.is_none() {
            state.champion = Some(Arc::new(Entry::bare(sequence.clone(), self.worker)));
        }
        state.best = Some(state.best.map_or(value, |best| best.max(value)));
    }

    /// The sequence behind the best value of an optimisation: what comes next begins there.
    pub(super) fn champion(&mut self) -> Option<Arc<Entry>> {
        let champions = || self.tests.iter().filter_map(|test| test.champion.clone());
        let count = champions().count();
        if count == 0 || self.rng.u8(0..3) > 0 {
            return None;
        }
        champions().nth(self.rng.usize(..count))
    }

    /// Whether any test is left to falsify.
    pub(crate) fn has_open_tests(&self) -> bool {
        self.tests.is_empty() || self.tests.iter().any(|t| t.open)
    }

    pub(super) fn judge_tests(&mut self, function: usize, outcome: &Outcome) {
        let callable = &self.target.functions[function];
        let called = (callable.function.selector, callable.address);
        if callable.alone && self.trail.len() > 1 {
            return;
        }
        for test in 0..self.tests.len() {
            let TestState { test: checked, open, .. } = &self.tests[test];
            if !open || checked.kind.is_asked() {
                continue;
            }
            if judge(&self.machine, checked, called, outcome) == Verdict::Fails {
                self.falsify(test, None);
            }
        }
    }

    pub(super) fn ask_tests(&mut self) {
        for test in 0..self.tests.len() {
            if self.tests[test].open && self.tests[test].test.kind.is_asked() {
                self.ask_test(test);
            }
        }
    }

    pub(super) fn ask_tests_that_read_the_clock(&mut self) {
        for test in 0..self.tests.len() {
            let TestState { test: asked, open, reads_clock, .. } = &self.tests[test];
            if *open && *reads_clock && asked.kind.is_asked() {
                self.ask_test(test);
            }
        }
    }

    fn ask_test(&mut self, test: usize) {
        let state = &mut self.tests[test];
        let answer = &mut state.answer;
        if !answer.still_holds(&mut self.machine) {
            let (sender, gas) = (self.config.property_sender, self.config.property_gas);
            answer.ask(&mut self.machine, &state.test, sender, gas);
            state.reads_clock = self.machine.probe().environment_read;
            self.collect_fresh();
        }
        if self.heating {
            self.heat(test);
        }
        match self.tests[test].answer.verdict {
            Verdict::Holds => {}
            Verdict::Fails => self.falsify(test, None),
            Verdict::Value(value) => {
                if self.tests[test].best.is_none_or(|best| value > best) {
                    let reached = self.without_idle();
                    self.raise_best(test, value, &reached);
                    self.falsify(test, Some(value));
                }
            }
        }
    }

    fn heat(&mut self, test: usize) {
        for comparison in &self.tests[test].answer.comparisons {
            self.dictionary.heat(comparison.left);
            self.dictionary.heat(comparison.right);
            // What the last call wrote may stand here as it was sent.
            self.seen.comparisons.push(*comparison);
        }
    }

    fn falsify(&mut self, test: usize, value: Option<I256>) {
        if value.is_none() {
            self.tests[test].open = false;
        }
        // Only the latest value of an optimisation matters.
        self.harvest.findings.retain(|f| f.test != test);
        self.harvest.findings.push(Finding { test, sequence: self.trail.clone(), value });
    }
}
