//! The type tree of an ABI parameter and the value that fits it.

use alloy_json_abi::Param;
use alloy_sol_type_parser::TypeSpecifier;
use revm::primitives::U256;
use thiserror::Error;

/// The type of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AbiType {
    /// `uintN`, with N in bits.
    Uint(u16),
    /// `intN`, with N in bits.
    Int(u16),
    /// `bool`.
    Bool,
    /// `address` and contract types.
    Address,
    /// `bytesN` with N from 1 to 32; `function` is 24 bytes.
    FixedBytes(u8),
    /// `bytes`.
    Bytes,
    /// `string`.
    String,
    /// `T[]`.
    Array(Box<AbiType>),
    /// `T[N]`.
    FixedArray(Box<AbiType>, usize),
    /// A struct: the types of its members in order.
    Tuple(Vec<AbiType>),
}

/// A value of some [`AbiType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A one-word type, exactly as it stands in calldata (`bytesN` is left-aligned).
    Word(U256),
    /// `bytes` or `string`.
    Bytes(Vec<u8>),
    /// The elements of an array or the members of a struct.
    List(Vec<Value>),
}

/// A type name that the ABI does not know.
#[derive(Debug, Error)]
#[error("`{0}` is not an ABI type")]
pub struct TypeError(pub String);

impl AbiType {
    /// Reads the type of a parameter of a JSON ABI.
    pub fn of_param(param: &Param) -> Result<Self, TypeError> {
        Self::build(&param.ty, &param.components)
    }

    /// Reads a type from its canonical name; structs are written `(uint256,bool)`.
    pub fn parse(name: &str) -> Result<Self, TypeError> {
        let bad = || TypeError(name.to_owned());
        let (stem, sizes) = array_suffix(name).ok_or_else(bad)?;
        let base = if let Some(inner) = stem.strip_prefix('(').and_then(|s| s.strip_suffix(')')) {
            let members = split_top_level(inner);
            Self::Tuple(members.into_iter().map(Self::parse).collect::<Result<_, _>>()?)
        } else {
            Self::root(stem).ok_or_else(bad)?
        };
        Ok(wrap(base, &sizes))
    }

    fn build(name: &str, components: &[Param]) -> Result<Self, TypeError> {
        let bad = || TypeError(name.to_owned());
        let parsed = TypeSpecifier::parse(name).map_err(|_| bad())?;
        let root = parsed.stem.span();
        let base = if root == "tuple" {
            Self::Tuple(components.iter().map(Self::of_param).collect::<Result<_, _>>()?)
        } else {
            Self::root(root).ok_or_else(bad)?
        };
        let sizes: Vec<_> = parsed.sizes.iter().map(|s| s.map(std::num::NonZero::get)).collect();
        Ok(wrap(base, &sizes))
    }

    fn root(name: &str) -> Option<Self> {
        let bits = |digits: &str, default: u16| match digits {
            "" => Some(default),
            _ => digits.parse::<u16>().ok().filter(|b| *b > 0 && *b <= 256 && b % 8 == 0),
        };
        Some(match name {
            "bool" => Self::Bool,
            "address" | "address payable" => Self::Address,
            "string" => Self::String,
            "bytes" => Self::Bytes,
            "function" => Self::FixedBytes(24),
            _ if name.starts_with("uint") => Self::Uint(bits(&name[4..], 256)?),
            _ if name.starts_with("int") => Self::Int(bits(&name[3..], 256)?),
            _ if name.starts_with("bytes") => {
                Self::FixedBytes(name[5..].parse().ok().filter(|n| (1..=32).contains(n))?)
            }
            _ => return None,
        })
    }

    /// Whether the encoding has a tail.
    pub fn is_dynamic(&self) -> bool {
        match self {
            Self::Bytes | Self::String | Self::Array(_) => true,
            Self::FixedArray(inner, size) => *size > 0 && inner.is_dynamic(),
            Self::Tuple(members) => members.iter().any(Self::is_dynamic),
            _ => false,
        }
    }

    /// Whether a value is one word.
    pub fn is_word(&self) -> bool {
        matches!(
            self,
            Self::Uint(_) | Self::Int(_) | Self::Bool | Self::Address | Self::FixedBytes(_)
        )
    }

