//! Comparison feedback: makes an operand of a failed comparison equal to the other.
//!
//! An operand that stands in the input (an argument, the value sent, the sender, the time) can be
//! replaced outright. One that was computed from the input is moved by the difference, which solves
//! sums, or scaled, which solves products.

use super::{Action, Dictionary, Generator, Transaction};
use crate::abi::{AbiType, Value};
use crate::target::Callable;
use crate::vm::{Comparison, Operator};
use fastrand::Rng;
use revm::primitives::{Address, B256, U256};

/// What was around when the comparisons were made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// The comparisons of the call.
    pub(crate) comparisons: &'a [Comparison],
    /// Hash inputs of the call.
    pub(crate) preimages: &'a [(B256, Vec<u8>)],
    /// The block's time and number during the call.
    pub(crate) now: (U256, U256),
}

/// A change that was made for the sake of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// The comparison's site.
    pub(crate) site: u32,
    /// Whether the operand to be moved is the left one.
    pub(crate) left: bool,
    /// The operand as it was.
    pub(crate) have: U256,
    /// What it should become.
    pub(crate) want: U256,
}

/// Comparisons tried for one repair, and how many of them may be passed over for want of an operand
/// that stands in the input as it is.
const TRIES: usize = 12;
const STRICT_TRIES: usize = 8;

/// So many of the last comparisons are taken more often than the others.
const LAST: usize = 4;

/// Changes a transaction so that one of its comparisons might come out otherwise.
/// Returns what was attempted, if anything was changed.
pub(crate) fn repair(
    rng: &mut Rng,
    generator: &Generator,
    dictionary: &Dictionary,
    functions: &[Callable],
    scene: Scene<'_>,
    transaction: &mut Transaction,
) -> Option<Attempt> {
    let repair = Repair { generator, dictionary, functions, scene };
    // The dispatcher compares the selector with every function's: nothing to repair there.
    let selector = selector_of(functions, transaction);
    let strict = if rng.bool() { STRICT_TRIES } else { 0 };
    for turn in 0..TRIES {
        let comparison = later(rng, scene.comparisons)?;
        let (mut have, mut want) = (comparison.left, comparison.right);
        if Some(have) == selector || Some(want) == selector {
            continue;
        }
        let left = rng.bool();
        if !left {
            std::mem::swap(&mut have, &mut want);
        }
        let want = beside(rng, comparison.operator, want);
        if repair.outright(rng, transaction, have, want)
            || turn >= strict && repair.roundabout(rng, transaction, have, want)
        {
            return Some(Attempt { site: comparison.site, left, have, want });
        }
    }
    None
}

/// The later a comparison came, the nearer it is to where the way ended.
fn later<'a>(rng: &mut Rng, comparisons: &'a [Comparison]) -> Option<&'a Comparison> {
    if comparisons.is_empty() {
        return None;
    }
    let count = comparisons.len();
    // Decoding long arguments compares much; what decided is among the last few.
    let index = match rng.u8(0..3) {
        0 => count - 1 - rng.usize(..count.min(LAST)),
        _ => rng.usize(..count).max(rng.usize(..count)),
    };
    comparisons.get(index)
}

fn selector_of(functions: &[Callable], transaction: &Transaction) -> Option<U256> {
    let function = functions.get(transaction.function()?)?;
    Some(U256::from_be_slice(&function.function.selector))
}

/// An order is crossed by landing on either side of the bound.
fn beside(rng: &mut Rng, operator: Operator, want: U256) -> U256 {
    match (operator, rng.u8(0..3)) {
        (Operator::Equal, _) | (_, 0) => want,
        (_, 1) => want.wrapping_add(U256::from(1)),
        _ => want.wrapping_sub(U256::from(1)),
    }
}

/// What a repair may look at.
#[derive(Clone, Copy)]
struct Repair<'a> {
    generator: &'a Generator,
    dictionary: &'a Dictionary,
    functions: &'a [Callable],
    scene: Scene<'a>,
}

