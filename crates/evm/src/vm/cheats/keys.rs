//! Private keys: addresses and signatures.

use super::{Answer, Desk, Row, one, string, word, word_of};
use crate::abi::Value;
use k256::ecdsa::SigningKey;
use revm::primitives::{Address, U256, keccak256};

pub(super) const TABLE: &[Row] = &[
    ("addr(uint256)", "address", |_, v| one(word_of(address_of(&key(word(v, 0))?)))),
    ("sign(uint256,bytes32)", "uint8,bytes32,bytes32", sign),
    ("rememberKey(uint256)", "address", |_, v| one(word_of(address_of(&key(word(v, 0))?)))),
    ("createWallet(string)", "(address,uint256,uint256,uint256)", |_, v| {
        wallet(U256::from_be_bytes(keccak256(string(v, 0)).0))
    }),
    ("createWallet(uint256)", "(address,uint256,uint256,uint256)", |_, v| wallet(word(v, 0))),
];

fn key(number: U256) -> Result<SigningKey, String> {
    SigningKey::from_slice(&number.to_be_bytes::<32>())
        .map_err(|_| "private key must be in 1..N-1 of secp256k1".to_owned())
}

fn address_of(key: &SigningKey) -> Address {
    let point = key.verifying_key().to_encoded_point(false);
    Address::from_raw_public_key(&point.as_bytes()[1..])
}

fn sign(_: &mut Desk<'_>, values: &[Value]) -> Answer {
    let key = key(word(values, 0))?;
    let digest = word(values, 1).to_be_bytes::<32>();
    let (signature, recovery) = key.sign_prehash_recoverable(&digest).map_err(|e| e.to_string())?;
    let (r, s) = (signature.r().to_bytes(), signature.s().to_bytes());
    Ok(vec![
        Value::Word(U256::from(27 + recovery.to_byte())),
        Value::Word(U256::from_be_slice(&r)),
        Value::Word(U256::from_be_slice(&s)),
    ])
}

fn wallet(number: U256) -> Answer {
    let key = key(number)?;
    let point = key.verifying_key().to_encoded_point(false);
    let coordinate = |range| U256::from_be_slice(&point.as_bytes()[range]);
    let parts = [word_of(address_of(&key)), coordinate(1..33), coordinate(33..65), number];
    Ok(vec![Value::List(parts.map(Value::Word).to_vec())])
}
