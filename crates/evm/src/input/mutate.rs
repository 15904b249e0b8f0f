//! Small changes to a transaction that was worth keeping.

use super::generate::random_word;
use super::{Action, Dictionary, Generator, Transaction};
use crate::abi::{AbiType, Value};
use crate::target::Callable;
use fastrand::Rng;
use revm::primitives::U256;

/// Changes one thing about a transaction: mostly an argument.
pub(crate) fn mutate_transaction(
    rng: &mut Rng,
    generator: &Generator,
    dictionary: &Dictionary,
    functions: &[Callable],
    transaction: &mut Transaction,
) {
    let Action::Call { function, arguments } = &mut transaction.action else { return };
    let callable = &functions[*function];
    let inputs = &callable.function.inputs;
    match rng.u8(0..16) {
        0 => transaction.sender = generator.sender(rng),
        1 => (transaction.time_delay, transaction.block_delay) = generator.delays(rng, dictionary),
        2 => {
            let fresh = generator.call(rng, dictionary, functions, *function);
            transaction.value = fresh.value;
        }
        _ if arguments.is_empty() => transaction.sender = generator.sender(rng),
        _ => {
            let index = rng.usize(..arguments.len());
            let Some(kind) = inputs.get(index) else { return };
            mutate_value(rng, generator, dictionary, functions, kind, &mut arguments[index]);
        }
    }
}

fn mutate_value(
    rng: &mut Rng,
    generator: &Generator,
    dictionary: &Dictionary,
    functions: &[Callable],
    kind: &AbiType,
    value: &mut Value,
) {
    if rng.u8(0..6) == 0 {
        *value = generator.value(rng, dictionary, functions, kind);
        return;
    }
    match (kind, value) {
        (AbiType::Bytes | AbiType::String, Value::Bytes(bytes)) => {
            mutate_bytes(rng, dictionary, bytes);
        }
        (AbiType::Array(inner), Value::List(items)) => {
            mutate_list(rng, items, |rng| generator.value(rng, dictionary, functions, inner));
            if rng.bool() && !items.is_empty() {
                let index = rng.usize(..items.len());
                mutate_value(rng, generator, dictionary, functions, inner, &mut items[index]);
            }
        }
        (AbiType::FixedArray(inner, _), Value::List(items)) if !items.is_empty() => {
            let index = rng.usize(..items.len());
            mutate_value(rng, generator, dictionary, functions, inner, &mut items[index]);
        }
        (AbiType::Tuple(members), Value::List(items)) if !items.is_empty() => {
            let index = rng.usize(..items.len());
            let member = &members[index.min(members.len() - 1)];
            mutate_value(rng, generator, dictionary, functions, member, &mut items[index]);
        }
        (AbiType::Address, Value::Word(word)) => {
            *word = generator.word(rng, dictionary, &AbiType::Address);
        }
        (kind, Value::Word(word)) => *word = kind.clamp(mutate_word(rng, dictionary, *word)),
        _ => {}
    }
}

fn mutate_word(rng: &mut Rng, dictionary: &Dictionary, word: U256) -> U256 {
    let source = match dictionary.hot() {
        hot if !hot.is_empty() && rng.bool() => hot,
        _ => dictionary.words(),
    };
    let other = rng.choice(source).copied().unwrap_or_default();
    match rng.u8(0..12) {
        0 => word.wrapping_add(U256::from(rng.u8(1..=16))),
        1 => word.wrapping_sub(U256::from(rng.u8(1..=16))),
        2 => word ^ (U256::from(1) << rng.usize(..256)),
        3 => word << 1,
        4 => word >> 1,
        5 => !word,
        6 => word.wrapping_add(other),
        7 => word.wrapping_sub(other),
        8 => random_word(rng) >> rng.usize(..256),
        _ => other,
    }
}

fn mutate_bytes(rng: &mut Rng, dictionary: &Dictionary, bytes: &mut Vec<u8>) {
    match rng.u8(0..6) {
        0 if !bytes.is_empty() => {
            let index = rng.usize(..bytes.len());
            bytes[index] = rng.u8(..);
        }
        1 if !bytes.is_empty() => bytes.truncate(rng.usize(..bytes.len())),
        2 => bytes.push(rng.u8(..)),
        3 => bytes.insert(rng.usize(..=bytes.len()), rng.u8(0x20..0x7f)),
        4 if bytes.len() <= 64 => bytes.extend_from_within(..),
        _ => {
            if let Some(text) = rng.choice(dictionary.texts()) {
                bytes.clone_from(text);
            }
        }
    }
}

fn mutate_list(rng: &mut Rng, items: &mut Vec<Value>, mut fresh: impl FnMut(&mut Rng) -> Value) {
    match rng.u8(0..6) {
        0 => items.insert(rng.usize(..=items.len()), fresh(rng)),
        1 if !items.is_empty() => {
            items.remove(rng.usize(..items.len()));
        }
        2 if items.len() > 1 => {
            let (a, b) = (rng.usize(..items.len()), rng.usize(..items.len()));
            items.swap(a, b);
        }
        3 if !items.is_empty() && items.len() <= 64 => {
            let copy = items[rng.usize(..items.len())].clone();
            items.push(copy);
        }
        _ => {}
    }
}
