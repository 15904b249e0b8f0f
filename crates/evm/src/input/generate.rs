//! Values and transactions from nothing but chance and a dictionary.

use super::{Action, Dictionary, Transaction};
use crate::abi::{AbiType, Function, Mutability, Value, encode_call};
use crate::config::Config;
use crate::target::{Callable, Target};
use fastrand::Rng;
use revm::primitives::{Address, U256};

/// Longest generated array, byte string or string.
const MAX_LENGTH: usize = 32;

/// Generates transactions for one worker.
#[derive(Clone, Debug)]
pub struct Generator {
    /// Functions that change state.
    active: Vec<usize>,
    /// `view` and `pure` functions: called rarely, they can't break anything but assertions.
    passive: Vec<usize>,
    /// Tests that are called alone.
    alone: Vec<usize>,
    senders: Vec<Address>,
    dictionary_share: f64,
    max_value: U256,
    max_time_delay: u64,
    max_block_delay: u64,
    max_gas_price: u64,
    /// Functions that get nine calls of ten.
    priorities: Vec<usize>,
    /// Functions that are only called by contracts that are given the call as bytes.
    passed_on: Vec<Function>,
}

impl Generator {
    /// A generator over the functions of a target.
    pub fn new(config: &Config, target: &Target, views_matter: bool) -> Self {
        let functions = &target.functions;
        let is_passive =
            |i: &usize| !views_matter && functions[*i].function.mutability == Mutability::View;
        // What sequences create is called only where it is there.
        let fixed = (0..functions.len()).filter(|i| !functions[*i].created);
        let (alone, fixed): (Vec<_>, Vec<_>) = fixed.partition(|i| functions[*i].alone);
        let (passive, active): (Vec<_>, Vec<_>) = fixed.into_iter().partition(is_passive);
        Self {
            active,
            passive,
            alone,
            senders: target.senders.clone(),
            dictionary_share: config.dictionary_share,
            // Who owns nothing pays nothing; ether is made only for senders that have some.
            max_value: if config.sender_balance.is_zero() { U256::ZERO } else { config.max_value },
            max_time_delay: config.max_time_delay,
            max_block_delay: config.max_block_delay,
            max_gas_price: config.max_gas_price,
            priorities: Vec::new(),
            passed_on: target.passed_on(),
        }
    }

    /// Sets the functions that get nine calls of ten; none means no preference.
    pub fn prioritize(&mut self, functions: Vec<usize>) {
        self.priorities = functions;
    }

    /// The functions that get nine calls of ten.
    pub fn priorities(&self) -> &[usize] {
        &self.priorities
    }

    /// The number of functions that are there from the start and change state.
    pub fn active(&self) -> usize {
        self.active.len()
    }

    /// Tests that are called alone.
    pub fn alone(&self) -> &[usize] {
        &self.alone
    }

    /// Senders of transactions.
    pub fn senders(&self) -> &[Address] {
        &self.senders
    }

    /// The longest wait before a transaction, in seconds and blocks.
    pub fn max_delays(&self) -> (u64, u64) {
        (self.max_time_delay, self.max_block_delay)
    }

    /// The most ether a transaction sends.
    pub fn max_value(&self) -> U256 {
        self.max_value
    }

    /// A transaction that calls some function.
    pub fn transaction(
        &self,
        rng: &mut Rng,
        dictionary: &Dictionary,
        functions: &[Callable],
    ) -> Transaction {
        match self.choose_function(rng) {
            Some(function) => self.call(rng, dictionary, functions, function),
            None => Transaction {
                action: Action::Wait,
                to: None,
                sender: self.sender(rng),
                value: U256::ZERO,
                gas_price: 0,
                time_delay: Self::delay(rng, dictionary, self.max_time_delay),
                block_delay: Self::delay(rng, dictionary, self.max_block_delay),
            },
        }
    }

    /// A function to call in a sequence, by priority.
    pub fn choose_function(&self, rng: &mut Rng) -> Option<usize> {
        if !self.priorities.is_empty() && rng.u8(0..10) < 9 {
            let in_sequences = self.priorities.iter().filter(|f| !self.alone.contains(f));
            if let Some(function) = rng.choice(in_sequences.collect::<Vec<_>>()) {
                return Some(*function);
            }
        }
        let passive = self.active.is_empty() || (!self.passive.is_empty() && rng.u8(..) < 4);
        rng.choice(if passive { &self.passive } else { &self.active }).copied()
    }

