//! A running campaign as people and tools hold it: watch it, feed it, steer it, stop it.

use super::corpus::Corpus;
use super::events::{Event, EventKind};
use super::exchange::{Command, Template};
use super::snapshot::{Failure, Snapshot, TestReport, TestStatus};
use super::worker::{Shared, lock, work};
use crate::abi::{Argument, CallSyntaxError, parse_call};
use crate::checks::Test;
use crate::config::Config;
use crate::input::{Action, Sequence, Transaction};
use crate::report::{Execution, execute, foundry_test};
use crate::source::{Coverage, Frontier, frontiers};
use crate::target::Target;
use revm::primitives::{Address, U256};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use thiserror::Error;

/// A campaign. Dropping the handle does not stop it; [`Campaign::stop`] does.
pub struct Campaign {
    pub(super) shared: Arc<Shared>,
    /// Functions in the set; held while an order is given, so that orders come one after the other.
    pub(super) priorities: Mutex<Vec<String>>,
}

impl std::fmt::Debug for Campaign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Campaign").field("seed", &self.shared.seed).finish_non_exhaustive()
    }
}

/// A sequence that was put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// Transactions in the sequence.
    pub transactions: usize,
    /// Workers that will run it.
    pub workers: usize,
    /// The epoch at whose start they run it.
    pub epoch: u64,
}

/// The set of functions that get nine calls of ten, after one was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prioritized {
    /// The whole set.
    pub functions: Vec<String>,
    /// Whether any function of the target is the one added.
    pub known: bool,
    /// The epoch at whose start it takes effect.
    pub epoch: u64,
}

/// Something that was asked of a campaign while it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// As [`Campaign::inject`].
    Inject {
        /// The calls as text.
        calls: Vec<String>,
        /// Who sends them.
        sender: Address,
        /// Ether sent with each.
        value: U256,
    },
    /// As [`Campaign::prioritize`].
    Prioritize(String),
    /// As [`Campaign::clear_priorities`].
    ClearPriorities,
    /// As [`Campaign::add_test`].
    AddTest(Arc<Test>),
    /// The end of the campaign.
    Stop,
}

/// An order and the epoch at whose start it takes effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// When.
    pub epoch: u64,
    /// What.
    pub order: Order,
}

/// A sequence could not be put in.
#[derive(Debug, Error)]
pub enum InjectError {
    /// A call was not understood; nothing was put in.
    #[error("call {index}: {source}")]
    Call {
        /// Index of the call, from 0.
        index: usize,
        /// What is wrong with it.
        source: CallSyntaxError,
    },
    /// No worker is left to run it.
    #[error("the campaign is over: no worker is left to run the sequence")]
    Over,
}

impl Campaign {
    /// Starts the workers.
    pub fn start(target: Target, config: Config) -> Self {
        Self::start_with(Arc::new(target), config, Vec::new())
    }

    /// Starts the workers with sequences to begin from.
    pub fn start_with(target: Arc<Target>, config: Config, initial: Vec<Sequence>) -> Self {
        let campaign = Self::ready(target, config, initial);
        campaign.run();
        campaign
    }

    /// Starts the workers, with orders that take effect at the epochs they name: a steered campaign
    /// is repeated with the orders it was given.
    pub fn start_scheduled(
        target: Arc<Target>,
        config: Config,
        initial: Vec<Sequence>,
        orders: &[Scheduled],
    ) -> Result<Self, InjectError> {
        let campaign = Self::ready(target, config, initial);
        campaign.schedule(orders)?;
        campaign.run();
        Ok(campaign)
    }

    fn ready(target: Arc<Target>, config: Config, initial: Vec<Sequence>) -> Self {
        let seed = config.seed.unwrap_or_else(|| fastrand::u64(..1 << 53));
        let shared = Arc::new(Shared::new(target, Arc::new(config), seed, initial));
        Self { shared, priorities: Mutex::default() }
    }

    fn run(&self) {
        let shared = &self.shared;
        for worker in 0..shared.boards.len() {
            let shared = shared.clone();
            let name = format!("fuzz worker {worker}");
            let thread = std::thread::Builder::new().name(name);
            let started = thread.spawn(move || work(&shared, worker));
            started.expect("a thread can be started");
        }
        if let Some(limit) = shared.config.timeout {
            let shared = shared.clone();
            std::thread::spawn(move || {
                if !shared.wait_until(Some(Instant::now() + limit)) {
                    shared.stop.store(true, Ordering::Relaxed);
                }
            });
        }
    }

    /// The target.
    pub fn target(&self) -> &Arc<Target> {
        &self.shared.target
    }

    /// The configuration.
    pub fn config(&self) -> &Arc<Config> {
        &self.shared.config
    }

    /// The seed in use.
    pub fn seed(&self) -> u64 {
        self.shared.seed
    }

