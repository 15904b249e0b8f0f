//! What the instruction hooks write down while code runs.

use super::cheat_state::CheatState;
use super::codes::{CodeLayout, CodeSlot};
use super::hashes::PairHashes;
use super::reads::Reads;
use super::trace::Trace;
use revm::primitives::{Address, B256, U256};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher as _;
use std::sync::Arc;

/// Number of entries of the edge map; a power of two.
pub(crate) const EDGES: usize = 1 << 16;
/// Comparisons kept per transaction.
const MAX_COMPARISONS: usize = 192;
/// Hash preimages kept per transaction.
const MAX_PREIMAGES: usize = 24;

/// The operator of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `EQ`.
    Equal,
    /// `LT` or `GT`.
    Unsigned,
    /// `SLT` or `SGT`.
    Signed,
}

/// Two operands that met in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Counter index of the instruction: identifies code and place.
    pub site: u32,
    /// Which comparison.
    pub operator: Operator,
    /// The operand on top of the stack.
    pub left: U256,
    /// The other one.
    pub right: U256,
}

/// An open frame.
#[derive(Clone, Copy, Debug)]
struct Frame {
    slot: CodeSlot,
    /// How many contracts had destroyed themselves when it was entered.
    destroyed: usize,
}

/// Counters and logs, owned by one machine.
#[derive(Debug, Default)]
pub struct Probe {
    pub(crate) layout: Arc<CodeLayout>,
    slots: FxHashMap<B256, CodeSlot>,
    creations: FxHashMap<u64, CodeSlot>,
    frames: Vec<Frame>,
    pub(crate) current: CodeSlot,
    /// How often each block was entered, by counter index.
    pub hits: Vec<u64>,
    /// How often each edge was taken, by hashed edge.
    pub edges: Vec<u32>,
    /// Edges taken for the first time since [`Probe::begin`].
    pub fresh: Vec<u16>,
    /// Blocks entered for the first time since [`Probe::begin`], by counter index.
    pub fresh_blocks: Vec<u32>,
    /// Comparisons since [`Probe::begin`].
    pub comparisons: Vec<Comparison>,
    /// Inputs of hashes since [`Probe::begin`].
    pub preimages: Vec<(B256, Vec<u8>)>,
    /// Contracts created since [`Probe::begin`], also in frames that were undone.
    pub created: Vec<Address>,
    /// Contracts that destroyed themselves since [`Probe::begin`], in frames that were not undone.
    pub destroyed: Vec<Address>,
    /// An `AssertionFailed` event was emitted, even if its frame was undone later.
    pub assertion_event: bool,
    /// Some frame ended with `Panic(1)`.
    pub assertion_panic: bool,
    /// Arithmetic panicked in some frame (`Panic(0x11)`).
    pub overflow_panic: bool,
    /// Something self-destructed: the journal cannot undo that over transactions.
    pub self_destructed: bool,
    /// The block's time or number was read.
    pub environment_read: bool,
    /// The deepest frame.
    pub max_depth: usize,
    /// Topics that mean a failed assertion.
    pub(crate) assertion_topics: Vec<B256>,
    pub(crate) cheats: CheatState,
    pub(crate) pairs: PairHashes,
    pub(crate) reads: Reads,
    pub(crate) trace: Option<Trace>,
}

impl Probe {
    pub(crate) fn new(layout: Arc<CodeLayout>, assertion_topics: Vec<B256>) -> Self {
        Self {
            hits: vec![0; layout.size()],
            edges: vec![0; EDGES],
            layout,
            assertion_topics,
            ..Self::default()
        }
    }

    /// Forgets the logs of the last call; counters stay.
    pub(crate) fn begin(&mut self) {
        self.fresh.clear();
        self.fresh_blocks.clear();
        self.comparisons.clear();
        self.preimages.clear();
        self.created.clear();
        self.destroyed.clear();
        self.frames.clear();
        self.assertion_event = false;
        self.assertion_panic = false;
        self.overflow_panic = false;
        self.environment_read = false;
        self.max_depth = 0;
    }

    #[inline]
    pub(crate) fn edge(&mut self, from: usize, to: usize) {
        let CodeSlot { base, len, salt, .. } = self.current;
        let at = base as usize + if to < len as usize { to } else { 0 };
        if let Some(count) = self.hits.get_mut(at) {
            if *count == 0 {
                self.fresh_blocks.push(at as u32);
            }
            *count += 1;
        }
        let mixed = (from as u32).rotate_left(7) ^ (to as u32).wrapping_mul(0x9e37_79b1) ^ salt;
        self.count_edge(((mixed >> 16) ^ mixed) as u16);
    }

    #[inline]
    fn count_edge(&mut self, edge: u16) {
        let count = &mut self.edges[edge as usize];
        if *count == 0 {
            self.fresh.push(edge);
        }
        *count = count.saturating_add(1);
    }

    /// Counts something other than a jump as coverage: how a call ended, how deep it went.
    pub(crate) fn mark(&mut self, what: u32) {
        let mixed = what.wrapping_mul(0x85eb_ca6b) ^ 0x5bd1_e995;
        self.count_edge(((mixed >> 16) ^ mixed) as u16);
    }

    #[inline]
    pub(crate) fn compare(&mut self, pc: usize, operator: Operator, left: U256, right: U256) {
        if left != right {
            let site = self.current.base + pc as u32;
            if self.comparisons.len() >= MAX_COMPARISONS {
                // Decoding long arguments compares much; what decides comes after it.
                self.comparisons.drain(..MAX_COMPARISONS / 2);
            }
            self.comparisons.push(Comparison { site, operator, left, right });
        }
    }

    pub(crate) fn preimage(&mut self, hash: B256, data: &[u8]) {
        if self.preimages.len() < MAX_PREIMAGES {
            self.preimages.push((hash, data.to_vec()));
        }
    }

    /// The number of frames that are open.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(crate) fn enter(&mut self, hash: Option<B256>, code: &[u8]) {
        let slot = match hash {
            Some(hash) => match self.slots.get(&hash) {
                Some(slot) => *slot,
                None => self.remember(hash, code),
            },
            None => self.creation_slot(code),
        };
        self.frames.push(Frame { slot, destroyed: self.destroyed.len() });
        self.max_depth = self.max_depth.max(self.frames.len());
        self.current = slot;
        if let Some(count) = self.hits.get_mut(slot.base as usize) {
            *count += 1;
        }
    }

    /// Closes a frame; what happened in it is undone unless it succeeded.
    pub(crate) fn leave(&mut self, success: bool) {
        if let Some(frame) = self.frames.pop()
            && !success
        {
            self.destroyed.truncate(frame.destroyed);
        }
        self.current = self.frames.last().map(|frame| frame.slot).unwrap_or_default();
    }

    fn remember(&mut self, hash: B256, code: &[u8]) -> CodeSlot {
        let slot = self.layout.identify(code, false);
        // A contract that makes ever new code must not make the table grow without end.
        if self.slots.len() > 4096 {
            self.slots.clear();
        }
        self.slots.insert(hash, slot);
        slot
    }

    fn creation_slot(&mut self, code: &[u8]) -> CodeSlot {
        let key = FxBuildHasher.hash_one(code);
        if let Some(slot) = self.creations.get(&key) {
            return *slot;
        }
        let slot = self.layout.identify(code, true);
        if self.creations.len() > 4096 {
            self.creations.clear();
        }
        self.creations.insert(key, slot);
        slot
    }
}
