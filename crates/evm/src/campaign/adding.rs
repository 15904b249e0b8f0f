//! A test that joins a campaign under way: first against everything that was kept so far, then beside
//! the others.

use super::corpus::Corpus;
use super::exchange::Command;
use super::fuzzer::{Finding, holds_alone};
use super::handle::Campaign;
use super::shrink::run;
use super::worker::lock;
use crate::checks::{Test, Verdict, ask};
use crate::input::Sequence;
use crate::vm::Machine;
use revm::primitives::I256;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use thiserror::Error;

/// A test that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    /// Its index among the campaign's tests.
    pub test: usize,
    /// The epoch from which on the workers check it.
    pub epoch: u64,
    /// Whether there are workers left to check it.
    pub runs: bool,
}

/// What a test was checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Sequences of the corpus.
    pub sequences: usize,
    /// Their transactions; the test was asked after each.
    pub transactions: usize,
}

/// A test could not be added.
#[derive(Debug, Error)]
pub enum AddTestError {
    /// There is one of this name.
    #[error("there is a test `{0}` already; give this one another name")]
    NameTaken(String),
}

impl Campaign {
    /// Adds a test that is asked by a call of its own: the workers check it from the next epoch on.
    pub fn add_test(&self, test: Test) -> Result<Addition, AddTestError> {
        let shared = &self.shared;
        let test = Arc::new(test);
        let _orders = lock(&self.priorities);
        if self.has_test(&test.name) {
            return Err(AddTestError::NameTaken(test.name.clone()));
        }
        let index = self.append_test(test.clone());
        let epoch = shared.exchange.command(Command::AddTest(test));
        Ok(Addition { test: index, epoch, runs: shared.running.load(Ordering::Acquire) > 0 })
    }

    /// Whether there is a test of this name.
    pub fn has_test(&self, name: &str) -> bool {
        self.shared.tests.load().iter().any(|test| test.name == name)
    }

    /// Checks a test against everything that was kept so far, on a machine of its own. What falsifies
    /// it is registered as if a worker had found it.
    pub fn check_corpus(&self, test: usize) -> Checked {
        let shared = &self.shared;
        let corpus = shared.corpus.load_full();
        if let Some((sequence, value)) = self.check(&shared.test(test), &corpus) {
            shared.report(&Finding { test, sequence, value });
        }
        Checked { sequences: corpus.entries().len(), transactions: corpus.transactions() }
    }

    /// Gives a test the next index.
    pub(super) fn append_test(&self, test: Arc<Test>) -> usize {
        let tests = &self.shared.tests;
        let before = tests.rcu(|tests| {
            let mut tests = Vec::clone(tests);
            tests.push(test.clone());
            tests
        });
        before.len()
    }

    /// The first sequence of the corpus that falsifies a test, or the one that gives it the best value.
    fn check(&self, test: &Test, corpus: &Corpus) -> Option<(Sequence, Option<I256>)> {
        let (target, config) = (&self.shared.target, &self.shared.config);
        let mut machine = target.machine();
        let question =
            |machine: &mut Machine| ask(machine, test, config.property_sender, config.property_gas);
        let mut best = None;
        let empty = Sequence::new();
        let sequences = corpus.entries().iter().map(|entry| &entry.sequence);
        let sequences = sequences.filter(|sequence| !holds_alone(sequence, &target.functions));
        for sequence in std::iter::once(&empty).chain(sequences) {
            machine.reset();
            for length in 0..=sequence.len() {
                if let Some(last) = length.checked_sub(1) {
                    run(&mut machine, target, config, &sequence[last]);
                }
                match question(&mut machine) {
                    Verdict::Holds => {}
                    Verdict::Fails => return Some((sequence[..length].to_vec(), None)),
                    Verdict::Value(value) => {
                        if best.as_ref().is_none_or(|(_, known)| Some(value) > *known) {
                            best = Some((sequence[..length].to_vec(), Some(value)));
                        }
                    }
                }
            }
        }
        best
    }
}
