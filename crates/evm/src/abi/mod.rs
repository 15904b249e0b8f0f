//! Solidity's ABI as the fuzzer needs it: a type tree, a compact value, and calldata packed by hand.
//!
//! A value does not carry its type. Every one-word type (integers, booleans, addresses, `bytesN`) is
//! the 32-byte word that stands in calldata, so the mutator works on words and the encoder copies
//! them. This module knows no contract, no transaction and no EVM.

mod decode;
mod encode;
mod kind;
mod signature;
mod text;

pub use decode::decode;
pub use encode::{encode, encode_call};
pub use kind::{AbiType, TypeError, Value};
pub use signature::{Function, Mutability, event_signature, function_of};
pub use text::{
    Argument, CallSyntaxError, ParsedCall, fits, parse_call, parse_value, render, render_call,
};