    /// A test to call alone, by priority.
    pub fn choose_alone(&self, rng: &mut Rng) -> Option<usize> {
        let preferred = self.priorities.iter().filter(|f| self.alone.contains(f));
        let preferred = rng.choice(preferred.collect::<Vec<_>>());
        preferred.or_else(|| rng.choice(&self.alone)).copied()
    }

    /// A transaction that calls this function.
    pub fn call(
        &self,
        rng: &mut Rng,
        dictionary: &Dictionary,
        functions: &[Callable],
        function: usize,
    ) -> Transaction {
        let callable = &functions[function];
        let inputs = &callable.function.inputs;
        let arguments =
            inputs.iter().map(|kind| self.value(rng, dictionary, functions, kind)).collect();
        let (time_delay, block_delay) = self.delays(rng, dictionary);
        Transaction {
            action: Action::Call { function, arguments },
            to: None,
            sender: self.sender(rng),
            value: self.ether(rng, dictionary, callable),
            gas_price: if self.max_gas_price == 0 { 0 } else { rng.u64(0..=self.max_gas_price) },
            time_delay,
            block_delay,
        }
    }

    /// One of the senders.
    pub fn sender(&self, rng: &mut Rng) -> Address {
        rng.choice(&self.senders).copied().unwrap_or_default()
    }

    fn ether(&self, rng: &mut Rng, dictionary: &Dictionary, callable: &Callable) -> U256 {
        let payable = callable.function.mutability == Mutability::Payable;
        // Ether for a function that takes none only makes it revert, which for a Foundry test would
        // pass for a failure.
        if self.max_value.is_zero() || !payable {
            return U256::ZERO;
        }
        let word = if rng.u8(0..11) < 10 {
            rng.choice(dictionary.words()).copied().unwrap_or_default()
        } else {
            integer(rng, 256)
        };
        match self.max_value.checked_add(U256::from(1)) {
            Some(limit) => word % limit,
            None => word,
        }
    }

    /// Waiting times; often none, so that sequences within one block are tried too.
    pub fn delays(&self, rng: &mut Rng, dictionary: &Dictionary) -> (u64, u64) {
        if rng.u8(0..3) == 0 {
            return (0, 0);
        }
        let time = Self::delay(rng, dictionary, self.max_time_delay);
        let blocks = Self::delay(rng, dictionary, self.max_block_delay);
        if time == 0 || blocks == 0 { (0, 0) } else { (time, blocks) }
    }

    fn delay(rng: &mut Rng, dictionary: &Dictionary, max: u64) -> u64 {
        if max == 0 {
            return 0;
        }
        match rng.u8(0..4) {
            0 => rng.u64(0..=max),
            1 => rng.u64(0..=max.min(100)),
            _ => {
                let word = rng.choice(dictionary.words()).copied().unwrap_or_default();
                (word % U256::from(u128::from(max) + 1)).saturating_to()
            }
        }
    }

    /// A value of any type.
    pub fn value(
        &self,
        rng: &mut Rng,
        dictionary: &Dictionary,
        functions: &[Callable],
        kind: &AbiType,
    ) -> Value {
        match kind {
            AbiType::Array(inner) => {
                let length = length(rng);
                let item = |rng: &mut Rng| self.value(rng, dictionary, functions, inner);
                Value::List((0..length).map(|_| item(rng)).collect())
            }
            AbiType::FixedArray(inner, size) => Value::List(
                (0..*size).map(|_| self.value(rng, dictionary, functions, inner)).collect(),
            ),
            AbiType::Tuple(members) => Value::List(
                members.iter().map(|m| self.value(rng, dictionary, functions, m)).collect(),
            ),
            AbiType::Bytes => Value::Bytes(self.bytes(rng, dictionary, functions)),
            AbiType::String => Value::Bytes(self.text(rng, dictionary)),
            word => Value::Word(self.word(rng, dictionary, word)),
        }
    }

    /// A one-word value.
    pub fn word(&self, rng: &mut Rng, dictionary: &Dictionary, kind: &AbiType) -> U256 {
        match kind {
            AbiType::Bool => U256::from(rng.bool()),
            AbiType::FixedBytes(size) if !dictionary.made(*size).is_empty() && rng.bool() => {
                rng.choice(dictionary.made(*size)).copied().unwrap_or_default()
            }
            AbiType::Address => self.address(rng, dictionary),
            _ if rng.f64() < self.dictionary_share => {
                kind.clamp(from_dictionary(rng, dictionary, kind))
            }
            AbiType::Uint(bits) => integer(rng, *bits),
            AbiType::Int(bits) => kind.clamp(signed(rng, *bits)),
            AbiType::FixedBytes(_) => kind.clamp(random_word(rng)),
            _ => U256::ZERO,
        }
    }

