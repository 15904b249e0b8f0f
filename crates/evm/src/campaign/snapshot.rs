//! What a campaign looks like from outside at one moment: plain data, published by the workers.

use crate::checks::TestKind;
use crate::input::Sequence;
use revm::primitives::I256;
use std::sync::Arc;
use std::time::Duration;

/// Calls of one function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionCounts {
    /// Transactions executed.
    pub calls: u64,
    /// Of those, the ones that did not succeed.
    pub reverts: u64,
}

/// One worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerStatus {
    /// Transactions executed.
    pub calls: u64,
    /// Gas used.
    pub gas: u64,
    /// Epochs finished: the clock that control commands are applied by.
    pub epoch: u64,
    /// Whether the worker still runs.
    pub running: bool,
    /// CPU time of its thread.
    pub cpu: Duration,
}

/// How a test stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestStatus {
    /// Not falsified so far; passed, once the campaign is over.
    Holds,
    /// Falsified.
    Falsified,
    /// The best value of an optimisation so far.
    Best(I256),
}

/// A counterexample, or the sequence behind the best value.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Index of the test.
    pub test: usize,
    /// Who found it.
    pub worker: usize,
    /// The sequence as it was found.
    pub found: Sequence,
    /// The smallest sequence so far.
    pub sequence: Sequence,
    /// Whether shrinking is over.
    pub shrunk: bool,
    /// The value, for optimisations.
    pub value: Option<I256>,
}

/// A test and how it stands.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: TestKind,
    /// How it stands.
    pub status: TestStatus,
    /// What falsified it.
    pub failure: Option<Arc<Failure>>,
}

/// A campaign at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Transactions executed by all workers.
    pub calls: u64,
    /// Gas used by all workers.
    pub gas: u64,
    /// Time since the start; it stands still when the campaign is over.
    pub elapsed: Duration,
    /// Distinct edges seen.
    pub edges: usize,
    /// Workers.
    pub workers: Vec<WorkerStatus>,
    /// Per function of the target.
    pub functions: Vec<FunctionCounts>,
    /// Per test.
    pub tests: Vec<TestReport>,
    /// Sequences in the corpus.
    pub corpus_entries: usize,
    /// Transactions in the corpus.
    pub corpus_transactions: usize,
    /// Time since something new was reached.
    pub since_new_coverage: Duration,
    /// Whether the campaign is over.
    pub finished: bool,
}
