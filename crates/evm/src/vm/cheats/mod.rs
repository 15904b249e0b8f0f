//! Cheatcodes: calls to a magic address that change the world in ways no contract could.
//!
//! Each cheatcode is one row of a table: its signature, the types of its answer and a function over
//! decoded values. A selector that is in no table is an error that names the function.

#![expect(clippy::unnecessary_wraps, reason = "all cheatcodes have one type, failing or not")]

mod account;
mod asserts;
mod calls;
mod chain;
mod code;
mod elsewhere;
mod environment;
mod expect;
mod keys;
mod text;

pub(super) use calls::{after_call, before_call};
pub use code::NamedCode;
pub(super) use expect::after_event;

use super::cheat_state::CHEAT_ADDRESS;
use super::machine::Context;
use super::message::Settings;
use crate::abi::{AbiType, Value, decode, encode};
use revm::handler::{EthPrecompiles, PrecompileProvider};
use revm::interpreter::{CallInputs, Gas, InstructionResult, InterpreterResult};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, AddressSet, Bytes, U256, keccak256};
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock};

/// The rows of the table: signature, answer, function.
type Row = (&'static str, &'static str, fn(&mut Desk<'_>, &[Value]) -> Answer);
/// The values of the answer, or the reason for reverting.
type Answer = Result<Vec<Value>, String>;

/// A cheatcode ready to be called.
pub(crate) struct Cheat {
    /// Its canonical signature.
    pub(crate) signature: &'static str,
    inputs: Vec<AbiType>,
    outputs: Vec<AbiType>,
    run: fn(&mut Desk<'_>, &[Value]) -> Answer,
}

/// Every cheatcode by selector.
pub(crate) static CHEATS: LazyLock<FxHashMap<[u8; 4], Cheat>> = LazyLock::new(|| {
    let tables = [
        account::TABLE,
        asserts::TRUTHS,
        asserts::NUMBERS,
        asserts::DECIMALS,
        asserts::OTHERS,
        calls::TABLE,
        chain::TABLE,
        code::TABLE,
        elsewhere::FILES,
        elsewhere::FORKS,
        elsewhere::RECORDS,
        elsewhere::REVERTERS,
        elsewhere::SCRIPTS,
        environment::TABLE,
        expect::TABLE,
        keys::TABLE,
        text::TABLE,
    ];
    tables.iter().flat_map(|table| table.iter()).map(cheat).collect()
});

fn cheat((signature, outputs, run): &Row) -> ([u8; 4], Cheat) {
    let list = |text: &str| match AbiType::parse(&format!("({text})")) {
        Ok(AbiType::Tuple(types)) => types,
        _ => unreachable!("the tables hold valid types, which a test checks"),
    };
    let open = signature.find('(').map_or(0, |at| at + 1);
    let inputs = list(&signature[open..signature.len() - 1]);
    (selector(signature), Cheat { signature, inputs, outputs: list(outputs), run: *run })
}

fn selector(signature: &str) -> [u8; 4] {
    let hash = keccak256(signature);
    [hash[0], hash[1], hash[2], hash[3]]
}

/// What a cheatcode may touch.
pub(crate) struct Desk<'a> {
    context: &'a mut Context,
    /// Depth of the frame that called.
    depth: usize,
    /// The contract that called.
    caller: Address,
    allow_ffi: bool,
    /// What was compiled, if contracts may ask for it.
    codes: Option<&'a [NamedCode]>,
}

/// Precompiles, and the cheat address among them.
pub(crate) struct Cheats {
    precompiles: EthPrecompiles,
    /// The precompiles' addresses and the cheat address.
    warm: AddressSet,
    allow_ffi: bool,
    codes: Option<Arc<[NamedCode]>>,
}

/// What a call to an address that is warm costs its caller.
const WARM_CALL: u64 = 100;

impl Cheats {
    pub(crate) fn new(spec: SpecId, settings: &Settings) -> Self {
        let precompiles = EthPrecompiles::new(spec);
        let mut warm = precompiles.warm_addresses().clone();
        warm.insert(CHEAT_ADDRESS);
        Self { precompiles, warm, allow_ffi: settings.allow_ffi, codes: settings.codes.clone() }
    }

    pub(crate) fn addresses(&self) -> &AddressSet {
        &self.warm
    }
}

impl PrecompileProvider<Context> for Cheats {
    type Output = InterpreterResult;

    fn set_spec(&mut self, spec: SpecId) -> bool {
        <EthPrecompiles as PrecompileProvider<Context>>::set_spec(&mut self.precompiles, spec)
    }

    fn run(
        &mut self,
        context: &mut Context,
        inputs: &CallInputs,
    ) -> Result<Option<InterpreterResult>, String> {
        if inputs.bytecode_address != CHEAT_ADDRESS {
            return self.precompiles.run(context, inputs);
        }
        context.chain.reads.nothing_known();
        let data = inputs.input.bytes_local(&context.local);
        let depth = context.chain.depth();
        let codes = self.codes.as_deref();
        let (caller, allow_ffi) = (inputs.caller, self.allow_ffi);
        let mut desk = Desk { context, depth, caller, allow_ffi, codes };
        let (result, output) = match desk.answer(&data) {
            Ok(output) => (InstructionResult::Return, output),
            Err(output) => (InstructionResult::Revert, output),
        };
        // A cheatcode is no part of what is measured: its caller gets back what the call cost.
        let gas = Gas::new(inputs.gas_limit.saturating_add(WARM_CALL));
        Ok(Some(InterpreterResult::new(result, output, gas)))
    }

    fn warm_addresses(&self) -> &AddressSet {
        &self.warm
    }
}

impl Desk<'_> {
    fn answer(&mut self, data: &[u8]) -> Result<Bytes, Bytes> {
        let Some((selector, arguments)) = data.split_first_chunk::<4>() else {
            return Err(error_data("a cheatcode needs a selector"));
        };
        let Some(cheat) = CHEATS.get(selector) else {
            let name = revm::primitives::hex::encode_prefixed(selector);
            self.context.chain.cheats.unknown.insert(name.clone());
            return Err(error_data(&format!("unsupported cheatcode {name}")));
        };
        let Some(values) = decode(&cheat.inputs, arguments) else {
            return Err(error_data(&format!("the arguments of {} are malformed", cheat.signature)));
        };
        match (cheat.run)(self, &values) {
            Ok(values) => {
                let mut out = Vec::new();
                encode(&cheat.outputs, &values, &mut out);
                Ok(out.into())
            }
            Err(reason) => Err(error_data(&reason)),
        }
    }
}

/// `Error(string)`, as Solidity's `revert("…")` encodes it.
pub(super) fn error_data(reason: &str) -> Bytes {
    let mut out = vec![0x08, 0xc3, 0x79, 0xa0];
    encode(&[AbiType::String], &[Value::Bytes(reason.as_bytes().to_vec())], &mut out);
    out.into()
}

// Arguments have the types of their table, so these never meet another shape; a default keeps the
// readers total.

fn word(values: &[Value], index: usize) -> U256 {
    match values.get(index) {
        Some(Value::Word(word)) => *word,
        _ => U256::ZERO,
    }
}

fn address(values: &[Value], index: usize) -> Address {
    Address::from_word(word(values, index).into())
}

fn bytes(values: &[Value], index: usize) -> &[u8] {
    match values.get(index) {
        Some(Value::Bytes(bytes)) => bytes,
        _ => &[],
    }
}

fn string(values: &[Value], index: usize) -> String {
    String::from_utf8_lossy(bytes(values, index)).into_owned()
}

fn list(values: &[Value], index: usize) -> &[Value] {
    match values.get(index) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

fn done() -> Answer {
    Ok(Vec::new())
}

fn one(word: U256) -> Answer {
    Ok(vec![Value::Word(word)])
}

fn one_text(text: &str) -> Answer {
    Ok(vec![Value::Bytes(text.as_bytes().to_vec())])
}

fn word_of(address: Address) -> U256 {
    U256::from_be_slice(address.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_is_well_formed() {
        assert!(CHEATS.len() > 100, "{}", CHEATS.len());
    }
}
