//! The fuzzing loop of one worker: choose a starting point, try tails, keep what is new.

mod folding;
mod testing;
mod variants;

pub(crate) use folding::push_folding;

use crate::abi::{AbiType, Argument, Value, decode};
use crate::campaign::Offspring;
use crate::campaign::corpus::{Entry, Origin};
use crate::campaign::exchange::Template;
use crate::campaign::snapshot::FunctionCounts;
use crate::checks::{Test, TestKind};
use crate::config::{Config, TestMode};
use crate::input::{Action, Dictionary, Generator, Sequence, Transaction, mutate_transaction};
use crate::target::Target;
use crate::vm::{Comparison, Ending, Machine, Mark, Outcome};
use fastrand::Rng;
use revm::primitives::{B256, I256, U256};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tails tried from one starting point.
const TAILS: usize = 6;
/// Variants of one transaction tried from one starting point.
const VARIANTS: usize = 12;
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
    test: Arc<Test>,
    open: bool,
    /// Its last evaluation read the clock.
    reads_clock: bool,
    best: Option<I256>,
    champion: Option<Arc<Entry>>,
}

impl TestState {
    fn new(test: Arc<Test>) -> Self {
        Self { test, open: true, reads_clock: true, best: None, champion: None }
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
    pub(crate) calls: u64,
    pub(crate) gas: u64,
    /// Calls to prioritised functions and to others since priorities were set.
    balance: (u64, u64),
    /// Every test looks at one call only, or sequences are of one call: state does not matter.
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
        let one_call =
            |t: &Arc<Test>| matches!(t.kind, TestKind::FuzzTest | TestKind::FuzzTestFail);
        let stateless = config.sequence_length == 1
            || !target.tests.is_empty() && target.tests.iter().all(one_call);
        Self {
            stateless,
            generator: Generator::new(&config, &target.functions, views_matter),
            dictionary: target.dictionary.clone(),
            counts: vec![FunctionCounts::default(); target.functions.len()],
            tests: target.tests.iter().cloned().map(TestState::new).collect(),
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

    /// Takes a sequence of another worker into the corpus, if it reached what is new here.
    pub(crate) fn import(&mut self, entry: &Arc<Entry>) {
        let mut is_new = false;
        for edge in &entry.edges {
            let count = &mut self.machine.probe_mut().edges[*edge as usize];
            is_new |= *count == 0;
            *count = (*count).max(1);
        }
        if is_new {
            self.adopt(entry.clone());
        }
    }

    /// Runs a sequence verbatim with all checks and keeps it whatever it reaches.
    pub(crate) fn run_given(&mut self, sequence: &[Transaction], origin: Origin) {
        self.begin();
        for transaction in sequence {
            if self.stopped() {
                break;
            }
            self.step(transaction.clone(), false);
            if origin == Origin::Injected {
                let success = self.idle.last() == Some(&false);
                let gas = self.trail_gas.last().copied().unwrap_or_default();
                let transaction = transaction.clone();
                self.harvest.samples.push(Sample { transaction, gas, success, injected: true });
            }
        }
        let entry = Arc::new(Entry {
            sequence: if self.trail.len() == sequence.len() {
                self.trail.clone()
            } else {
                sequence.to_vec()
            },
            gas: self.trail_gas.clone(),
            edges: std::mem::take(&mut self.fresh),
            blocks: std::mem::take(&mut self.fresh_blocks),
            origin,
        });
        self.adopt(entry.clone());
        self.harvest.entries.push(entry);
    }

    /// Fills the holes of templates and runs the sequence.
    pub(crate) fn run_templates(&mut self, templates: &[Template]) {
        let mut sequence = Vec::with_capacity(templates.len());
        for template in templates {
            let target = self.target.clone();
            let types = &target.functions[template.function].function.inputs;
            let arguments =
                types.iter().zip(&template.arguments).map(|(kind, argument)| match argument {
                    Argument::Is(value) => value.clone(),
                    Argument::Any => self.draw_value(kind),
                });
            let arguments = arguments.collect();
            sequence.push(Transaction {
                action: Action::Call { function: template.function, arguments },
                to: None,
                sender: template.sender,
                value: template.value,
                gas_price: 0,
                time_delay: 0,
                block_delay: 0,
            });
        }
        self.run_given(&sequence, Origin::Injected);
    }

    pub(crate) fn prioritize(&mut self, functions: Vec<usize>) {
        self.balance = (0, 0);
        self.generator.prioritize(functions);
    }

    fn draw_value(&mut self, kind: &AbiType) -> Value {
        self.generator.value(&mut self.rng, &self.dictionary, &self.target.functions, kind)
    }

    fn adopt(&mut self, entry: Arc<Entry>) {
        self.queue.push(self.corpus.len());
        self.corpus.push(entry);
    }

    fn episode(&mut self, calls_end: u64) {
        self.begin();
        if let Some(index) = self.queue.pop() {
            let entry = self.corpus[index].clone();
            return self.vary_last(&entry, calls_end);
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

    /// Random transactions from here.
    fn tail(&mut self, length: usize, calls_end: u64) {
        let mut repairable = false;
        let room = self.config.sequence_length.saturating_sub(self.trail.len());
        for _ in 0..length.min(room) {
            if self.calls >= calls_end || self.stopped() {
                break;
            }
            let transaction = self.next_transaction(repairable);
            repairable = self.rng.u8(0..4) == 0;
            self.step(transaction, repairable);
            self.keep_if_fresh();
        }
    }

    /// The whole sequence or a part of it, and then several tails.
    fn extend(&mut self, entry: &Entry, calls_end: u64) {
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
            let length = match self.rng.u8(0..4) {
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
    fn splice(&mut self, entry: &Entry, calls_end: u64) {
        let other = self.choose_entry();
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

    fn mutate(&mut self, transaction: &mut Transaction) {
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
        digress || transaction.function().is_some_and(|f| self.generator.priorities().contains(&f))
    }

    /// Runs a head without asking tests; whether to go on from there.
    fn replay(&mut self, head: &[Transaction], calls_end: u64) -> bool {
        for transaction in head {
            if self.calls >= calls_end || self.stopped() {
                return false;
            }
            self.execute(transaction.clone());
        }
        self.unasked = true;
        true
    }

    fn back_to(&mut self, mark: &Mark, depth: usize) -> bool {
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

    /// Runs one transaction and all checks. Returns whether it reached something new.
    fn step(&mut self, transaction: Transaction, remember: bool) -> bool {
        let waited = transaction.time_delay > 0 || transaction.block_delay > 0;
        let outcome = self.execute(transaction);
        if remember {
            let probe = self.machine.probe();
            self.seen.comparisons.clone_from(&probe.comparisons);
            self.seen.preimages.clone_from(&probe.preimages);
            self.seen.now = self.machine.now();
        }
        let changed = outcome.as_ref().is_some_and(Outcome::is_success);
        if changed || self.unasked {
            self.heating = remember;
            self.ask_tests();
            self.unasked = false;
        } else if waited {
            self.ask_tests_that_read_the_clock();
        }
        !self.fresh.is_empty()
    }

    fn execute(&mut self, mut transaction: Transaction) -> Option<Outcome> {
        self.offspring.aim(&self.target, &mut transaction);
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

    fn collect_fresh(&mut self) {
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

    fn without_idle(&self) -> Sequence {
        folding::without_idle(&self.trail, &self.idle, self.generator.max_delays())
    }

    /// Adds the sequence so far to the corpus if it reached something new.
    fn keep_if_fresh(&mut self) {
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