impl Repair<'_> {
    /// The operand stands in the input: it is replaced.
    fn outright(
        self,
        rng: &mut Rng,
        transaction: &mut Transaction,
        have: U256,
        want: U256,
    ) -> bool {
        if have == transaction.value && !have.is_zero() && want <= self.generator.max_value() {
            transaction.value = want;
            return true;
        }
        if address_word(transaction.sender) == have {
            let wanted = Address::from_word(want.into());
            if self.generator.senders().contains(&wanted) {
                transaction.sender = wanted;
                return true;
            }
        }
        if replace_time(self.generator, self.scene.now, transaction, have, want) {
            return true;
        }
        let Action::Call { function, arguments } = &mut transaction.action else { return false };
        let inputs = &self.functions[*function].function.inputs;
        if let Some((old, new)) = hashed(self.dictionary, self.scene, have, want)
            && replace_bytes(inputs, arguments, &old, &new)
        {
            return true;
        }
        let mut words = words_of(inputs, arguments);
        words.retain(|(kind, word)| stands_for(kind, **word, have) && takes(kind, want));
        // A long list may hold the operand many times; which of them was compared is not known.
        let chosen = (!words.is_empty()).then(|| rng.usize(..words.len()));
        if let Some((kind, word)) = chosen.map(|index| &mut words[index]) {
            **word = kind.clamp(aligned(kind, want));
        }
        chosen.is_some()
    }

    /// The operand was made from the input: a length, a byte, a sum or a product.
    fn roundabout(
        self,
        rng: &mut Rng,
        transaction: &mut Transaction,
        have: U256,
        want: U256,
    ) -> bool {
        let Action::Call { function, arguments } = &mut transaction.action else { return false };
        let inputs = &self.functions[*function].function.inputs;
        if rng.u8(0..4) > 0 && resize(rng, inputs, arguments, have, want) {
            return true;
        }
        let mut places = inputs.iter().zip(arguments.iter_mut());
        if places.any(|(k, v)| replace_byte(rng, k, v, have, want)) {
            return true;
        }
        let mut words = words_of(inputs, arguments);
        words.retain(|(kind, _)| matches!(kind, AbiType::Uint(_) | AbiType::Int(_)));
        let Some(chosen) = (!words.is_empty()).then(|| rng.usize(..words.len())) else {
            return false;
        };
        let (kind, word) = &mut words[chosen];
        **word = kind.clamp(moved(rng, **word, have, want));
        true
    }
}

/// A number moved by the difference, or scaled.
fn moved(rng: &mut Rng, word: U256, have: U256, want: U256) -> U256 {
    match rng.u8(0..6) {
        0 => word.wrapping_add(want.wrapping_sub(have)),
        1 if want < have => word.saturating_sub(have - want),
        1 => word.saturating_add(want - have),
        2 => word.wrapping_sub(want.wrapping_sub(have)),
        // One step shows the slope; the next attempt makes use of it.
        3 | 4 => word.wrapping_add(U256::from(1)),
        _ => match word.checked_mul(want).and_then(|product| product.checked_div(have)) {
            Some(scaled) => scaled,
            None => want,
        },
    }
}

fn words_of<'a>(
    inputs: &'a [AbiType],
    arguments: &'a mut [Value],
) -> Vec<(&'a AbiType, &'a mut U256)> {
    let mut words = Vec::new();
    for (kind, value) in inputs.iter().zip(arguments) {
        collect_words(kind, value, &mut words);
    }
    words
}

/// The operand is the length of a list or of bytes. Several may be as long, also one inside another;
/// which of them was compared is not known.
fn resize(
    rng: &mut Rng,
    inputs: &[AbiType],
    arguments: &mut [Value],
    have: U256,
    want: U256,
) -> bool {
    let sizes = usize::try_from(have).ok().zip(usize::try_from(want).ok());
    let Some((have, want)) = sizes.filter(|(_, want)| *want <= 256) else { return false };
    let count = |(kind, value): (&AbiType, &Value)| sized(kind, value, have);
    let count: usize = inputs.iter().zip(&*arguments).map(count).sum();
    if count == 0 {
        return false;
    }
    let mut skip = rng.usize(..count);
    let mut places = inputs.iter().zip(arguments);
    places.any(|(kind, value)| resize_one(kind, value, (have, want), &mut skip))
}

fn has_length(kind: &AbiType, value: &Value, length: usize) -> bool {
    match (kind, value) {
        (AbiType::Bytes | AbiType::String, Value::Bytes(bytes)) => bytes.len() == length,
        (AbiType::Array(_), Value::List(items)) => items.len() == length,
        _ => false,
    }
}

/// The number of lists and byte strings of a length in a value.
fn sized(kind: &AbiType, value: &Value, length: usize) -> usize {
    let inside: usize = match (kind, value) {
        (AbiType::Array(inner) | AbiType::FixedArray(inner, _), Value::List(items)) => {
            items.iter().map(|item| sized(inner, item, length)).sum()
        }
        (AbiType::Tuple(members), Value::List(items)) => {
            members.iter().zip(items).map(|(kind, item)| sized(kind, item, length)).sum()
        }
        _ => 0,
    };
    inside + usize::from(has_length(kind, value, length))
}

