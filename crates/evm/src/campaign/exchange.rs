//! Where workers meet: what one found reaches the others a whole epoch later, in a fixed order.
//!
//! This is the seam for campaigns over many machines: an [`Exchange`] needs only to deliver, for an
//! epoch, what every worker has put in.

use super::fuzzer::Harvest;
use crate::abi::Argument;
use crate::checks::Test;
use revm::primitives::{Address, U256};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A command that takes effect at the start of an epoch, for all workers alike.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Run this sequence verbatim, its holes filled, and keep it.
    Inject(Arc<Vec<Template>>),
    /// Give nine calls of ten to these functions; none means all are equal.
    Prioritize(Vec<usize>),
    /// Check this too from now on.
    AddTest(Arc<Test>),
    /// Make this epoch the last.
    Stop,
}

/// A transaction with holes.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) function: usize,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) sender: Address,
    pub(crate) value: U256,
}

/// The contributions of all workers to one epoch, by worker.
pub(crate) type Round = Vec<Arc<Harvest>>;

#[derive(Debug, Default)]
struct State {
    /// By epoch, then by worker.
    rounds: BTreeMap<u64, Vec<Option<Arc<Harvest>>>>,
    /// The last epoch each worker has begun.
    begun: Vec<u64>,
    /// The epoch from which on a worker contributes nothing.
    gone: Vec<Option<u64>>,
    commands: Vec<(u64, Command)>,
}

impl State {
    /// The first epoch that no worker has begun.
    fn next(&self) -> u64 {
        self.begun.iter().max().copied().unwrap_or(0) + 1
    }
}

/// The meeting place of the workers of one process.
#[derive(Debug)]
pub(crate) struct Exchange {
    state: Mutex<State>,
    changed: Condvar,
    workers: usize,
}

impl Exchange {
    pub(crate) fn new(workers: usize) -> Self {
        let state =
            State { begun: vec![0; workers], gone: vec![None; workers], ..State::default() };
        Self { state: Mutex::new(state), changed: Condvar::new(), workers }
    }

    /// Puts in what a worker found in an epoch. A round that is now complete is handed to
    /// `completed`, under the lock: rounds are completed in order.
    pub(crate) fn give(
        &self,
        worker: usize,
        epoch: u64,
        harvest: Harvest,
        completed: impl FnOnce(&Round),
    ) {
        let mut state = self.lock();
        let round = state.rounds.entry(epoch).or_insert_with(|| vec![None; self.workers]);
        round[worker] = Some(Arc::new(harvest));
        if let Some(round) = self.complete(&state, epoch) {
            completed(&round);
        }
        self.changed.notify_all();
    }

    /// A worker contributes nothing from this epoch on.
    pub(crate) fn leave(&self, worker: usize, epoch: u64, mut completed: impl FnMut(&Round)) {
        let mut state = self.lock();
        let waiting: Vec<u64> =
            state.rounds.keys().copied().filter(|e| self.complete(&state, *e).is_none()).collect();
        state.gone[worker] = Some(epoch);
        for round in waiting.into_iter().filter_map(|e| self.complete(&state, e)) {
            completed(&round);
        }
        self.changed.notify_all();
    }

    /// Begins an epoch: waits for the round before last, and returns it with the commands that
    /// take effect now.
    pub(crate) fn begin(&self, worker: usize, epoch: u64) -> (Option<Round>, Vec<Command>) {
        let mut state = self.lock();
        state.begun[worker] = epoch;
        let commands = state.commands.iter().filter(|(e, _)| *e == epoch);
        let commands = commands.map(|(_, command)| command.clone()).collect();
        let Some(wanted) = epoch.checked_sub(2) else { return (None, commands) };
        loop {
            if let Some(round) = self.complete(&state, wanted) {
                self.forget(&mut state);
                return (Some(round), commands);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Files a command; it takes effect at the returned epoch.
    pub(crate) fn command(&self, command: Command) -> u64 {
        let mut state = self.lock();
        let epoch = state.next();
        state.commands.push((epoch, command));
        epoch
    }

    /// Files a command for an epoch that no worker has begun.
    pub(crate) fn command_at(&self, epoch: u64, command: Command) {
        self.lock().commands.push((epoch, command));
    }

    /// The epoch that a command filed now would take effect at.
    pub(crate) fn next_epoch(&self) -> u64 {
        self.lock().next()
    }

    fn complete(&self, state: &State, epoch: u64) -> Option<Round> {
        let round = state.rounds.get(&epoch);
        (0..self.workers)
            .map(|worker| {
                let given = round.and_then(|r| r[worker].clone());
                let gone = state.gone[worker].is_some_and(|from| epoch >= from);
                given.or_else(|| gone.then(Arc::default))
            })
            .collect()
    }

    /// Rounds that every worker has seen are dropped.
    fn forget(&self, state: &mut State) {
        let slowest = (0..self.workers)
            .filter(|w| state.gone[*w].is_none())
            .map(|w| state.begun[w])
            .min()
            .unwrap_or(0);
        state.rounds.retain(|epoch, _| epoch + 3 > slowest);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
