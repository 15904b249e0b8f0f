//! Balances, storage, code and nonces of any account.

use super::{Answer, Desk, Row, address, bytes, done, one, one_text, string, word, word_of};
use crate::abi::Value;
use crate::vm::cheat_state::CHEAT_ADDRESS;
use revm::bytecode::Bytecode;
use revm::context_interface::JournalTr;
use revm::context_interface::journaled_state::account::JournaledAccountTr;
use revm::primitives::{Bytes, U256, keccak256};

pub(super) const TABLE: &[Row] = &[
    ("deal(address,uint256)", "", deal),
    ("store(address,bytes32,bytes32)", "", store),
    ("load(address,bytes32)", "bytes32", load),
    ("etch(address,bytes)", "", etch),
    ("getNonce(address)", "uint64", nonce),
    ("setNonce(address,uint64)", "", set_nonce),
    ("setNonceUnsafe(address,uint64)", "", set_nonce),
    ("resetNonce(address)", "", |desk, v| {
        set_nonce(desk, &[v[0].clone(), Value::Word(U256::ZERO)])
    }),
    ("label(address,string)", "", label),
    ("getLabel(address)", "string", get_label),
    ("allowCheatcodes(address)", "", |_, _| done()),
    ("makePersistent(address)", "", |_, _| done()),
    ("computeCreateAddress(address,uint256)", "address", create_address),
    ("computeCreate2Address(bytes32,bytes32,address)", "address", create2_address),
];

/// The slot where DSTest's `fail()` writes.
fn failed_slot() -> U256 {
    let mut word = [0u8; 32];
    word[..6].copy_from_slice(b"failed");
    U256::from_be_bytes(word)
}

fn deal(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let journal = &mut desk.context.journaled_state;
    let loaded = journal.load_account_mut(address(values, 0));
    let mut account = loaded.map_err(|e| e.to_string())?;
    account.data.touch();
    account.data.set_balance(word(values, 1));
    done()
}

fn store(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let (target, slot, value) = (address(values, 0), word(values, 1), word(values, 2));
    if target == CHEAT_ADDRESS {
        if slot == failed_slot() && !value.is_zero() {
            desk.context.chain.cheats.failed = true;
            desk.context.chain.cheats.failed_now = true;
        }
        return done();
    }
    let journal = &mut desk.context.journaled_state;
    let _ = journal.load_account(target);
    journal.touch_account(target);
    journal.sstore(target, slot, value).map_err(|e| e.to_string())?;
    done()
}

fn load(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let (target, slot) = (address(values, 0), word(values, 1));
    if target == CHEAT_ADDRESS {
        return one(U256::from(desk.context.chain.cheats.failed && slot == failed_slot()));
    }
    let journal = &mut desk.context.journaled_state;
    let _ = journal.load_account(target);
    one(journal.sload(target, slot).map_err(|e| e.to_string())?.data)
}

fn etch(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let code = Bytecode::new_legacy(Bytes::copy_from_slice(bytes(values, 1)));
    let journal = &mut desk.context.journaled_state;
    let _ = journal.load_account_with_code(address(values, 0));
    journal.set_code(address(values, 0), code);
    done()
}

fn nonce(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let loaded = desk.context.journaled_state.load_account(address(values, 0));
    one(U256::from(loaded.map_err(|e| e.to_string())?.info.nonce))
}

fn set_nonce(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let loaded = desk.context.journaled_state.load_account_mut(address(values, 0));
    let mut account = loaded.map_err(|e| e.to_string())?;
    account.data.touch();
    account.data.set_nonce(word(values, 1).saturating_to());
    done()
}

fn label(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    desk.context.chain.cheats.labels.insert(address(values, 0), string(values, 1));
    done()
}

fn get_label(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let address = address(values, 0);
    match desk.context.chain.cheats.labels.get(&address) {
        Some(label) => one_text(label),
        None => one_text(&format!("unlabeled:{address}")),
    }
}

fn create_address(_: &mut Desk<'_>, values: &[Value]) -> Answer {
    one(word_of(address(values, 0).create(word(values, 1).saturating_to())))
}

fn create2_address(_: &mut Desk<'_>, values: &[Value]) -> Answer {
    let mut data = vec![0xff];
    data.extend_from_slice(address(values, 2).as_slice());
    data.extend_from_slice(&word(values, 0).to_be_bytes::<32>());
    data.extend_from_slice(&word(values, 1).to_be_bytes::<32>());
    one((U256::from_be_bytes(keccak256(data).0) << 96) >> 96)
}
