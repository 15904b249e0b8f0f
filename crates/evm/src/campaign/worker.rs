//! The life of a worker thread, and what all workers share.

use super::corpus::{Corpus, Origin};
use super::events::{EventKind, EventLog, EventValue};
use super::exchange::{Command, Exchange, Round};
use super::fuzzer::{Finding, Fuzzer, Harvest};
use super::gas::GasPeaks;
use super::shrink::Shrinker;
use super::snapshot::{Failure, FunctionCounts, WorkerStatus};
use crate::checks::Test;
use crate::config::Config;
use crate::input::Sequence;
use crate::target::{Target, name_cheat};
use arc_swap::ArcSwap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::hash::BuildHasher as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Gas after which an epoch ends even if it has calls left: about half a second of work.
const EPOCH_GAS: u64 = 400_000_000;
/// Published views are at most this old, plus an epoch.
const PUBLISH_EVERY: Duration = Duration::from_millis(100);

/// What a worker last published.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) status: WorkerStatus,
    pub(super) counts: Vec<FunctionCounts>,
    pub(super) hits: Arc<Vec<u64>>,
    pub(super) peaks: GasPeaks,
}

/// Everything workers, shrinkers and the handle have in common.
pub(super) struct Shared {
    pub(super) target: Arc<Target>,
    pub(super) config: Arc<Config>,
    pub(super) seed: u64,
    pub(super) started: Instant,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) stop_shrinking: Arc<AtomicBool>,
    pub(super) exchange: Exchange,
    pub(super) boards: Vec<ArcSwap<Board>>,
    pub(super) corpus: ArcSwap<Corpus>,
    /// The target's tests and those added since: none ever goes away.
    pub(super) tests: ArcSwap<Vec<Arc<Test>>>,
    /// By test, as far as one failed.
    failures: ArcSwap<Vec<Option<Arc<Failure>>>>,
    /// Written by workers; read through the copy that is published.
    events: Mutex<EventLog>,
    pub(super) diary: ArcSwap<EventLog>,
    pub(super) running: AtomicUsize,
    pub(super) edges: AtomicUsize,
    /// Milliseconds after the start when something new was last reached.
    pub(super) last_new: AtomicU64,
    /// Milliseconds after the start when everything was over; 0 before.
    pub(super) ended: AtomicU64,
    pub(super) warnings: Mutex<BTreeSet<String>>,
    pub(super) initial: Vec<Sequence>,
    known: Mutex<Known>,
    registering: Mutex<()>,
    shrinking: Mutex<Shrinking>,
    pub(super) idle: Condvar,
}

/// What the corpus has already.
#[derive(Debug, Default)]
struct Known {
    edges: FxHashSet<u16>,
    sequences: FxHashSet<u64>,
}

#[derive(Debug, Default)]
struct Shrinking {
    queue: VecDeque<Arc<Failure>>,
    threads: usize,
}

impl Shared {
    pub(super) fn new(
        target: Arc<Target>,
        config: Arc<Config>,
        seed: u64,
        initial: Vec<Sequence>,
    ) -> Self {
        let workers = config.worker_count();
        Self {
            seed,
            started: Instant::now(),
            stop: Arc::default(),
            stop_shrinking: Arc::default(),
            exchange: Exchange::new(workers),
            boards: (0..workers).map(|_| ArcSwap::default()).collect(),
            corpus: ArcSwap::default(),
            tests: ArcSwap::from_pointee(target.tests.clone()),
            failures: ArcSwap::default(),
            events: Mutex::default(),
            diary: ArcSwap::default(),
            running: AtomicUsize::new(workers),
            edges: AtomicUsize::new(0),
            last_new: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            warnings: Mutex::default(),
            initial,
            known: Mutex::default(),
            registering: Mutex::default(),
            shrinking: Mutex::default(),
            idle: Condvar::new(),
            target,
            config,
        }
    }

