//! What goes into a machine and what comes out: rules, calls, and how they ended. Nothing here runs code.

use super::cheats::NamedCode;
use revm::interpreter::InstructionResult;
use revm::primitives::{Address, B256, Bytes, U256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The rules all transactions run under.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Largest code a contract may have.
    pub code_size_limit: usize,
    /// The chain's number.
    pub chain_id: u64,
    /// Timestamp of the first block.
    pub timestamp: u64,
    /// Number of the first block.
    pub block_number: u64,
    /// Topics of events that mean a failed assertion.
    pub assertion_topics: Vec<B256>,
    /// Whether `vm.ffi` may run programs.
    pub allow_ffi: bool,
    /// What was compiled, if contracts may ask for it by name.
    pub codes: Option<Arc<[NamedCode]>>,
    /// Variables of the environment that deployment has set.
    pub environment: BTreeMap<String, String>,
}

/// One message call from outside.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who sends it.
    pub from: Address,
    /// To whom.
    pub to: Address,
    /// Ether sent along; it is made for the purpose, as in the reference.
    pub value: U256,
    /// Calldata.
    pub data: Bytes,
    /// Gas available.
    pub gas: u64,
    /// What `GASPRICE` answers.
    pub gas_price: u128,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It returned.
    Success,
    /// It reverted, with or without data.
    Revert,
    /// It ran into the `INVALID` instruction, which old compilers use for `assert`.
    Invalid,
    /// It ran out of gas.
    OutOfGas,
    /// Any other exceptional halt.
    Halt(InstructionResult),
}

impl From<InstructionResult> for Ending {
    fn from(result: InstructionResult) -> Self {
        match result {
            r if r.is_ok() => Self::Success,
            r if r.is_revert() => Self::Revert,
            InstructionResult::InvalidFEOpcode => Self::Invalid,
            InstructionResult::OutOfGas
            | InstructionResult::MemoryOOG
            | InstructionResult::MemoryLimitOOG
            | InstructionResult::PrecompileOOG
            | InstructionResult::InvalidOperandOOG
            | InstructionResult::ReentrancySentryOOG => Self::OutOfGas,
            other => Self::Halt(other),
        }
    }
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Return or revert data.
    pub output: Bytes,
    /// Gas spent.
    pub gas_used: u64,
    /// The address of a created contract.
    pub created: Option<Address>,
}

impl Outcome {
    /// Whether the call returned.
    pub fn is_success(&self) -> bool {
        self.ending == Ending::Success
    }
}

/// What a transaction costs before its first instruction.
pub(crate) fn intrinsic_gas(data: &[u8]) -> u64 {
    data.iter().fold(21_000, |gas, byte| gas + if *byte == 0 { 4 } else { 16 })
}

/// The code of Solidity's `Panic(uint256)`.
pub(crate) fn panic_code(output: &[u8]) -> Option<u8> {
    let is_panic = output.len() == 36 && output.starts_with(&[0x4e, 0x48, 0x7b, 0x71]);
    (is_panic && output[4..35].iter().all(|b| *b == 0)).then(|| output[35])
}