/// Resizes one list or byte string of the length, after so many that are skipped.
fn resize_one(
    kind: &AbiType,
    value: &mut Value,
    (have, want): (usize, usize),
    skip: &mut usize,
) -> bool {
    if has_length(kind, value, have) {
        if *skip == 0 {
            set_length(kind, value, want);
            return true;
        }
        *skip -= 1;
    }
    match (kind, value) {
        (AbiType::Array(inner) | AbiType::FixedArray(inner, _), Value::List(items)) => {
            items.iter_mut().any(|item| resize_one(inner, item, (have, want), skip))
        }
        (AbiType::Tuple(members), Value::List(items)) => {
            let mut pairs = members.iter().zip(items);
            pairs.any(|(kind, item)| resize_one(kind, item, (have, want), skip))
        }
        _ => false,
    }
}

fn set_length(kind: &AbiType, value: &mut Value, length: usize) {
    match (kind, value) {
        (AbiType::Array(inner), Value::List(items)) => {
            let filler = items.last().cloned().unwrap_or_else(|| inner.zero());
            items.resize(length, filler);
        }
        (_, Value::Bytes(bytes)) => bytes.resize(length, b'a'),
        _ => {}
    }
}

/// The operand is one byte of a byte string, in the lowest or the highest place of its word.
fn replace_byte(rng: &mut Rng, kind: &AbiType, value: &mut Value, have: U256, want: U256) -> bool {
    let byte_of = |word: U256| {
        let bytes = word.to_be_bytes::<32>();
        if bytes[..31].iter().all(|b| *b == 0) {
            Some(bytes[31])
        } else {
            bytes[1..].iter().all(|b| *b == 0).then_some(bytes[0])
        }
    };
    let (Some(have), Some(want)) = (byte_of(have), byte_of(want)) else { return false };
    let (AbiType::Bytes | AbiType::String, Value::Bytes(bytes)) = (kind, value) else {
        return false;
    };
    let places: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i] == have).collect();
    match rng.choice(&places) {
        Some(&place) => {
            bytes[place] = want;
            true
        }
        None => false,
    }
}

/// Where an operand moved in proportion to an argument, the argument that makes it equal:
/// from `(x0, y0)` and `(x1, y1)` the place where `y` is `want`.
pub(crate) fn secant(x: (U256, U256), y: (U256, U256), want: U256) -> Option<U256> {
    if x.1.wrapping_sub(x.0) == U256::from(1) {
        return Some(x.0.wrapping_add(steps(y.1.wrapping_sub(y.0), want.wrapping_sub(y.0))?));
    }
    let (dx, dy) = (difference(x.0, x.1), difference(y.0, y.1));
    let wanted = difference(y.0, want);
    if dy.1.is_zero() || dx.1.is_zero() {
        return None;
    }
    let product = wanted.1.checked_mul(dx.1)?;
    let step = product / dy.1;
    let negative = wanted.0 ^ dx.0 ^ dy.0;
    Some(if negative { x.0.wrapping_sub(step) } else { x.0.wrapping_add(step) })
}

/// How many steps of a slope make up a way, in the integers or else modulo 2^256.
fn steps(slope: U256, way: U256) -> Option<U256> {
    if slope.is_zero() {
        return None;
    }
    let (size, signs) = (difference(U256::ZERO, slope), difference(U256::ZERO, way));
    if (signs.1 % size.1).is_zero() {
        let count = signs.1 / size.1;
        return Some(if size.0 == signs.0 { count } else { U256::ZERO.wrapping_sub(count) });
    }
    let twos = slope.trailing_zeros();
    if way.trailing_zeros() < twos {
        return None;
    }
    let inverse = (slope >> twos).inv_ring()?;
    Some((way >> twos).wrapping_mul(inverse))
}

/// Sign and size of the way from one word to another, the short way round.
fn difference(from: U256, to: U256) -> (bool, U256) {
    let ahead = to.wrapping_sub(from);
    if ahead.bit(255) { (true, U256::ZERO.wrapping_sub(ahead)) } else { (false, ahead) }
}

/// The distance between two operands, the short way round.
pub(crate) fn distance(a: U256, b: U256) -> U256 {
    difference(a, b).1
}

