//! Values to text and back.

#![expect(clippy::unnecessary_wraps, reason = "all cheatcodes have one type, failing or not")]

use super::{Answer, Desk, Row, list, one, one_text, string};
use crate::abi::{AbiType, Value, render};
use revm::primitives::{Address, U256};

macro_rules! text_rows {
    ($($kind:literal, $parse:literal);* $(;)?) => {
        &[
            $(
                (concat!("toString(", $kind, ")"), "string", |_, v| to_string(v, $kind)),
                (concat!($parse, "(string)"), $kind, |_, v| parse(v, $kind)),
            )*
            ("toLowercase(string)", "string", |_, v| one_text(&string(v, 0).to_lowercase())),
            ("toUppercase(string)", "string", |_, v| one_text(&string(v, 0).to_uppercase())),
            ("trim(string)", "string", |_, v| one_text(string(v, 0).trim())),
            ("replace(string,string,string)", "string", |_, v| {
                one_text(&string(v, 0).replace(&string(v, 1), &string(v, 2)))
            }),
            ("split(string,string)", "string[]", split),
            ("indexOf(string,string)", "uint256", |_, v| {
                one(string(v, 0).find(&string(v, 1)).map_or(U256::MAX, U256::from))
            }),
            ("contains(string,string)", "bool", |_, v| {
                one(U256::from(string(v, 0).contains(&string(v, 1))))
            }),
        ]
    };
}

pub(super) const TABLE: &[Row] = text_rows! {
    "address", "parseAddress";
    "bytes", "parseBytes";
    "bytes32", "parseBytes32";
    "bool", "parseBool";
    "uint256", "parseUint";
    "int256", "parseInt";
};

fn to_string(values: &[Value], kind: &str) -> Answer {
    let kind = AbiType::parse(kind).map_err(|e| e.to_string())?;
    match (&kind, &values[0]) {
        // Solidity's text of an address has its checksum.
        (AbiType::Address, Value::Word(word)) => {
            one_text(&Address::from_word((*word).into()).to_checksum(None))
        }
        (kind, value) => one_text(&render(kind, value)),
    }
}

fn parse(values: &[Value], kind: &str) -> Answer {
    let text = string(values, 0);
    let kind = AbiType::parse(kind).map_err(|e| e.to_string())?;
    let value = parse_value(text.trim(), &kind);
    value.map(|v| vec![v]).ok_or_else(|| format!("`{text}` is not of type {}", kind.canonical()))
}

/// Reads one value of a type from its text, which for a string is the value itself.
pub(super) fn parse_value(text: &str, kind: &AbiType) -> Option<Value> {
    match kind {
        AbiType::String => Some(Value::Bytes(text.as_bytes().to_vec())),
        kind => crate::abi::parse_value(text, kind),
    }
}

fn split(_: &mut Desk<'_>, values: &[Value]) -> Answer {
    let (text, separator) = (string(values, 0), string(values, 1));
    let parts = text.split(&separator).map(|p| Value::Bytes(p.as_bytes().to_vec()));
    let parts: Vec<_> = parts.collect();
    debug_assert!(list(values, 0).is_empty(), "the argument is a string");
    Ok(vec![Value::List(parts)])
}
