//! Values worth trying: constants of the code, and what was seen while it ran.

use crate::abi::{AbiType, Value};
use crate::artifact::{Artifacts, Contract};
use crate::vm::instruction_starts;
use revm::primitives::{Address, B256, U256, keccak256};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

/// Values learned at run time are kept in a ring of this size: memory stays bounded, and what was
/// seen lately matters more.
const LEARNED: usize = 2048;

/// Values of one `bytesN` kept.
const MADE: usize = 64;

/// Values of test comparisons kept.
const HOT: usize = 12;

/// A set of values by shape.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    words: Vec<U256>,
    known: FxHashSet<U256>,
    /// The first `fixed` words never go away.
    fixed: usize,
    next: usize,
    texts: Vec<Vec<u8>>,
    hashes: FxHashMap<B256, usize>,
    addresses: Vec<Address>,
    /// Values that tests lately compared state with.
    hot: Vec<U256>,
    /// Values of `bytesN` that contracts have made, by N: identifiers, keys, digests. No chance hits
    /// one, and among all other words they would rarely be tried.
    made: FxHashMap<u8, Vec<U256>>,
}

impl Dictionary {
    /// The dictionary of a project: constants of its code and of its syntax trees, limits of the
    /// integer types, the addresses that matter.
    pub fn of_project(
        artifacts: &Artifacts,
        contracts: &[&Contract],
        addresses: &[Address],
    ) -> Self {
        let mut dictionary = Self::default();
        for address in addresses {
            dictionary.add_address(*address);
        }
        for word in [
            0u64, 1, 2, 3, 7, 8, 10, 16, 31, 32, 60, 64, 100, 255, 256, 1000, 3600, 86_400, 604_800,
        ] {
            dictionary.add_fixed(U256::from(word));
        }
        for bits in [8usize, 16, 32, 64, 96, 128, 160, 255, 256] {
            let top = if bits == 256 { U256::MAX } else { (U256::from(1) << bits) - U256::from(1) };
            dictionary.add_fixed(top);
            dictionary.add_fixed(top.wrapping_shr(1));
            dictionary.add_fixed(!(top.wrapping_shr(1)));
        }
        for power in [6u64, 9, 18] {
            dictionary.add_fixed(U256::from(10).pow(U256::from(power)));
        }
        for contract in contracts {
            dictionary.add_code(&contract.runtime.with_holes());
            dictionary.add_code(&contract.creation.with_holes());
        }
        for source in &artifacts.sources {
            if let Some(ast) = &source.ast {
                dictionary.add_literals(ast);
            }
        }
        dictionary.fixed = dictionary.words.len();
        dictionary.next = dictionary.fixed;
        dictionary
    }

    /// Values that tests lately compared state with: reaching one may settle the test.
    pub fn hot(&self) -> &[U256] {
        &self.hot
    }

    /// Notes a value that a test compared state with.
    pub fn heat(&mut self, word: U256) {
        if self.hot.contains(&word) {
            return;
        }
        if self.hot.len() >= HOT {
            self.hot.remove(0);
        }
        self.hot.push(word);
    }

    /// Values of `bytesN` that contracts have made.
    pub fn made(&self, size: u8) -> &[U256] {
        self.made.get(&size).map(Vec::as_slice).unwrap_or_default()
    }

    /// Notes a value of `bytesN` that a contract has made.
    pub fn note_made(&mut self, size: u8, word: U256) {
        let made = self.made.entry(size).or_default();
        if !made.contains(&word) {
            if made.len() >= MADE {
                made.remove(0);
            }
            made.push(word);
        }
    }

    /// Words, in no order.
    pub fn words(&self) -> &[U256] {
        &self.words
    }

    /// Byte strings.
    pub fn texts(&self) -> &[Vec<u8>] {
        &self.texts
    }

    /// Addresses.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// The byte string with this hash, if it is in the dictionary.
    pub fn preimage(&self, hash: B256) -> Option<&[u8]> {
        self.hashes.get(&hash).map(|index| self.texts[*index].as_slice())
    }

    /// Adds a word seen at run time.
    pub fn learn(&mut self, word: U256) {
        if !self.known.insert(word) {
            return;
        }
        if self.words.len() < self.fixed + LEARNED {
            self.words.push(word);
            return;
        }
        let old = std::mem::replace(&mut self.words[self.next], word);
        self.known.remove(&old);
        self.next = if self.next + 1 < self.words.len() { self.next + 1 } else { self.fixed };
    }

    /// Adds a byte string seen at run time or in the source.
    pub fn add_text(&mut self, text: &[u8]) {
        let hash = keccak256(text);
        if self.texts.len() < LEARNED && !self.hashes.contains_key(&hash) {
            self.hashes.insert(hash, self.texts.len());
            self.texts.push(text.to_vec());
        }
    }

    /// Adds an address.
    pub fn add_address(&mut self, address: Address) {
        if self.addresses.len() < LEARNED && !self.addresses.contains(&address) {
            self.addresses.push(address);
        }
    }

