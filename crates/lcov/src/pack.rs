//! Whole numbers in as few bytes as they need, seven bits each: a report has tens of millions, and
//! most are small. Knows nothing of what they mean.

/// The most bytes a number takes.
const LONGEST: usize = 10;

/// Appends a number.
#[inline]
pub(crate) fn put(bytes: &mut Vec<u8>, number: u64) {
    if number < 0x80 {
        return bytes.push(number as u8);
    }
    put_long(bytes, number);
}

#[inline]
fn put_long(bytes: &mut Vec<u8>, mut number: u64) {
    let mut buffer = [0; LONGEST];
    let mut length = 0;
    while number >= 0x80 {
        buffer[length] = number as u8 | 0x80;
        number >>= 7;
        length += 1;
    }
    buffer[length] = number as u8;
    bytes.extend_from_slice(&buffer[..=length]);
}

/// Takes a number off the beginning. At the end, or where the bytes are none of ours, that is 0.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0_u64, 0);
    while let [first, rest @ ..] = *bytes {
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        shift += 7;
        if *first < 0x80 || shift > 63 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_comes_back() {
        let powers = (0..64).map(|power| 1_u64 << power);
        let numbers: Vec<u64> = powers.flat_map(|n| [n - 1, n, n + 1]).chain([u64::MAX]).collect();
        let mut bytes = Vec::new();
        for number in &numbers {
            put(&mut bytes, *number);
        }
        let mut rest = bytes.as_slice();
        for number in &numbers {
            assert_eq!(take(&mut rest), *number);
        }
        assert!(rest.is_empty());
        assert_eq!(take(&mut rest), 0);
    }
}
