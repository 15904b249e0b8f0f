//! Transactions recorded elsewhere that are made before anything is deployed, in Etheno's format: a JSON array
//! of accounts, creations, calls and mined blocks.

use super::TargetError;
use revm::primitives::{Address, Bytes, U256};
use serde::{Deserialize, Deserializer};
use std::path::Path;

/// What was recorded, in order.
#[derive(Debug, Default)]
pub(super) struct History(pub(super) Vec<Event>);

/// One thing that happened.
#[derive(Debug, Deserialize)]
#[serde(tag = "event")]
pub(super) enum Event {
    /// An account came into being.
    AccountCreated {
        #[serde(deserialize_with = "address")]
        address: Address,
    },
    /// A contract was created.
    ContractCreated {
        #[serde(deserialize_with = "address")]
        from: Address,
        #[serde(deserialize_with = "address")]
        contract_address: Address,
        #[serde(deserialize_with = "bytes")]
        data: Bytes,
        #[serde(default, deserialize_with = "number")]
        value: U256,
    },
    /// A contract was called.
    FunctionCall {
        #[serde(deserialize_with = "address")]
        from: Address,
        #[serde(deserialize_with = "address")]
        to: Address,
        #[serde(deserialize_with = "bytes")]
        data: Bytes,
        #[serde(default, deserialize_with = "number")]
        value: U256,
    },
    /// Time went by.
    BlockMined {
        #[serde(default)]
        number_increment: u64,
        #[serde(default)]
        timestamp_increment: u64,
    },
}

impl History {
    /// Reads a record.
    pub(super) fn read(path: &Path) -> Result<Self, TargetError> {
        let wrong = |problem: String| TargetError::History { path: path.to_owned(), problem };
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        let events = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        Ok(Self(events))
    }

    /// Everybody who takes part.
    pub(super) fn addresses(&self) -> impl Iterator<Item = Address> + '_ {
        self.0.iter().filter_map(|event| match event {
            Event::AccountCreated { address } => Some(*address),
            Event::ContractCreated { contract_address, .. } => Some(*contract_address),
            _ => None,
        })
    }

    /// The accounts that came into being.
    pub(super) fn accounts(&self) -> impl Iterator<Item = Address> + '_ {
        self.0.iter().filter_map(|event| match event {
            Event::AccountCreated { address } => Some(*address),
            _ => None,
        })
    }
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Address, D::Error> {
    let word = number(deserializer)?;
    if word.bit_len() > 160 {
        return Err(serde::de::Error::custom("an address has at most 20 bytes"));
    }
    Ok(Address::from_word(word.into()))
}

/// Hexadecimal, with or without `0x`.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<U256, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits = text.strip_prefix("0x").unwrap_or(&text);
    let number = U256::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16);
    number.map_err(|_| serde::de::Error::custom(format!("`{text}` is not hexadecimal")))
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = revm::primitives::hex::decode(text);
    bytes.map(Bytes::from).map_err(serde::de::Error::custom)
}