    /// The number of bytes in the head of an encoding.
    pub fn head_size(&self) -> usize {
        match self {
            _ if self.is_dynamic() => 32,
            Self::FixedArray(inner, size) => inner.head_size() * size,
            Self::Tuple(members) => members.iter().map(Self::head_size).sum(),
            _ => 32,
        }
    }

    /// The canonical name, as it stands in a signature.
    pub fn canonical(&self) -> String {
        match self {
            Self::Uint(bits) => format!("uint{bits}"),
            Self::Int(bits) => format!("int{bits}"),
            Self::Bool => "bool".to_owned(),
            Self::Address => "address".to_owned(),
            Self::FixedBytes(size) => format!("bytes{size}"),
            Self::Bytes => "bytes".to_owned(),
            Self::String => "string".to_owned(),
            Self::Array(inner) => format!("{}[]", inner.canonical()),
            Self::FixedArray(inner, size) => format!("{}[{size}]", inner.canonical()),
            Self::Tuple(members) => {
                let names: Vec<_> = members.iter().map(Self::canonical).collect();
                format!("({})", names.join(","))
            }
        }
    }

    /// The value with every word zero and every length the least possible.
    pub fn zero(&self) -> Value {
        match self {
            Self::Bytes | Self::String => Value::Bytes(Vec::new()),
            Self::Array(_) => Value::List(Vec::new()),
            Self::FixedArray(inner, size) => Value::List(vec![inner.zero(); *size]),
            Self::Tuple(members) => Value::List(members.iter().map(Self::zero).collect()),
            _ => Value::Word(U256::ZERO),
        }
    }

    /// Cuts a word to what this type can hold, the way a clean caller would encode it.
    pub fn clamp(&self, word: U256) -> U256 {
        match self {
            Self::Uint(256) | Self::Int(256) | Self::FixedBytes(32) => word,
            Self::Uint(bits) => word & low_mask(usize::from(*bits)),
            Self::Int(bits) => sign_extend(word, usize::from(*bits)),
            Self::Bool => word & U256::from(1),
            Self::Address => word & low_mask(160),
            Self::FixedBytes(size) => word & !low_mask(256 - 8 * usize::from(*size)),
            _ => word,
        }
    }
}

/// The lowest `bits` bits set.
pub(crate) fn low_mask(bits: usize) -> U256 {
    if bits >= 256 { U256::MAX } else { (U256::from(1) << bits) - U256::from(1) }
}

/// Reads the lowest `bits` bits as a signed number and extends it to 256 bits.
pub(crate) fn sign_extend(word: U256, bits: usize) -> U256 {
    let low = word & low_mask(bits);
    if bits < 256 && low.bit(bits - 1) { low | !low_mask(bits) } else { low }
}

fn wrap(base: AbiType, sizes: &[Option<usize>]) -> AbiType {
    sizes.iter().fold(base, |inner, size| match size {
        None => AbiType::Array(Box::new(inner)),
        Some(size) => AbiType::FixedArray(Box::new(inner), *size),
    })
}

/// Splits `uint256[3][]` into `uint256` and its sizes, innermost first.
fn array_suffix(name: &str) -> Option<(&str, Vec<Option<usize>>)> {
    let mut stem = name;
    let mut sizes = Vec::new();
    while let Some(rest) = stem.strip_suffix(']') {
        let open = rest.rfind('[')?;
        let digits = &rest[open + 1..];
        sizes.push(if digits.is_empty() { None } else { Some(digits.parse().ok()?) });
        stem = &rest[..open];
    }
    sizes.reverse();
    Some((stem, sizes))
}

/// Splits at the commas that stand outside all brackets.
pub(crate) fn split_top_level(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_a_round_trip() {
        for name in
            ["uint8", "int256[3][]", "(uint256,(bool,bytes32)[2],string)[]", "bytes", "address"]
        {
            assert_eq!(AbiType::parse(name).unwrap().canonical(), name);
        }
        for bad in ["uint7", "int257", "bytes33", "uint256[", "foo", "(uint256", "uint256]"] {
            assert!(AbiType::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn clamping_keeps_a_word_inside_its_type() {
        let all = U256::MAX;
        assert_eq!(AbiType::Uint(8).clamp(all), U256::from(255));
        assert_eq!(AbiType::Int(8).clamp(U256::from(0x80)), U256::MAX - U256::from(127));
        assert_eq!(AbiType::Bool.clamp(all), U256::from(1));
        assert_eq!(AbiType::FixedBytes(1).clamp(all), U256::from(0xff) << 248);
    }
}
