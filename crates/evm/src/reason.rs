//! Why a call failed, in words.

use crate::abi::{AbiType, Value, decode, render};
use crate::artifact::Contract;
use crate::vm::{Ending, Outcome};
use revm::primitives::U256;

/// One phrase about how a call ended.
pub fn explain(outcome: &Outcome, contracts: &[&Contract]) -> String {
    match outcome.ending {
        Ending::Success => "it returned".to_owned(),
        Ending::Revert => revert_reason(&outcome.output, contracts),
        Ending::Invalid => "assertion failed (INVALID instruction)".to_owned(),
        Ending::OutOfGas => "it ran out of gas".to_owned(),
        Ending::Halt(reason) => format!("it stopped: {reason:?}"),
    }
}

/// The meaning of revert data: `Error(string)`, `Panic(uint256)`, a custom error, or bytes.
pub fn revert_reason(output: &[u8], contracts: &[&Contract]) -> String {
    let Some((selector, data)) = output.split_first_chunk::<4>() else {
        return "it reverted without a reason".to_owned();
    };
    if *selector == [0x08, 0xc3, 0x79, 0xa0]
        && let Some(Value::Bytes(text)) = first(&AbiType::String, data)
    {
        return String::from_utf8_lossy(&text).into_owned();
    }
    if *selector == [0x4e, 0x48, 0x7b, 0x71]
        && let Some(Value::Word(code)) = first(&AbiType::Uint(256), data)
    {
        return format!("Panic({code}): {}", panic_meaning(code));
    }
    for error in contracts.iter().flat_map(|c| c.abi.errors()) {
        if error.selector() == selector {
            let types: Result<Vec<_>, _> = error.inputs.iter().map(AbiType::of_param).collect();
            let types = types.unwrap_or_default();
            let values = decode(&types, data).unwrap_or_default();
            let shown: Vec<_> = types.iter().zip(&values).map(|(k, v)| render(k, v)).collect();
            return format!("{}({})", error.name, shown.join(","));
        }
    }
    format!("it reverted with 0x{}", revm::primitives::hex::encode(&output[..output.len().min(68)]))
}

fn first(kind: &AbiType, data: &[u8]) -> Option<Value> {
    decode(std::slice::from_ref(kind), data)?.pop()
}

fn panic_meaning(code: U256) -> &'static str {
    match u64::try_from(code).unwrap_or(u64::MAX) {
        0x00 => "generic panic",
        0x01 => "assertion failed",
        0x11 => "arithmetic overflow or underflow",
        0x12 => "division by zero",
        0x21 => "value is not of its enum",
        0x22 => "storage byte array is encoded wrongly",
        0x31 => "pop of an empty array",
        0x32 => "array index out of bounds",
        0x41 => "too much memory",
        0x51 => "call of an uninitialised function",
        _ => "unknown panic",
    }
}
