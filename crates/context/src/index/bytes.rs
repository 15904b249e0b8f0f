//! Numbers in and out of bytes, for the index's own files. Reading never panics: a short or odd file reads
//! as `None` and is rebuilt.

/// Appends a number in as few bytes as it needs.
pub(crate) fn push_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number written by [`push_varint`] and moves past it.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    // Most numbers are small: distances between chunks, counts in one.
    if let [byte @ ..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(u32::from(*byte));
    }
    let mut value = 0_u32;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7F).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

pub(crate) fn push_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(crate) fn push_all(out: &mut Vec<u8>, values: &[u32]) {
    for value in values {
        push_u32(out, *value);
    }
}

pub(crate) fn push_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

pub(crate) fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (head, rest) = bytes.split_at_checked(4)?;
    *bytes = rest;
    head.try_into().ok().map(u32::from_le_bytes)
}

pub(crate) fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (head, rest) = bytes.split_at_checked(8)?;
    *bytes = rest;
    head.try_into().ok().map(u64::from_le_bytes)
}

/// Bytes of the checksum behind a file's own.
pub(crate) const SEAL: usize = blake3::OUT_LEN;

/// The checksum of a file's own bytes.
pub(crate) fn seal_of(body: &[u8]) -> [u8; SEAL] {
    *blake3::hash(body).as_bytes()
}

/// A file's bytes with a checksum behind them, as they are on the disk.
pub(crate) fn seal(mut body: Vec<u8>) -> Vec<u8> {
    let sum = seal_of(&body);
    body.extend_from_slice(&sum);
    body
}

/// The bytes before a right checksum; `None` where it is wrong: cut short, foreign, or damaged.
pub(crate) fn unseal(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let body = bytes.len().checked_sub(SEAL)?;
    let right = seal_of(&bytes[..body]) == bytes[body..];
    bytes.truncate(body);
    right.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn varints_come_back(values in prop::collection::vec(any::<u32>(), 0..20)) {
            let mut out = Vec::new();
            for value in &values {
                push_varint(&mut out, *value);
            }
            let mut rest = out.as_slice();
            for value in values {
                prop_assert_eq!(take_varint(&mut rest), Some(value));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_bytes_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let mut rest = bytes.as_slice();
            while take_varint(&mut rest).is_some() {}
            prop_assert!(unseal(bytes).is_none());
        }
    }

    #[test]
    fn a_seal_notices_every_flipped_bit() {
        let sealed = seal(b"some bytes".to_vec());
        assert_eq!(unseal(sealed.clone()).as_deref(), Some(b"some bytes".as_slice()));
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(unseal(damaged).is_none());
        }
    }
}
