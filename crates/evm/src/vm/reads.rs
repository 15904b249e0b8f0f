//! What a call read of the world. As long as all of that is as it was, the call would come to the same
//! end again, so that asking a test once more can be left out.
//!
//! A call that does more than read (writes, creates, sends ether, uses a cheatcode) is *opaque*: nothing
//! is concluded from it.

use super::world::SharedWorld;
use revm::Database;
use revm::context::BlockEnv;
use revm::primitives::{Address, B256, KECCAK_EMPTY, U256};
use revm::state::{Account, EvmState};

/// A call that reads more than this is made again: comparing would cost as much.
const MAX_READS: usize = 48;

/// One thing that was read, with what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Slot(Address, U256, U256),
    Balance(Address, U256),
    Code(Address, B256),
}

/// What the calls since [`Reads::begin`] have read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// Whether instructions shall write down what they read.
    pub(super) recording: bool,
    opaque: bool,
    /// The block's time or number was read.
    clock: bool,
    seen: Vec<Read>,
    block: BlockEnv,
    chain_id: u64,
}

impl Reads {
    pub(super) fn begin(&mut self, block: &BlockEnv, chain_id: u64) {
        self.recording = true;
        self.opaque = false;
        self.clock = false;
        self.seen.clear();
        self.block.clone_from(block);
        self.chain_id = chain_id;
    }

    pub(super) fn slot(&mut self, address: Address, slot: U256, value: U256) {
        self.note(Read::Slot(address, slot, value));
    }

    pub(super) fn balance(&mut self, address: Address, balance: U256) {
        self.note(Read::Balance(address, balance));
    }

    pub(super) fn code(&mut self, address: Address, hash: B256) {
        self.note(Read::Code(address, hash));
    }

    pub(super) fn clock(&mut self) {
        self.clock = true;
    }

    pub(super) fn nothing_known(&mut self) {
        self.opaque = true;
    }

    fn note(&mut self, read: Read) {
        if !self.recording || self.opaque || self.seen.contains(&read) {
            return;
        }
        if self.seen.len() < MAX_READS {
            self.seen.push(read);
        } else {
            self.opaque = true;
        }
    }

    /// Whether anything can be concluded from these reads.
    pub(crate) fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// Whether everything that was read is still as it was.
    pub(super) fn still_hold(
        &self,
        state: &EvmState,
        world: &mut SharedWorld,
        block: &BlockEnv,
        chain_id: u64,
    ) -> bool {
        let clock_stands =
            block.timestamp == self.block.timestamp && block.number == self.block.number;
        (clock_stands || !self.clock)
            && self.chain_id == chain_id
            && self.is_same_but_for_the_clock(block)
            && self.seen.iter().all(|read| is_still(read, state, world))
    }

    fn is_same_but_for_the_clock(&self, block: &BlockEnv) -> bool {
        let BlockEnv {
            number: _,
            timestamp: _,
            beneficiary,
            gas_limit,
            basefee,
            difficulty,
            prevrandao,
            blob_excess_gas_and_price,
            slot_num,
        } = &self.block;
        *basefee == block.basefee
            && *beneficiary == block.beneficiary
            && *gas_limit == block.gas_limit
            && *difficulty == block.difficulty
            && *prevrandao == block.prevrandao
            && *blob_excess_gas_and_price == block.blob_excess_gas_and_price
            && *slot_num == block.slot_num
    }
}

fn is_still(read: &Read, state: &EvmState, world: &mut SharedWorld) -> bool {
    match read {
        Read::Slot(address, slot, value) => slot_of(state, world, *address, *slot) == *value,
        Read::Balance(address, balance) => {
            info(state, world, *address, |i| i.balance, U256::ZERO) == *balance
        }
        Read::Code(address, hash) => {
            info(state, world, *address, |i| i.code_hash, KECCAK_EMPTY) == *hash
        }
    }
}

fn slot_of(state: &EvmState, world: &mut SharedWorld, address: Address, slot: U256) -> U256 {
    let account = state.get(&address);
    match account.and_then(|account| account.storage.get(&slot)) {
        Some(slot) => slot.present_value,
        None if account.is_some_and(Account::is_created) => U256::ZERO,
        None => world.storage(address, slot).unwrap_or_default(),
    }
}

fn info<T>(
    state: &EvmState,
    world: &mut SharedWorld,
    address: Address,
    part: fn(&revm::state::AccountInfo) -> T,
    nothing: T,
) -> T {
    match state.get(&address) {
        Some(account) => part(&account.info),
        None => world.basic(address).ok().flatten().map_or(nothing, |info| part(&info)),
    }
}

/// The hash of an account's code, as calls see it.
pub(super) fn code_hash(state: &EvmState, world: &mut SharedWorld, address: Address) -> B256 {
    info(state, world, address, |i| i.code_hash, KECCAK_EMPTY)
}