    fn address(&self, rng: &mut Rng, dictionary: &Dictionary) -> U256 {
        let chosen = match rng.u8(0..8) {
            0 => return U256::from(rng.u64(..4) * 0xffff_ffff),
            1..=4 => rng.choice(dictionary.addresses()),
            _ => rng.choice(&self.senders),
        };
        chosen.map_or(U256::ZERO, |a| U256::from_be_slice(a.as_slice()))
    }

    /// Bytes are often calls that the contract passes on.
    fn bytes(&self, rng: &mut Rng, dictionary: &Dictionary, functions: &[Callable]) -> Vec<u8> {
        match rng.u8(0..4) {
            0 | 1 if !functions.is_empty() => {
                let function = match rng.choice(&self.passed_on) {
                    Some(other) if rng.u8(0..4) == 0 => other,
                    _ => &functions[rng.usize(..functions.len())].function,
                };
                // Nesting ends here: an inner `bytes` is plain.
                let inputs = &function.inputs;
                let values: Vec<_> = inputs
                    .iter()
                    .map(|kind| match kind {
                        AbiType::Bytes => Value::Bytes(self.text(rng, dictionary)),
                        kind => self.value(rng, dictionary, &[], kind),
                    })
                    .collect();
                encode_call(function.selector, inputs, &values)
            }
            2 => self.text(rng, dictionary),
            _ => (0..length(rng)).map(|_| rng.u8(..)).collect(),
        }
    }

    fn text(&self, rng: &mut Rng, dictionary: &Dictionary) -> Vec<u8> {
        if rng.f64() < self.dictionary_share
            && let Some(text) = rng.choice(dictionary.texts())
        {
            return text.clone();
        }
        (0..length(rng)).map(|_| rng.u8(0x20..0x7f)).collect()
    }
}

/// Short lengths are more likely, longer ones do come.
fn length(rng: &mut Rng) -> usize {
    match rng.u8(0..4) {
        0 => rng.usize(0..3),
        1 => rng.usize(0..8),
        2 => rng.usize(0..16),
        _ => rng.usize(0..=MAX_LENGTH),
    }
}

fn from_dictionary(rng: &mut Rng, dictionary: &Dictionary, kind: &AbiType) -> U256 {
    let source = match dictionary.hot() {
        hot if !hot.is_empty() && rng.u8(0..5) == 0 => hot,
        _ => dictionary.words(),
    };
    let word = rng.choice(source).copied().unwrap_or_default();
    match (kind, rng.u8(0..8)) {
        (AbiType::FixedBytes(size), 0..=3) => {
            // Constants of narrow `bytesN` are pushed right-aligned and shifted.
            word << (256 - 8 * usize::from(*size))
        }
        (AbiType::Uint(_) | AbiType::Int(_), 0) => word.wrapping_add(U256::from(rng.u8(1..4))),
        (AbiType::Uint(_) | AbiType::Int(_), 1) => word.wrapping_sub(U256::from(rng.u8(1..4))),
        _ => word,
    }
}

/// Numbers of all sizes: small ones, uniform ones, powers, and the very top.
fn integer(rng: &mut Rng, bits: u16) -> U256 {
    let top = AbiType::Uint(bits).clamp(U256::MAX);
    match rng.u8(0..16) {
        // Indices and counts are mostly tiny.
        0 | 1 => U256::from(rng.u64(0..6)) & top,
        2 => U256::from(rng.u64(0..64)) & top,
        3 => U256::from(rng.u64(0..1024)) & top,
        4..=6 => random_word(rng) & top,
        7 => top - U256::from(rng.u64(0..5)) % top,
        8 => (U256::from(rng.u64(1..100)) * U256::from(10).pow(U256::from(rng.u8(0..30)))) & top,
        _ => {
            // Every magnitude is as likely as any other.
            let width = rng.usize(1..=usize::from(bits));
            random_word(rng) >> (256 - width)
        }
    }
}

fn signed(rng: &mut Rng, bits: u16) -> U256 {
    let half: U256 = AbiType::Uint(bits).clamp(U256::MAX) >> 1;
    let magnitude = integer(rng, bits) & half;
    match rng.u8(0..16) {
        0 => half.wrapping_add(U256::from(1)),
        1..=7 => U256::ZERO.wrapping_sub(magnitude),
        _ => magnitude,
    }
}

pub(super) fn random_word(rng: &mut Rng) -> U256 {
    U256::from_limbs([rng.u64(..), rng.u64(..), rng.u64(..), rng.u64(..)])
}
