//! Bytecode that may still have holes where library addresses belong.

use revm::primitives::{Address, Bytes, keccak256};
use std::collections::BTreeMap;
use thiserror::Error;

/// Hex code as compilers write it, with placeholders for libraries.
#[derive(Clone, Debug, Default)]
pub struct UnlinkedCode {
    hex: String,
    /// Library name (qualified by file) to byte offsets, from `linkReferences`.
    references: BTreeMap<String, Vec<usize>>,
}

/// Bytecode could not be made whole.
#[derive(Debug, Error)]
pub enum LinkError {
    /// A library's address is unknown.
    #[error(
        "the bytecode refers to the library {0}, which is not among the compiled contracts; compile it together with the contract, or link it first"
    )]
    Missing(String),
    /// The text is not hexadecimal.
    #[error("the bytecode is not hexadecimal (at character {0})")]
    NotHex(usize),
}

impl UnlinkedCode {
    /// Code as it stands in an artifact, with or without `0x`.
    pub fn new(hex: &str, references: BTreeMap<String, Vec<usize>>) -> Self {
        Self { hex: hex.trim().trim_start_matches("0x").to_owned(), references }
    }

    /// Whether there is no code at all.
    pub fn is_empty(&self) -> bool {
        self.hex.is_empty()
    }

    /// The libraries this code needs, as qualified names or as the placeholder itself.
    pub fn libraries(&self) -> Vec<String> {
        if !self.references.is_empty() {
            return self.references.keys().cloned().collect();
        }
        let mut names = Vec::new();
        let mut rest = self.hex.as_str();
        while let Some(at) = rest.find("__") {
            let end = rest.floor_char_boundary(at + 40);
            let name = rest[at..end].to_owned();
            if !names.contains(&name) {
                names.push(name);
            }
            rest = &rest[end..];
        }
        names
    }

    /// Puts library addresses in and returns the bytes.
    pub fn link(&self, address_of: impl Fn(&str) -> Option<Address>) -> Result<Bytes, LinkError> {
        let mut hex = self.hex.clone();
        for library in self.libraries() {
            let address =
                address_of(&library).ok_or_else(|| LinkError::Missing(library.clone()))?;
            let digits = revm::primitives::hex::encode(address);
            match self.references.get(&library) {
                Some(offsets) => {
                    for offset in offsets {
                        let at = offset.saturating_mul(2);
                        let hole = at..at.saturating_add(40);
                        if hex.get(hole.clone()).is_some() {
                            hex.replace_range(hole, &digits);
                        }
                    }
                }
                None => hex = hex.replace(&library, &digits),
            }
        }
        bytes_of(&hex)
    }

    /// The bytes with every library placeholder as zeros, for comparing with deployed code.
    pub fn with_holes(&self) -> Vec<u8> {
        self.link(|_| Some(Address::ZERO)).map(|b| b.to_vec()).unwrap_or_default()
    }
}

/// The placeholder solc writes for a library since 0.5: `__$` and 34 digits of a hash and `$__`.
pub(crate) fn placeholder(qualified: &str) -> String {
    let hash = revm::primitives::hex::encode(keccak256(qualified.as_bytes()));
    format!("__${}$__", &hash[..34])
}

fn bytes_of(hex: &str) -> Result<Bytes, LinkError> {
    if let Some(at) = hex.bytes().position(|b| !b.is_ascii_hexdigit()) {
        return Err(LinkError::NotHex(at));
    }
    revm::primitives::hex::decode(hex).map(Bytes::from).map_err(|_| LinkError::NotHex(hex.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_linked_by_reference_and_by_placeholder() {
        let library = Address::repeat_byte(0xab);
        let hole = placeholder("a.sol:L");
        let plain = UnlinkedCode::new(&format!("0x60{hole}61"), BTreeMap::new());
        assert_eq!(plain.libraries(), std::slice::from_ref(&hole));
        let bytes = plain.link(|name| (name == hole).then_some(library)).unwrap();
        assert_eq!(bytes[1..21], library[..]);
        let referenced = UnlinkedCode::new(
            &format!("60{hole}61"),
            BTreeMap::from([("a.sol:L".into(), vec![1])]),
        );
        assert_eq!(referenced.link(|_| Some(library)).unwrap(), bytes);
        let error = referenced.link(|_| None).unwrap_err().to_string();
        assert!(error.contains("a.sol:L"), "{error}");
    }
    #[test]
    fn code_that_is_not_hex_is_answered() {
        let odd =
            UnlinkedCode::new("6000__$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaFFH𝕆a$__00", BTreeMap::new());
        assert!(!odd.libraries().is_empty());
        assert!(odd.link(|_| Some(Address::ZERO)).is_err());
        let far = BTreeMap::from([("a.sol:L".into(), vec![usize::MAX, 3])]);
        let odd = UnlinkedCode::new(&format!("60{}", "𝕆".repeat(30)), far);
        assert!(odd.link(|_| Some(Address::ZERO)).is_err());
    }
}