    /// Adds every word inside a value.
    pub fn learn_value(&mut self, kind: &AbiType, value: &Value) {
        match (kind, value) {
            (AbiType::Address, Value::Word(word)) => {
                self.add_address(Address::from_word((*word).into()));
            }
            (AbiType::Bool, _) => {}
            (AbiType::FixedBytes(size), Value::Word(word)) => {
                self.learn(*word);
                self.note_made(*size, *word);
            }
            (_, Value::Word(word)) => self.learn(*word),
            (_, Value::Bytes(bytes)) => self.add_text(bytes),
            (AbiType::Array(inner) | AbiType::FixedArray(inner, _), Value::List(values)) => {
                for value in values {
                    self.learn_value(inner, value);
                }
            }
            (AbiType::Tuple(members), Value::List(values)) => {
                members.iter().zip(values).for_each(|(k, v)| self.learn_value(k, v));
            }
            (_, Value::List(_)) => {}
        }
    }

    fn add_fixed(&mut self, word: U256) {
        if self.known.insert(word) {
            self.words.push(word);
        }
    }

    /// PUSH constants. Jump targets are constants too, so one- and two-byte ones that point at a
    /// JUMPDEST are left out.
    fn add_code(&mut self, code: &[u8]) {
        for pc in instruction_starts(code) {
            let push = code[pc];
            if !(0x60..=0x7f).contains(&push) {
                continue;
            }
            let end = (pc + 1 + usize::from(push - 0x5f)).min(code.len());
            let data = &code[pc + 1..end];
            let word = U256::from_be_slice(data);
            let is_target = data.len() <= 2
                && usize::try_from(word).is_ok_and(|at| at > 4 && code.get(at) == Some(&0x5b));
            if is_target {
                continue;
            }
            self.add_fixed(word);
            if data.len() == 20 {
                self.add_address(Address::from_slice(data));
            }
            // Short strings are pushed as they are and shifted, or left-aligned in a full word.
            if data.len() >= 3 {
                let text: Vec<u8> = data.iter().copied().take_while(|b| *b != 0).collect();
                let whole = data[text.len()..].iter().all(|b| *b == 0);
                if whole && text.len() >= 3 && text.iter().all(|b| (0x20..0x7f).contains(b)) {
                    self.add_text(&text);
                }
            }
        }
    }

    /// Literals of a syntax tree: numbers in their unit, strings, addresses.
    fn add_literals(&mut self, node: &Json) {
        match node {
            Json::Array(items) => items.iter().for_each(|item| self.add_literals(item)),
            Json::Object(fields) => {
                if node["nodeType"] == "Literal" {
                    self.add_literal(node);
                }
                for value in fields.values().filter(|v| v.is_object() || v.is_array()) {
                    self.add_literals(value);
                }
            }
            _ => {}
        }
    }

    fn add_literal(&mut self, node: &Json) {
        let text = node["value"].as_str().unwrap_or_default();
        match node["kind"].as_str() {
            Some("string" | "unicodeString") => self.add_text(text.as_bytes()),
            Some("hexString") => {
                if let Ok(bytes) =
                    revm::primitives::hex::decode(node["hexValue"].as_str().unwrap_or(""))
                {
                    self.add_text(&bytes);
                }
            }
            Some("number") => {
                if let Some(number) = literal_number(text, node["subdenomination"].as_str()) {
                    for near in [
                        number,
                        number.wrapping_add(U256::from(1)),
                        number.wrapping_sub(U256::from(1)),
                    ] {
                        self.add_fixed(near);
                    }
                    self.add_fixed(U256::ZERO.wrapping_sub(number));
                    if text.len() == 42 && text.starts_with("0x") {
                        self.add_address(Address::from_word(number.into()));
                    }
                }
            }
            _ => {}
        }
    }
}

fn literal_number(text: &str, unit: Option<&str>) -> Option<U256> {
    let clean = text.replace('_', "");
    let number = if let Some(hex) = clean.strip_prefix("0x") {
        U256::from_str_radix(hex, 16).ok()?
    } else {
        let (mantissa, exponent) = clean.split_once(['e', 'E']).unwrap_or((&clean, "0"));
        let exponent: u32 = exponent.parse().ok().filter(|e| *e <= 77)?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = U256::from_str_radix(&format!("{whole}{fraction}"), 10).ok()?;
        let shift = exponent.checked_sub(fraction.len() as u32)?;
        digits.checked_mul(U256::from(10).checked_pow(U256::from(shift))?)?
    };
    let factor = match unit {
        Some("gwei") => U256::from(1_000_000_000u64),
        Some("ether") => U256::from(1_000_000_000_000_000_000u64),
        Some("minutes") => U256::from(60),
        Some("hours") => U256::from(3600),
        Some("days") => U256::from(86_400),
        Some("weeks") => U256::from(604_800),
        _ => U256::from(1),
    };
    number.checked_mul(factor)
}
