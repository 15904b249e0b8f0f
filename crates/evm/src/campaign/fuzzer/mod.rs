//! The fuzzing loop of one worker: choose a starting point, try tails, keep what is new.

mod alone;
mod answer;
mod folding;
mod given;
mod stepping;
mod tails;
mod testing;
mod trimming;
mod variants;

pub(crate) use alone::holds_alone;
pub(crate) use folding::push_folding;

use crate::campaign::Offspring;
use crate::campaign::corpus::Entry;
use crate::campaign::gas::GasPeaks;
use crate::campaign::snapshot::FunctionCounts;
use crate::checks::Test;
use crate::config::{Config, TestMode};
use crate::input::{Dictionary, Generator, Sequence, Transaction};
use crate::target::Target;
use crate::vm::{Comparison, Machine, Mark};
use answer::Answer;
use fastrand::Rng;
use revm::primitives::{B256, I256, U256};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tails tried from one starting point.
const TAILS: usize = 6;
/// Variants of one transaction tried from one starting point, and of one without arguments: only its
/// sender, its ether and its delays can differ.
const VARIANTS: usize = 12;
const BARE_VARIANTS: usize = 4;
/// Episodes between clearing the machine's state of everything it has loaded.
const EPISODES_PER_LIFE: u32 = 64;
/// One transaction in this many goes into the diary.
const SAMPLE_EVERY: u64 = 997;

/// A test that was falsified, or a better value of an optimisation.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Index of the test.
    pub(crate) test: usize,
    /// The sequence that shows it.
    pub(crate) sequence: Sequence,
    /// The value, for optimisations.
    pub(crate) value: Option<I256>,
}

/// What an epoch brought.
#[derive(Clone, Debug, Default)]
pub(crate) struct Harvest {
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) samples: Vec<Sample>,
}

/// A transaction that was executed, for the diary.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) transaction: Transaction,
    pub(crate) gas: u64,
    pub(crate) success: bool,
    pub(crate) injected: bool,
}

/// What a check of the sequence so far needs to know about a test.
#[derive(Clone, Debug)]
struct TestState {
    test: Test,
    open: bool,
    /// Its last evaluation read the clock.
    reads_clock: bool,
    answer: Answer,
    best: Option<I256>,
    champion: Option<Arc<Entry>>,
}

impl TestState {
    fn new(test: &Test) -> Self {
        Self {
            test: test.apart(),
            open: true,
            reads_clock: true,
            answer: Answer::none(),
            best: None,
            champion: None,
        }
    }
}

/// One worker's engine.
pub(crate) struct Fuzzer {
    pub(crate) target: Arc<Target>,
    pub(crate) config: Arc<Config>,
    pub(crate) machine: Machine,
    base: Mark,
    rng: Rng,
    generator: Generator,
    dictionary: Dictionary,
    corpus: Vec<Arc<Entry>>,
    /// Entries that have not been looked at closely yet.
    queue: Vec<usize>,
    tests: Vec<TestState>,
    /// The sequence so far, and which of its transactions had no effect.
    trail: Sequence,
    trail_gas: Vec<u64>,
    idle: Vec<bool>,
    offspring: Offspring,
    /// Values that tests compare are noted.
    heating: bool,
    /// A test was not asked since the state last changed.
    unasked: bool,
    fresh: Vec<u16>,
    fresh_blocks: Vec<u32>,
    seen: Seen,
    harvest: Harvest,
    worker: usize,
    episodes: u32,
    pub(crate) counts: Vec<FunctionCounts>,
    pub(in crate::campaign) peaks: GasPeaks,
    pub(crate) calls: u64,
    /// Those of them that trimmed finds.
    trimming_calls: u64,
    pub(crate) gas: u64,
    /// Calls to prioritised functions and to others since priorities were set.
    balance: (u64, u64),
    /// Sequences are of one call: state does not matter.
    stateless: bool,
    stop: Arc<AtomicBool>,
    /// Calls after which this worker is done.
    limit: u64,
}

/// The logs of the last transaction, kept while tests are asked.
#[derive(Default)]
struct Seen {
    comparisons: Vec<Comparison>,
    preimages: Vec<(B256, Vec<u8>)>,
    now: (U256, U256),
}

