//! Calldata, packed straight into a byte buffer.

use super::{AbiType, Value};
use revm::primitives::U256;

/// Encodes a call: the selector and then the arguments.
pub fn encode_call(selector: [u8; 4], types: &[AbiType], values: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + 32 * values.len());
    out.extend_from_slice(&selector);
    encode(types, values, &mut out);
    out
}

/// Appends the encoding of a parameter list.
///
/// Values that do not fit their types (a list where a word should be) are encoded as far as they
/// go: the generator and the parsers never make such values.
pub fn encode(types: &[AbiType], values: &[Value], out: &mut Vec<u8>) {
    let start = out.len();
    let head: usize = types.iter().map(AbiType::head_size).sum();
    out.resize(start + head, 0);
    let mut at = start;
    for (kind, value) in types.iter().zip(values) {
        if kind.is_dynamic() {
            let offset = U256::from(out.len() - start);
            put_word(out, at, offset);
            encode_tail(kind, value, out);
        } else {
            encode_static(kind, value, out, at);
        }
        at += kind.head_size();
    }
}

fn encode_static(kind: &AbiType, value: &Value, out: &mut [u8], at: usize) {
    match (kind, value) {
        (AbiType::Tuple(members), Value::List(values)) => {
            let mut at = at;
            for (member, value) in members.iter().zip(values) {
                encode_static(member, value, out, at);
                at += member.head_size();
            }
        }
        (AbiType::FixedArray(inner, size), Value::List(values)) => {
            for (index, value) in values.iter().take(*size).enumerate() {
                encode_static(inner, value, out, at + index * inner.head_size());
            }
        }
        (_, Value::Word(word)) => put_word(out, at, *word),
        _ => {}
    }
}

fn encode_tail(kind: &AbiType, value: &Value, out: &mut Vec<u8>) {
    match (kind, value) {
        (AbiType::Bytes | AbiType::String, Value::Bytes(bytes)) => {
            push_word(out, U256::from(bytes.len()));
            out.extend_from_slice(bytes);
            let padding = bytes.len().wrapping_neg() % 32;
            out.resize(out.len() + padding, 0);
        }
        (AbiType::Array(inner), Value::List(values)) => {
            push_word(out, U256::from(values.len()));
            encode_repeated(inner, values, out);
        }
        (AbiType::FixedArray(inner, _), Value::List(values)) => {
            encode_repeated(inner, values, out);
        }
        (AbiType::Tuple(members), Value::List(values)) => encode(members, values, out),
        _ => push_word(out, U256::ZERO),
    }
}

fn encode_repeated(inner: &AbiType, values: &[Value], out: &mut Vec<u8>) {
    let types = vec![inner.clone(); values.len()];
    encode(&types, values, out);
}

fn put_word(out: &mut [u8], at: usize, word: U256) {
    out[at..at + 32].copy_from_slice(&word.to_be_bytes::<32>());
}

fn push_word(out: &mut Vec<u8>, word: U256) {
    out.extend_from_slice(&word.to_be_bytes::<32>());
}