/// A comparison with the clock is settled by waiting.
fn replace_time(
    generator: &Generator,
    now: (U256, U256),
    transaction: &mut Transaction,
    have: U256,
    want: U256,
) -> bool {
    let (max_time, max_blocks) = generator.max_delays();
    let ahead = |now: U256, max: u64| {
        let wait = want.checked_sub(now)?;
        u64::try_from(wait).ok().filter(|wait| *wait > 0).map(|wait| wait.min(max))
    };
    if have == now.0
        && let Some(wait) = ahead(now.0, max_time)
    {
        transaction.time_delay = transaction.time_delay.saturating_add(wait).min(max_time);
        transaction.block_delay = transaction.block_delay.max(1).min(max_blocks);
        return max_time > 0;
    }
    if have == now.1
        && let Some(wait) = ahead(now.1, max_blocks)
    {
        transaction.block_delay = transaction.block_delay.saturating_add(wait).min(max_blocks);
        transaction.time_delay = transaction.time_delay.max(1).min(max_time);
        return max_blocks > 0;
    }
    false
}

/// Two hashes were compared: the inputs of both, if both are known.
fn hashed(
    dictionary: &Dictionary,
    scene: Scene<'_>,
    have: U256,
    want: U256,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let input = |hash: U256| {
        let hash = B256::from(hash);
        let seen =
            scene.preimages.iter().find(|(h, _)| *h == hash).map(|(_, data)| data.as_slice());
        seen.or_else(|| dictionary.preimage(hash)).map(<[u8]>::to_vec)
    };
    Some((input(have)?, input(want)?))
}

/// Puts `new` in the place of the byte string or the word that `old` is.
fn replace_bytes(inputs: &[AbiType], arguments: &mut [Value], old: &[u8], new: &[u8]) -> bool {
    for (kind, argument) in inputs.iter().zip(arguments) {
        let found = match (kind, &mut *argument) {
            (AbiType::Bytes | AbiType::String, Value::Bytes(bytes)) if bytes == old => {
                *bytes = new.to_vec();
                true
            }
            (AbiType::Array(inner) | AbiType::FixedArray(inner, _), Value::List(items)) => {
                let types = vec![(**inner).clone(); items.len()];
                replace_bytes(&types, items, old, new)
            }
            (AbiType::Tuple(members), Value::List(items)) => {
                replace_bytes(members, items, old, new)
            }
            (kind, Value::Word(word)) if old.len() == 32 && new.len() == 32 => {
                let same = *word == U256::from_be_slice(old);
                if same {
                    *word = kind.clamp(U256::from_be_slice(new));
                }
                same
            }
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

fn collect_words<'a>(
    kind: &'a AbiType,
    value: &'a mut Value,
    out: &mut Vec<(&'a AbiType, &'a mut U256)>,
) {
    match (kind, value) {
        (AbiType::Array(inner) | AbiType::FixedArray(inner, _), Value::List(items)) => {
            for item in items {
                collect_words(inner, item, out);
            }
        }
        (AbiType::Tuple(members), Value::List(items)) => {
            members.iter().zip(items).for_each(|(m, item)| collect_words(m, item, out));
        }
        (kind, Value::Word(word)) => out.push((kind, word)),
        _ => {}
    }
}

/// Whether an operand is this argument: as it is, or shifted down as code does with `bytesN`.
fn stands_for(kind: &AbiType, word: U256, operand: U256) -> bool {
    match kind {
        AbiType::Bool => false,
        AbiType::FixedBytes(size) => {
            word == operand
                || word >> (256 - 8 * usize::from(*size)) == operand && !operand.is_zero()
        }
        _ => word == operand,
    }
}

/// Whether an argument of this type can be what is wanted. A word that has to be cut to fit can't.
fn takes(kind: &AbiType, want: U256) -> bool {
    let wanted = aligned(kind, want);
    kind.clamp(wanted) == wanted
}

fn aligned(kind: &AbiType, want: U256) -> U256 {
    match kind {
        AbiType::FixedBytes(size) => {
            let width = 8 * usize::from(*size);
            // A value that only fills the low bytes was shifted down before the comparison.
            if want.bit_len() <= width { want << (256 - width) } else { want }
        }
        _ => want,
    }
}

fn address_word(address: Address) -> U256 {
    U256::from_be_slice(address.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_solved_from_two_points() {
        let n = |n: u64| U256::from(n);
        // y = 3x + 17, wanted where y is 1,000,000,017, from x = 5 and 6.
        assert_eq!(secant((n(5), n(6)), (n(32), n(35)), n(1_000_000_016)), Some(n(333_333_333)));
        // Downwards, and from points further apart.
        assert_eq!(secant((n(100), n(90)), (n(300), n(270)), n(30)), Some(n(10)));
        // Not in the integers, but modulo 2^256.
        let x = secant((n(5), n(6)), (n(32), n(35)), n(33)).unwrap();
        assert_eq!(x.wrapping_mul(n(3)).wrapping_add(n(17)), n(33));
        assert_eq!(secant((n(1), n(2)), (n(7), n(7)), n(9)), None);
    }
}