    /// The epoch that an order given now would take effect at.
    pub fn next_epoch(&self) -> u64 {
        self.shared.exchange.next_epoch()
    }

    /// Workers that still run.
    pub fn workers(&self) -> usize {
        self.shared.running.load(Ordering::Acquire)
    }

    /// Ends fuzzing and shrinking soon.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.stop_shrinking.store(true, Ordering::Relaxed);
    }

    /// Waits until everything is over, shrinking included.
    pub fn wait(&self) {
        self.shared.wait_until(None);
    }

    /// Waits at most this long. Returns whether everything is over.
    pub fn wait_for(&self, time: Duration) -> bool {
        self.shared.wait_until(Some(Instant::now() + time))
    }

    /// Whether everything is over.
    pub fn is_finished(&self) -> bool {
        self.wait_for(Duration::ZERO)
    }

    /// How the campaign stands, from what the workers last published.
    pub fn snapshot(&self) -> Snapshot {
        let shared = &self.shared;
        let boards: Vec<_> = shared.boards.iter().map(arc_swap::ArcSwapAny::load_full).collect();
        let mut functions = vec![super::FunctionCounts::default(); shared.target.functions.len()];
        for counts in boards.iter().flat_map(|b| b.counts.iter().enumerate()) {
            functions[counts.0].calls += counts.1.calls;
            functions[counts.0].reverts += counts.1.reverts;
        }
        let corpus = shared.corpus.load();
        let ended = shared.ended.load(Ordering::Acquire);
        let elapsed = if ended > 0 { ended } else { shared.millis() };
        let last_new = shared.last_new.load(Ordering::Relaxed);
        Snapshot {
            calls: boards.iter().map(|b| b.status.calls).sum(),
            gas: boards.iter().map(|b| b.status.gas).sum(),
            elapsed: Duration::from_millis(elapsed),
            edges: shared.edges.load(Ordering::Relaxed),
            workers: boards.iter().map(|b| b.status.clone()).collect(),
            functions,
            tests: self.tests(),
            corpus_entries: corpus.entries().len(),
            corpus_transactions: corpus.transactions(),
            since_new_coverage: Duration::from_millis(elapsed.saturating_sub(last_new)),
            finished: ended > 0,
        }
    }

    /// The tests and how they stand.
    pub fn tests(&self) -> Vec<TestReport> {
        let tests = self.shared.tests.load();
        let report = |(index, test): (usize, &Arc<Test>)| {
            let failure = self.shared.failure(index);
            let status = match &failure {
                None => TestStatus::Holds,
                Some(f) => f.value.map_or(TestStatus::Falsified, TestStatus::Best),
            };
            TestReport { name: test.name.clone(), kind: test.kind, status, failure }
        };
        tests.iter().enumerate().map(report).collect()
    }

    /// The corpus as it is now.
    pub fn corpus(&self) -> Arc<Corpus> {
        self.shared.corpus.load_full()
    }

    /// Matching events, newest first, and the number of all events in the log.
    pub fn events(
        &self,
        count: usize,
        kind: Option<EventKind>,
        worker: Option<usize>,
    ) -> (Vec<Arc<Event>>, usize) {
        let log = self.shared.diary.load();
        (log.newest(count, kind, worker), log.len())
    }

    /// How often each block of code was entered, by counter index.
    pub fn hits(&self) -> Vec<u64> {
        let mut total = vec![0u64; self.shared.target.layout.size()];
        for board in &self.shared.boards {
            for (sum, hits) in total.iter_mut().zip(board.load().hits.iter()) {
                *sum += hits;
            }
        }
        total
    }

    /// Coverage by line, branch and function, from what the workers last published.
    pub fn coverage(&self) -> Coverage {
        let shared = &self.shared;
        Coverage::of(&shared.target, &self.hits()).without(&shared.config.coverage_excludes)
    }

    /// Branches that only went one way, with the operands that came closest to the other. Replays
    /// part of the corpus: takes milliseconds to seconds, and no time of the workers.
    pub fn frontiers(&self) -> Vec<Frontier> {
        let shared = &self.shared;
        frontiers(&shared.target, &shared.config, &self.coverage(), &shared.corpus.load())
    }

    /// Reads calls as text, typed by the target's ABI, into a sequence; `?` becomes zero.
    pub fn parse_sequence(
        &self,
        calls: &[String],
        sender: Address,
        value: U256,
    ) -> Result<Sequence, InjectError> {
        let target = &self.shared.target;
        let templates = self.templates(calls, sender, value)?;
        let concrete = templates.into_iter().map(|t| {
            let inputs = &target.functions[t.function].function.inputs;
            let arguments =
                t.arguments.into_iter().zip(inputs).map(|(argument, kind)| match argument {
                    Argument::Is(value) => value,
                    Argument::Any => kind.zero(),
                });
            Transaction {
                action: Action::Call { function: t.function, arguments: arguments.collect() },
                to: None,
                sender: t.sender,
                value: t.value,
                gas_price: 0,
                time_delay: 0,
                block_delay: 0,
            }
        });
        Ok(concrete.collect())
    }

    /// Runs a sequence now, on a machine of its own, with a decoded trace. The campaign does not
    /// notice.
    pub fn execute(&self, sequence: &[Transaction]) -> Execution {
        let shared = &self.shared;
        execute(&shared.target, &shared.tests.load(), &shared.config, sequence)
    }

    /// A Foundry test that repeats a failure.
    pub fn foundry_test(&self, failure: &Failure) -> String {
        let target = &self.shared.target;
        let test = self.shared.test(failure.test);
        foundry_test(target, &self.shared.config, &test, &failure.sequence)
    }

    /// Sentences the user should see.
    pub fn warnings(&self) -> Vec<String> {
        let found = lock(&self.shared.warnings).iter().cloned().collect::<Vec<_>>();
        self.shared.target.warnings.iter().cloned().chain(found).collect()
    }

    /// Has every worker run a sequence verbatim from the start and keep it. All calls are read
    /// first; one that is wrong rejects them all.
    pub fn inject(
        &self,
        calls: &[String],
        sender: Address,
        value: U256,
    ) -> Result<Injection, InjectError> {
        let templates = self.templates(calls, sender, value)?;
        let workers = self.shared.running.load(Ordering::Acquire);
        if workers == 0 {
            return Err(InjectError::Over);
        }
        let epoch = self.shared.exchange.command(Command::Inject(Arc::new(templates)));
        Ok(Injection { transactions: calls.len(), workers, epoch })
    }

    fn templates(
        &self,
        calls: &[String],
        sender: Address,
        value: U256,
    ) -> Result<Vec<Template>, InjectError> {
        let functions = self.shared.target.abi_functions();
        let parse = |(index, text): (usize, &String)| {
            let call = parse_call(text, &functions);
            let call = call.map_err(|source| InjectError::Call { index, source })?;
            Ok(Template { function: call.function, arguments: call.arguments, sender, value })
        };
        calls.iter().enumerate().map(parse).collect()
    }

    /// Adds a function (a signature or a bare name) to the set that gets nine calls of ten.
    /// Returns the set and whether any function of the target matches.
    pub fn prioritize(&self, signature: &str) -> Prioritized {
        let mut priorities = lock(&self.priorities);
        if !priorities.iter().any(|p| p == signature) {
            priorities.push(signature.to_owned());
        }
        let known = !self.matching(signature).is_empty();
        let epoch = self.shared.exchange.command(self.priorities_of(&priorities));
        Prioritized { functions: priorities.clone(), known, epoch }
    }

    /// Empties the set. Returns its former size and the epoch from which on all are equal.
    pub fn clear_priorities(&self) -> (usize, u64) {
        let mut priorities = lock(&self.priorities);
        let cleared = priorities.len();
        priorities.clear();
        (cleared, self.shared.exchange.command(Command::Prioritize(Vec::new())))
    }

    /// The functions that get nine calls of ten.
    pub fn priorities(&self) -> Vec<String> {
        lock(&self.priorities).clone()
    }

    /// Indices of functions with a signature or a bare name, case aside.
    pub fn matching(&self, text: &str) -> Vec<usize> {
        let functions = &self.shared.target.functions;
        let named = |i: &usize| {
            let function = &functions[*i].function;
            function.signature.eq_ignore_ascii_case(text)
                || function.name.eq_ignore_ascii_case(text)
        };
        (0..functions.len()).filter(named).collect()
    }

    fn priorities_of(&self, priorities: &[String]) -> Command {
        Command::Prioritize(priorities.iter().flat_map(|p| self.matching(p)).collect())
    }

    /// Files orders before any worker runs.
    fn schedule(&self, orders: &[Scheduled]) -> Result<(), InjectError> {
        let mut priorities = lock(&self.priorities);
        for Scheduled { epoch, order } in orders {
            let command = match order {
                Order::Inject { calls, sender, value } => {
                    Command::Inject(Arc::new(self.templates(calls, *sender, *value)?))
                }
                Order::Prioritize(signature) => {
                    if !priorities.contains(signature) {
                        priorities.push(signature.clone());
                    }
                    self.priorities_of(&priorities)
                }
                Order::ClearPriorities => {
                    priorities.clear();
                    Command::Prioritize(Vec::new())
                }
                Order::AddTest(test) => {
                    self.append_test(test.clone());
                    Command::AddTest(test.clone())
                }
                Order::Stop => Command::Stop,
            };
            self.shared.exchange.command_at(*epoch, command);
        }
        Ok(())
    }
}
