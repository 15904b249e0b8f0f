//! What cheatcodes have asked for and not yet been given.

use revm::context_interface::journaled_state::JournalCheckpoint;
use revm::primitives::{Address, Bytes, Log, U256, address};
use std::collections::{BTreeMap, BTreeSet};

/// The address that Foundry and hevm answer cheatcodes at.
pub const CHEAT_ADDRESS: Address = address!("7109709ECfa91a80626fF3989D68f67F5b1DD12D");

/// The state behind the cheatcodes of one machine.
#[derive(Debug, Default)]
pub struct CheatState {
    /// Whether any of what follows could matter to the next frame.
    pub(crate) in_use: bool,
    pub(crate) prank: Option<Prank>,
    pub(crate) expected_revert: Option<ExpectedRevert>,
    pub(crate) expected_events: Vec<ExpectedEvent>,
    pub(crate) expected_calls: Vec<ExpectedCall>,
    pub(crate) mocks: Vec<Mock>,
    pub(crate) snapshots: Vec<Snapshot>,
    pub(crate) recorded_logs: Option<usize>,
    pub(crate) random: u64,
    /// `vm.assume(false)` was called: the transaction does not count.
    pub assume_failed: bool,
    /// `fail()` was called and not undone: it stays until the state goes back.
    pub failed: bool,
    /// In this transaction an `assert*` of forge-std failed or `fail()` was called.
    pub failed_now: bool,
    /// What `failed` was before this transaction.
    pub(crate) failed_before: bool,
    /// Variables that `setEnv` has set; they hide those of the process.
    pub(crate) environment: BTreeMap<String, String>,
    /// The variables that sequences start with.
    pub(crate) first_environment: BTreeMap<String, String>,
    /// Names given to addresses.
    pub labels: BTreeMap<Address, String>,
    /// Cheatcodes that were called and are not supported.
    pub unknown: BTreeSet<String>,
}

/// Calls from one frame pretend to come from somebody else.
#[derive(Clone, Debug)]
pub(crate) struct Prank {
    pub(crate) caller: Address,
    pub(crate) origin: Option<Address>,
    /// Frames of exactly this depth are affected.
    pub(crate) depth: usize,
    pub(crate) once: bool,
}

/// The next call from a frame must revert.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedRevert {
    pub(crate) depth: usize,
    /// The exact data, or its first bytes.
    pub(crate) data: Option<Bytes>,
}

/// The next call from a frame must emit an event like the one that the frame emits now.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedEvent {
    pub(crate) depth: usize,
    /// Which of the three indexed topics, and whether the data, must be the same.
    pub(crate) checked: [bool; 4],
    pub(crate) emitter: Option<Address>,
    /// The event as the frame showed it.
    pub(crate) pattern: Option<Log>,
    pub(crate) seen: bool,
}

/// A call must be made before a frame ends.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedCall {
    pub(crate) depth: usize,
    pub(crate) to: Address,
    pub(crate) value: Option<U256>,
    /// How its calldata begins.
    pub(crate) data: Bytes,
    /// Exactly how often; none means at least once.
    pub(crate) count: Option<u64>,
    pub(crate) seen: u64,
}

/// A call that is answered without running it.
#[derive(Clone, Debug)]
pub(crate) struct Mock {
    pub(crate) to: Address,
    pub(crate) value: Option<U256>,
    pub(crate) data: Bytes,
    pub(crate) answer: Bytes,
    pub(crate) reverts: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) checkpoint: JournalCheckpoint,
    pub(crate) timestamp: U256,
    pub(crate) number: U256,
}

impl CheatState {
    /// The environment that every sequence finds.
    pub(crate) fn start_with(&mut self, environment: &BTreeMap<String, String>) {
        self.environment.clone_from(environment);
        self.first_environment.clone_from(environment);
    }

    /// A new transaction: what the last one left half-done is forgotten.
    pub(crate) fn begin(&mut self, _from: Address) {
        self.assume_failed = false;
        self.failed_now = false;
        self.failed_before = self.failed;
        if self.in_use {
            self.prank = None;
            self.expected_revert = None;
            self.expected_events.clear();
            self.expected_calls.clear();
            self.in_use = !self.mocks.is_empty();
        }
    }

    /// The state goes back to an earlier point.
    pub(crate) fn end_of_sequence(&mut self) {
        if self.environment != self.first_environment {
            self.environment.clone_from(&self.first_environment);
        }
        if self.failed || self.in_use || !self.snapshots.is_empty() || self.recorded_logs.is_some()
        {
            self.failed = false;
            self.mocks.clear();
            self.snapshots.clear();
            self.recorded_logs = None;
            self.in_use = false;
            self.random = 0;
        }
    }

    /// The logs since `recordLogs`.
    pub(crate) fn logs_since<'a>(&self, logs: &'a [Log]) -> &'a [Log] {
        logs.get(self.recorded_logs.unwrap_or(logs.len())..).unwrap_or_default()
    }
}