impl Fuzzer {
    pub(crate) fn new(
        target: Arc<Target>,
        config: Arc<Config>,
        worker: usize,
        seed: u64,
        limit: u64,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let mut machine = target.machine();
        let base = machine.mark();
        let views_matter = matches!(
            target.mode,
            TestMode::Assertion | TestMode::Foundry | TestMode::Exploration | TestMode::Overflow
        );
        Self {
            stateless: config.sequence_length == 1,
            generator: Generator::new(&config, &target, views_matter),
            dictionary: target.dictionary.clone(),
            counts: vec![FunctionCounts::default(); target.functions.len()],
            peaks: GasPeaks::of(if config.estimate_gas { target.functions.len() } else { 0 }),
            tests: target.tests.iter().map(|test| TestState::new(test)).collect(),
            rng: Rng::with_seed(seed.wrapping_add(worker as u64)),
            machine,
            base,
            corpus: Vec::new(),
            queue: Vec::new(),
            trail: Vec::new(),
            trail_gas: Vec::new(),
            idle: Vec::new(),
            offspring: Offspring::default(),
            heating: false,
            unasked: true,
            fresh: Vec::new(),
            fresh_blocks: Vec::new(),
            seen: Seen::default(),
            harvest: Harvest::default(),
            worker,
            episodes: 0,
            calls: 0,
            trimming_calls: 0,
            gas: 0,
            balance: (0, 0),
            stop,
            limit,
            target,
            config,
        }
    }

    /// Runs about this many calls (or this much gas) and returns what they brought.
    pub(crate) fn epoch(&mut self, calls: u64, gas: u64) -> Harvest {
        let (calls_end, gas_end) = ((self.calls + calls).min(self.limit), self.gas + gas);
        while self.calls < calls_end && self.gas < gas_end && !self.stopped() {
            self.episode(calls_end);
        }
        std::mem::take(&mut self.harvest)
    }

    /// Checks the tests that hold before any transaction.
    pub(crate) fn check_start(&mut self) {
        self.begin();
        self.ask_tests();
        // An empty sequence is no find.
        self.fresh.clear();
        self.fresh_blocks.clear();
    }

    /// Whether this worker has used up its calls.
    pub(crate) fn is_spent(&self) -> bool {
        self.calls >= self.limit
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn episode(&mut self, calls_end: u64) {
        self.begin();
        if let Some(index) = self.queue.pop() {
            let entry = self.trim(index, calls_end);
            self.begin();
            return self.vary_last(&entry, calls_end);
        }
        if self.goes_alone() {
            return self.alone(calls_end);
        }
        let chance = self.rng.u8(0..10);
        if self.stateless {
            if chance < 5 || self.corpus.is_empty() {
                return self.tail(1, calls_end);
            }
            let entry = self.choose_entry();
            return self.vary_last(&entry, calls_end);
        }
        if self.corpus.is_empty() || chance < 3 || !self.may_digress() {
            return self.tail(self.config.sequence_length, calls_end);
        }
        let entry = self.choose_entry();
        match chance {
            _ if self.holds_alone(&entry.sequence) => self.vary_last(&entry, calls_end),
            3..=5 => self.vary_last(&entry, calls_end),
            6 => self.splice(&entry, calls_end),
            _ => self.extend(&entry, calls_end),
        }
    }

    /// With priorities set, nine calls of ten must go to them, whatever the corpus holds.
    fn may_digress(&self) -> bool {
        let (own, other) = self.balance;
        self.generator.priorities().is_empty() || other * 10 <= own
    }

    /// New finds first, then rare edges.
    fn choose_entry(&mut self) -> Arc<Entry> {
        if let Some(champion) = self.champion() {
            return champion;
        }
        let count = self.corpus.len();
        let newer = |rng: &mut Rng| {
            // Weighted by the number of insertion, as in the reference.
            let (a, b) = (rng.usize(..count), rng.usize(..count));
            a.max(b)
        };
        let mut best = newer(&mut self.rng);
        if self.rng.bool() {
            for _ in 0..2 {
                let other = newer(&mut self.rng);
                if self.rarity(other) < self.rarity(best) {
                    best = other;
                }
            }
        }
        self.corpus[best].clone()
    }

    fn rarity(&self, entry: usize) -> u32 {
        let counts = &self.machine.probe().edges;
        let edges = self.corpus[entry].edges.iter();
        edges.map(|e| counts[*e as usize]).min().unwrap_or(u32::MAX)
    }

    fn begin(&mut self) {
        self.episodes += 1;
        if self.machine.must_reset() || self.episodes.is_multiple_of(EPISODES_PER_LIFE) {
            self.machine.reset();
            self.base = self.machine.mark();
        } else {
            self.machine.rewind(&self.base);
        }
        self.trail.clear();
        self.trail_gas.clear();
        self.idle.clear();
        self.offspring.clear();
        self.unasked = false;
    }
}
