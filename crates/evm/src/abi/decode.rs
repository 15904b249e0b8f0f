//! Values read back from calldata, return data and events. The bytes come from contracts under
//! test, so every length and offset is checked and the work is bounded by the input's size.

use super::{AbiType, Value};
use revm::primitives::U256;

/// No honest encoding nests deeper; a hostile one must not exhaust the stack.
const MAX_DEPTH: usize = 16;

/// Decodes a parameter list, or nothing when the bytes are not one.
pub fn decode(types: &[AbiType], data: &[u8]) -> Option<Vec<Value>> {
    // An offset may point at the same bytes many times: the budget bounds the values made.
    let mut budget = data.len() + 64;
    decode_list(types.iter(), data, MAX_DEPTH, &mut budget)
}

fn decode_list<'a>(
    types: impl Iterator<Item = &'a AbiType>,
    data: &[u8],
    depth: usize,
    budget: &mut usize,
) -> Option<Vec<Value>> {
    let mut at = 0usize;
    let mut values = Vec::new();
    for kind in types {
        values.push(decode_at(kind, data, at, depth, budget)?);
        at = at.checked_add(kind.head_size())?;
    }
    Some(values)
}

fn decode_at(
    kind: &AbiType,
    data: &[u8],
    at: usize,
    depth: usize,
    budget: &mut usize,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    let depth = depth.checked_sub(1)?;
    if kind.is_dynamic() {
        let offset = length_at(data, at)?;
        return decode_tail(kind, data.get(offset..)?, depth, budget);
    }
    match kind {
        AbiType::Tuple(members) => {
            decode_list(members.iter(), data.get(at..)?, depth, budget).map(Value::List)
        }
        AbiType::FixedArray(inner, size) => {
            let types = std::iter::repeat_n(&**inner, *size);
            decode_list(types, data.get(at..)?, depth, budget).map(Value::List)
        }
        _ => word_at(data, at).map(Value::Word),
    }
}

fn decode_tail(kind: &AbiType, data: &[u8], depth: usize, budget: &mut usize) -> Option<Value> {
    match kind {
        AbiType::Bytes | AbiType::String => {
            let length = length_at(data, 0)?;
            let bytes = data.get(32..32usize.checked_add(length)?)?;
            *budget = budget.checked_sub(length / 32)?;
            Some(Value::Bytes(bytes.to_vec()))
        }
        AbiType::Array(inner) => {
            let length = length_at(data, 0)?;
            let rest = data.get(32..)?;
            if length.checked_mul(inner.head_size())? > rest.len() {
                return None;
            }
            let types = std::iter::repeat_n(&**inner, length);
            decode_list(types, rest, depth, budget).map(Value::List)
        }
        AbiType::FixedArray(inner, size) => {
            let types = std::iter::repeat_n(&**inner, *size);
            decode_list(types, data, depth, budget).map(Value::List)
        }
        AbiType::Tuple(members) => {
            decode_list(members.iter(), data, depth, budget).map(Value::List)
        }
        _ => None,
    }
}

fn word_at(data: &[u8], at: usize) -> Option<U256> {
    let bytes = data.get(at..at.checked_add(32)?)?;
    Some(U256::from_be_slice(bytes))
}

fn length_at(data: &[u8], at: usize) -> Option<usize> {
    usize::try_from(word_at(data, at)?).ok().filter(|n| *n <= data.len())
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::*;
    use proptest::prelude::*;

    fn any_type() -> impl Strategy<Value = AbiType> {
        let leaf = prop_oneof![
            (1u16..=32).prop_map(|n| AbiType::Uint(n * 8)),
            (1u16..=32).prop_map(|n| AbiType::Int(n * 8)),
            Just(AbiType::Bool),
            Just(AbiType::Address),
            (1u8..=32).prop_map(AbiType::FixedBytes),
            Just(AbiType::Bytes),
            Just(AbiType::String),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|t| AbiType::Array(Box::new(t))),
                (inner.clone(), 1usize..4).prop_map(|(t, n)| AbiType::FixedArray(Box::new(t), n)),
                prop::collection::vec(inner, 1..4).prop_map(AbiType::Tuple),
            ]
        })
    }

    fn any_value(kind: &AbiType) -> BoxedStrategy<Value> {
        match kind {
            AbiType::Bytes | AbiType::String => {
                prop::collection::vec(any::<u8>(), 0..70).prop_map(Value::Bytes).boxed()
            }
            AbiType::Array(inner) => {
                prop::collection::vec(any_value(inner), 0..4).prop_map(Value::List).boxed()
            }
            AbiType::FixedArray(inner, n) => {
                prop::collection::vec(any_value(inner), *n).prop_map(Value::List).boxed()
            }
            AbiType::Tuple(members) => {
                members.iter().map(any_value).collect::<Vec<_>>().prop_map(Value::List).boxed()
            }
            word => {
                let word = word.clone();
                any::<[u8; 32]>()
                    .prop_map(move |b| Value::Word(word.clamp(U256::from_be_bytes(b))))
                    .boxed()
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            (types, values) in prop::collection::vec(any_type(), 0..4).prop_flat_map(|types| {
                let values: Vec<_> = types.iter().map(any_value).collect();
                (Just(types), values)
            })
        ) {
            let mut data = Vec::new();
            encode(&types, &values, &mut data);
            prop_assert_eq!(decode(&types, &data), Some(values));
        }

        #[test]
        fn hostile_bytes_never_panic(
            types in prop::collection::vec(any_type(), 0..4),
            data in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let _ = decode(&types, &data);
        }
    }

    #[test]
    fn a_length_beyond_the_data_is_refused() {
        let mut data = vec![0u8; 64];
        data[31] = 32;
        data[32..64].fill(0xff);
        assert_eq!(decode(&[AbiType::Bytes], &data), None);
    }
}
