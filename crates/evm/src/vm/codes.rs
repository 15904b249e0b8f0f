//! Which contract a piece of running bytecode is, and where its counters lie.
//!
//! All workers use one layout, so their counters can be added up. Code that belongs to no known
//! contract shares one region at the end.

use crate::artifact::Contract;
use revm::primitives::{B256, keccak256};

/// Counters of code that no artifact explains.
const UNKNOWN_SIZE: usize = 0x8000;

/// Where the counters of one piece of code lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeSlot {
    /// First counter.
    pub base: u32,
    /// Number of counters, one per byte of code.
    pub len: u32,
    /// Tells code apart in the edge map.
    pub salt: u32,
    /// Index of the contract in the artifacts, if known.
    pub contract: Option<u32>,
    /// Whether this is creation code.
    pub creation: bool,
}

/// The counters of all known code.
#[derive(Clone, Debug, Default)]
pub struct CodeLayout {
    known: Vec<Known>,
    unknown: CodeSlot,
    size: usize,
}

#[derive(Clone, Debug)]
struct Known {
    slot: CodeSlot,
    code: Vec<u8>,
    /// Bytes that differ between deployments: immutables, library addresses.
    holes: Vec<(usize, usize)>,
}

impl CodeLayout {
    /// Lays out the counters of every contract.
    pub fn new(contracts: &[Contract]) -> Self {
        let mut layout = Self::default();
        for (index, contract) in contracts.iter().enumerate() {
            let mut holes: Vec<_> =
                contract.immutables.iter().map(|i| (i.start, i.length)).collect();
            // A library's runtime code starts with its own address.
            holes.push((1, 20));
            layout.add(index, contract.runtime.with_holes(), holes, false);
            layout.add(index, contract.creation.with_holes(), Vec::new(), true);
        }
        layout.unknown =
            CodeSlot { base: layout.size as u32, len: UNKNOWN_SIZE as u32, ..CodeSlot::default() };
        layout.size += UNKNOWN_SIZE;
        layout
    }

    fn add(&mut self, index: usize, code: Vec<u8>, holes: Vec<(usize, usize)>, creation: bool) {
        if code.is_empty() {
            return;
        }
        let slot = CodeSlot {
            base: self.size as u32,
            // One more than the code: a jump out of its last instruction still has a place.
            len: code.len() as u32 + 1,
            salt: salt(index as u32 * 2 + u32::from(creation) + 1),
            contract: Some(index as u32),
            creation,
        };
        self.size += code.len() + 1;
        self.known.push(Known { slot, code, holes });
    }

    /// The number of counters.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Every known piece of code with its slot.
    pub fn known(&self) -> impl Iterator<Item = (CodeSlot, &[u8])> {
        self.known.iter().map(|k| (k.slot, k.code.as_slice()))
    }

    /// Finds the slot of running code.
    pub(crate) fn identify(&self, code: &[u8], creation: bool) -> CodeSlot {
        let same = |k: &&Known| k.slot.creation == creation && k.matches(code);
        match self.known.iter().find(same) {
            Some(known) => known.slot,
            None => CodeSlot { salt: salt_of(keccak256(code)), creation, ..self.unknown },
        }
    }
}

impl Known {
    fn matches(&self, code: &[u8]) -> bool {
        // Constructor arguments follow the creation code; runtime code has its exact length.
        let lengths_fit = if self.slot.creation {
            code.len() >= self.code.len()
        } else {
            code.len() == self.code.len()
        };
        lengths_fit
            && self
                .code
                .iter()
                .zip(code)
                .enumerate()
                .all(|(at, (ours, theirs))| ours == theirs || *ours == 0 && self.is_hole(at))
    }

    fn is_hole(&self, at: usize) -> bool {
        // A linked library address lies behind a PUSH20 of zeros; so does one in creation code.
        let in_listed = self.holes.iter().any(|(start, len)| (*start..start + len).contains(&at));
        in_listed || (1..=20).any(|back| at >= back && self.code[at - back] == 0x73)
    }
}

fn salt(number: u32) -> u32 {
    number.wrapping_mul(0x9e37_79b1)
}

fn salt_of(hash: B256) -> u32 {
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
}

/// The positions where instructions start: push data is not code.
pub fn instruction_starts(code: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut pc = 0;
    while pc < code.len() {
        starts.push(pc);
        let push = code[pc];
        pc += 1 + if (0x60..=0x7f).contains(&push) { usize::from(push - 0x5f) } else { 0 };
    }
    starts
}
