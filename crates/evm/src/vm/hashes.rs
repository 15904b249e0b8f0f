//! Hashes that were computed before. A mapping's values lie where the hash of key and slot says, so a
//! contract hashes the same few pairs in every call; looking one up costs a twentieth of hashing it.

use revm::primitives::{B256, U256, keccak256};

/// The length of a mapping's key and slot.
pub(super) const PAIR: usize = 64;
/// Pairs remembered; a power of two. A pair that falls on another's place takes it.
const PLACES: usize = 1 << 9;

/// Keccak-256 of pairs of words, remembered.
#[derive(Debug)]
pub(crate) struct PairHashes {
    places: Vec<([u8; PAIR], U256)>,
}

impl Default for PairHashes {
    fn default() -> Self {
        let nothing = [0; PAIR];
        let hash = U256::from_be_bytes(keccak256(nothing).0);
        Self { places: vec![(nothing, hash); PLACES] }
    }
}

impl PairHashes {
    /// The hash of a pair.
    pub(super) fn hash(&mut self, pair: &[u8; PAIR]) -> U256 {
        let (known, hash) = &mut self.places[place_of(pair)];
        if known != pair {
            *known = *pair;
            *hash = U256::from_be_bytes(B256::from(keccak256(pair)).0);
        }
        *hash
    }
}

fn place_of(pair: &[u8; PAIR]) -> usize {
    let (words, _) = pair.as_chunks::<8>();
    let mixed = words.iter().fold(0u64, |mixed, word| {
        (mixed.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mixed >> 40) as usize & (PLACES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_remembered_hash_is_the_hash(keys in prop::collection::vec((any::<u8>(), 0u8..8), 0..600)) {
            let mut hashes = PairHashes::default();
            for (key, slot) in keys {
                let mut pair = [0; PAIR];
                (pair[12], pair[31], pair[63]) = (key / 3, key, slot);
                prop_assert_eq!(B256::from(hashes.hash(&pair)), keccak256(pair));
            }
        }
    }
}