    pub(super) fn event(
        &self,
        kind: EventKind,
        worker: usize,
        data: Vec<(&'static str, EventValue)>,
    ) {
        lock(&self.events).push(kind, worker, data);
    }

    /// Shows the events so far to readers.
    fn publish_events(&self) {
        let events = lock(&self.events).clone();
        self.diary.store(Arc::new(events));
    }

    pub(super) fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// A round is complete: the corpus grows and failures are registered, in a fixed order.
    fn settle(self: &Arc<Self>, round: &Round) {
        let mut grown: Option<Corpus> = None;
        for (worker, harvest) in round.iter().enumerate() {
            self.note_samples(worker, harvest);
            for entry in &harvest.entries {
                if self.is_known(entry) {
                    continue;
                }
                let corpus = grown.get_or_insert_with(|| Corpus::clone(&self.corpus.load()));
                corpus.push(entry.clone());
                if !entry.edges.is_empty() {
                    self.note_coverage(worker, corpus, entry.edges.len());
                }
            }
            for finding in &harvest.findings {
                self.register(worker, finding);
            }
        }
        if let Some(corpus) = grown {
            self.corpus.store(Arc::new(corpus));
        }
        self.publish_events();
    }

    fn is_known(&self, entry: &super::corpus::Entry) -> bool {
        let mut known = lock(&self.known);
        let hash = FxBuildHasher.hash_one(&entry.sequence);
        let new_sequence = known.sequences.insert(hash);
        let before = known.edges.len();
        known.edges.extend(&entry.edges);
        let new_edges = known.edges.len() > before;
        self.edges.store(known.edges.len(), Ordering::Relaxed);
        let given = !matches!(entry.origin, Origin::Found { .. });
        !(new_sequence && (new_edges || given))
    }

    fn note_coverage(&self, worker: usize, corpus: &Corpus, edges: usize) {
        self.last_new.store(self.millis(), Ordering::Relaxed);
        let data = vec![
            ("newEdges", EventValue::Number(edges as u64)),
            ("edges", EventValue::Number(self.edges.load(Ordering::Relaxed) as u64)),
            ("corpusSize", EventValue::Number(corpus.transactions() as u64)),
        ];
        self.event(EventKind::CoverageIncreased, worker, data);
    }

    fn note_samples(&self, worker: usize, harvest: &Harvest) {
        for sample in &harvest.samples {
            let call = sample.transaction.render(&self.target.functions);
            let data = vec![
                ("call", EventValue::Text(call)),
                ("sender", EventValue::Text(format!("{:#x}", sample.transaction.sender))),
                ("value", EventValue::Text(sample.transaction.value.to_string())),
                ("gasUsed", EventValue::Number(sample.gas)),
                ("success", EventValue::Flag(sample.success)),
                ("injected", EventValue::Flag(sample.injected)),
            ];
            self.event(EventKind::TransactionExecuted, worker, data);
        }
    }

    /// A failure that was found beside the workers.
    pub(super) fn report(self: &Arc<Self>, finding: &Finding) {
        self.register(0, finding);
        self.publish_events();
    }

    /// The first to falsify a test wins; the best value of an optimisation wins.
    fn register(self: &Arc<Self>, worker: usize, finding: &Finding) {
        let _one = lock(&self.registering);
        let better = match (self.failure(finding.test), finding.value) {
            (None, _) => true,
            (Some(old), Some(value)) => old.value.is_none_or(|best| value > best),
            (Some(_), None) => false,
        };
        if !better {
            return;
        }
        let failure = Arc::new(Failure {
            test: finding.test,
            worker,
            found: finding.sequence.clone(),
            sequence: finding.sequence.clone(),
            shrunk: false,
            value: finding.value,
        });
        self.store_failure(&failure);
        self.note_failure(&failure);
        // An optimisation is shrunk when its value is final.
        if failure.value.is_none() || self.ended.load(Ordering::Acquire) != 0 {
            self.shrink_later(failure);
        }
    }

    fn note_failure(&self, failure: &Failure) {
        let functions = &self.target.functions;
        let calls = failure.sequence.iter().map(|t| t.render(functions)).collect();
        let mut data = vec![
            ("property", EventValue::Text(self.test(failure.test).name.clone())),
            ("counterexample", EventValue::List(calls)),
            ("shrunk", EventValue::Flag(failure.shrunk)),
        ];
        data.extend(failure.value.map(|v| ("value", EventValue::Text(v.to_string()))));
        self.event(EventKind::PropertyFalsified, failure.worker, data);
    }

    /// What falsified a test, if anything has.
    pub(super) fn failure(&self, test: usize) -> Option<Arc<Failure>> {
        self.failures.load().get(test).cloned().flatten()
    }

    /// A test by its index.
    pub(super) fn test(&self, index: usize) -> Arc<Test> {
        self.tests.load()[index].clone()
    }

    fn store_failure(&self, failure: &Arc<Failure>) {
        self.failures.rcu(|failures| {
            let mut failures = Vec::clone(failures);
            failures.resize(failures.len().max(failure.test + 1), None);
            failures[failure.test] = Some(failure.clone());
            failures
        });
    }

    /// Shrinking runs beside the workers, on as many threads as there are workers.
    pub(super) fn shrink_later(self: &Arc<Self>, failure: Arc<Failure>) {
        let mut shrinking = lock(&self.shrinking);
        shrinking.queue.push_back(failure);
        if shrinking.threads < self.boards.len() {
            shrinking.threads += 1;
            let shared = self.clone();
            std::thread::spawn(move || shared.shrink_all());
        }
    }

    fn shrink_all(self: Arc<Self>) {
        loop {
            let next = {
                let mut shrinking = lock(&self.shrinking);
                let next = shrinking.queue.pop_front();
                if next.is_none() {
                    shrinking.threads -= 1;
                    self.idle.notify_all();
                }
                next
            };
            match next {
                Some(failure) => self.shrink_safely(&failure),
                None => return,
            }
        }
    }

    /// A fault of ours must not keep anybody waiting: the sequence then stays as it was found.
    fn shrink_safely(&self, failure: &Failure) {
        let shrunk = catch_unwind(AssertUnwindSafe(|| self.shrink(failure)));
        if shrunk.is_err() {
            let name = &self.test(failure.test).name;
            let said = format!("shrinking `{name}` stopped on an internal fault");
            lock(&self.warnings).insert(said);
            self.store_failure(&Arc::new(Failure { shrunk: true, ..failure.clone() }));
        }
    }

    fn shrink(&self, failure: &Failure) {
        let mut shrinker = Shrinker::new(
            self.target.clone(),
            self.config.clone(),
            self.test(failure.test),
            failure.value,
            self.stop_shrinking.clone(),
        );
        let sequence = shrinker.shrink(&failure.found);
        let shrunk = Arc::new(Failure { sequence, shrunk: true, ..failure.clone() });
        self.store_failure(&shrunk);
        self.note_failure(&shrunk);
        self.publish_events();
    }

    /// Waits until no thread works any more, or until a moment. Returns whether all is over.
    pub(super) fn wait_until(&self, deadline: Option<Instant>) -> bool {
        let mut shrinking = lock(&self.shrinking);
        loop {
            let over = self.ended.load(Ordering::Acquire) != 0
                && shrinking.threads == 0
                && shrinking.queue.is_empty();
            if over {
                return true;
            }
            let pause = match deadline {
                None => Duration::from_secs(1),
                Some(deadline) => match deadline.checked_duration_since(Instant::now()) {
                    Some(left) if !left.is_zero() => left.min(Duration::from_secs(1)),
                    _ => return false,
                },
            };
            let woken = self.idle.wait_timeout(shrinking, pause);
            shrinking = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Called by the last worker: optimisations are shrunk now that their value is final.
    fn finish(self: &Arc<Self>) {
        for failure in self.failures.load().iter().flatten() {
            if failure.value.is_some() && !failure.shrunk {
                self.shrink_later(failure.clone());
            }
        }
        self.ended.store(self.millis().max(1), Ordering::Release);
        let _shrinking = lock(&self.shrinking);
        self.idle.notify_all();
    }
}

/// A worker's whole life. One that stops on a fault of ours leaves in good order, so that nobody waits
/// for it.
pub(super) fn work(shared: &Arc<Shared>, worker: usize) {
    if catch_unwind(AssertUnwindSafe(|| fuzz(shared, worker))).is_err() {
        lock(&shared.warnings).insert(format!("worker {worker} stopped on an internal fault"));
        shared.exchange.leave(worker, 0, |round| shared.settle(round));
        shared.event(EventKind::WorkerStopped, worker, Vec::new());
        shared.publish_events();
    }
    if shared.running.fetch_sub(1, Ordering::AcqRel) == 1 {
        shared.finish();
    }
}

fn fuzz(shared: &Arc<Shared>, worker: usize) {
    shared.event(EventKind::WorkerStarted, worker, Vec::new());
    shared.publish_events();
    let workers = shared.boards.len() as u64;
    let limit = shared.config.test_limit / workers
        + u64::from((worker as u64) < shared.config.test_limit % workers);
    let mut fuzzer = Fuzzer::new(
        shared.target.clone(),
        shared.config.clone(),
        worker,
        shared.seed,
        limit,
        shared.stop.clone(),
    );
    let mut publisher = Publisher { shared, worker, last: None };
    let epoch = run_epochs(shared, worker, &mut fuzzer, &mut publisher);
    shared.exchange.leave(worker, epoch, |round| shared.settle(round));
    publisher.publish(&fuzzer, epoch, false);
    let cheats = &fuzzer.machine.probe().cheats.unknown;
    lock(&shared.warnings).extend(cheats.iter().map(|c| name_cheat(c, &shared.target.artifacts)));
    shared.event(
        EventKind::WorkerStopped,
        worker,
        vec![("calls", EventValue::Number(fuzzer.calls))],
    );
    shared.publish_events();
}

fn run_epochs(
    shared: &Arc<Shared>,
    worker: usize,
    fuzzer: &mut Fuzzer,
    publisher: &mut Publisher<'_>,
) -> u64 {
    let mut epoch = 0;
    loop {
        let (round, commands) = shared.exchange.begin(worker, epoch);
        let any_failed = round.is_some_and(|round| take_in(fuzzer, worker, &round));
        if epoch == 0 {
            fuzzer.check_start();
            let own = shared.initial.iter().skip(worker).step_by(shared.boards.len());
            own.for_each(|sequence| fuzzer.run_given(sequence, Origin::Disk));
        }
        let mut last = false;
        for command in commands {
            match command {
                Command::Stop => last = true,
                Command::Inject(templates) => fuzzer.run_templates(&templates),
                Command::Prioritize(functions) => fuzzer.prioritize(functions),
                Command::AddTest(test) => fuzzer.add_test(&test),
            }
        }
        let done = last
            || fuzzer.is_spent()
            || shared.stop.load(Ordering::Relaxed)
            || !fuzzer.has_open_tests()
            || any_failed && shared.config.stop_on_fail;
        let harvest = fuzzer.epoch(if done { 0 } else { epoch_calls(epoch) }, EPOCH_GAS);
        shared.exchange.give(worker, epoch, harvest, |round| shared.settle(round));
        publisher.publish(fuzzer, epoch, true);
        epoch += 1;
        if done {
            return epoch;
        }
    }
}

/// Short epochs at first, so that workers share early; long ones later, so that they rarely wait.
fn epoch_calls(epoch: u64) -> u64 {
    256 << epoch.min(5)
}

/// Learns what the others found. Returns whether a test was falsified.
fn take_in(fuzzer: &mut Fuzzer, worker: usize, round: &Round) -> bool {
    let mut failed = false;
    for (other, harvest) in round.iter().enumerate() {
        for finding in &harvest.findings {
            match finding.value {
                Some(value) => fuzzer.raise_best(finding.test, value, &finding.sequence),
                None => fuzzer.close_test(finding.test),
            }
            failed |= finding.value.is_none();
        }
        if other != worker {
            let found = |e: &&Arc<super::corpus::Entry>| e.origin != Origin::Injected;
            harvest.entries.iter().filter(found).for_each(|entry| fuzzer.import(entry));
        }
    }
    failed
}

/// Publishes a worker's view now and then.
struct Publisher<'a> {
    shared: &'a Shared,
    worker: usize,
    last: Option<Instant>,
}

impl Publisher<'_> {
    fn publish(&mut self, fuzzer: &Fuzzer, epoch: u64, running: bool) {
        if running && self.last.is_some_and(|last| last.elapsed() < PUBLISH_EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let status = WorkerStatus {
            calls: fuzzer.calls,
            gas: fuzzer.gas,
            epoch,
            running,
            cpu: thread_cpu(),
        };
        self.shared.boards[self.worker].store(Arc::new(Board {
            status,
            counts: fuzzer.counts.clone(),
            peaks: fuzzer.peaks.clone(),
            hits: Arc::new(fuzzer.machine.probe().hits.clone()),
        }));
    }
}

/// CPU time of the calling thread.
fn thread_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
