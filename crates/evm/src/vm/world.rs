//! The state that all sequences start from: shared, never changed, cheap to read.

use revm::Database;
use revm::bytecode::{Bytecode, JumpTable, opcode};
use revm::primitives::{Address, B256, Bytes, StorageKey, StorageValue, U256, keccak256};
use revm::state::{AccountInfo, EvmState};
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::sync::Arc;

/// Accounts and their storage.
#[derive(Clone, Debug, Default)]
pub struct World {
    accounts: FxHashMap<Address, Account>,
}

#[derive(Clone, Debug, Default)]
struct Account {
    info: AccountInfo,
    storage: FxHashMap<U256, U256>,
}

impl World {
    /// Puts an account in place.
    pub fn put(&mut self, address: Address, balance: U256, code: Option<Bytecode>) {
        let info = match code {
            None => AccountInfo::from_balance(balance),
            Some(code) => {
                AccountInfo { balance, nonce: 1, ..AccountInfo::default() }.with_code(code)
            }
        };
        self.accounts.insert(address, Account { info, storage: FxHashMap::default() });
    }

    /// Takes over what a machine's run has changed.
    pub fn absorb(&mut self, state: EvmState) {
        for (address, account) in state {
            if !account.is_touched() && !account.is_changed() {
                continue;
            }
            let entry = self.accounts.entry(address).or_default();
            if account.is_selfdestructed() {
                *entry = Account::default();
                continue;
            }
            entry.info = account.info;
            entry.storage.extend(account.storage.iter().map(|(k, v)| (*k, v.present_value)));
        }
    }

    /// The code at an address.
    pub fn code(&self, address: Address) -> Option<&Bytecode> {
        self.accounts.get(&address)?.info.code.as_ref()
    }

    /// Addresses with code.
    pub fn contracts(&self) -> impl Iterator<Item = Address> {
        let with_code = self.accounts.iter().filter(|(_, a)| !a.info.is_empty_code_hash());
        with_code.map(|(address, _)| *address)
    }

    /// A copy that shares no memory with this one. revm counts the references to an account's code several
    /// times a call, and a counter that two cores write to costs each of them more than the call's own work on it.
    pub(crate) fn apart(&self) -> Self {
        let empty = empty_code();
        let accounts = self.accounts.iter().map(|(address, account)| {
            let code = account.info.code.as_ref();
            let code =
                code.map(|code| if code.is_empty() { empty.clone() } else { code_apart(code) });
            let info = AccountInfo { code, ..account.info.clone() };
            (*address, Account { info, storage: account.storage.clone() })
        });
        Self { accounts: accounts.collect() }
    }

    /// Every storage slot of an account.
    pub fn storage(&self, address: Address) -> impl Iterator<Item = (U256, U256)> {
        let account = self.accounts.get(&address).into_iter();
        account.flat_map(|a| a.storage.iter().map(|(k, v)| (*k, *v)))
    }
}

/// The same code in memory of its own.
pub(crate) fn code_apart(code: &Bytecode) -> Bytecode {
    if code.is_eip7702() {
        return code.clone();
    }
    // What was put there by a cheatcode may begin as a delegation does and be none.
    Bytecode::new_legacy(Bytes::copy_from_slice(code.original_byte_slice()))
}

/// No code, in memory of its own: revm's is one for the whole process.
fn empty_code() -> Bytecode {
    // SAFETY: this is what `Bytecode::default` is made of, a STOP that lies beyond the code's end.
    #[expect(unsafe_code, reason = "revm has no other way to say empty code that is not shared")]
    unsafe {
        Bytecode::new_analyzed(Bytes::from_static(&[opcode::STOP]), 0, JumpTable::default())
    }
}

/// A handle on a [`World`] that revm can read from.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedWorld(pub(crate) Arc<World>);

impl Database for SharedWorld {
    type Error = Infallible;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        Ok(self.0.accounts.get(&address).map(|a| a.info.clone()))
    }

    fn code_by_hash(&mut self, _: B256) -> Result<Bytecode, Infallible> {
        // Accounts always carry their code, so revm never asks.
        Ok(Bytecode::default())
    }

    fn storage(&mut self, address: Address, index: StorageKey) -> Result<StorageValue, Infallible> {
        let account = self.0.accounts.get(&address);
        Ok(account.and_then(|a| a.storage.get(&index)).copied().unwrap_or_default())
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, Infallible> {
        Ok(keccak256(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revm::primitives::address;

    #[test]
    fn a_copy_apart_is_equal_and_shares_no_code() {
        let contract = address!("00000000000000000000000000000000000000a0");
        let person = address!("00000000000000000000000000000000000000a1");
        let odd = address!("00000000000000000000000000000000000000a2");
        let mut world = World::default();
        world.put(contract, U256::from(7), Some(Bytecode::new_raw(vec![0x60, 1, 0x56].into())));
        world.put(person, U256::from(9), None);
        world.put(odd, U256::ZERO, Some(Bytecode::new_legacy(vec![0xef, 0x01, 0x00, 1].into())));
        let apart = world.apart();
        for place in [contract, person, odd] {
            let (one, other) = (&world.accounts[&place].info, &apart.accounts[&place].info);
            assert_eq!(one, other);
            let (one, other) = (world.code(place).unwrap(), apart.code(place).unwrap());
            assert_eq!(one.hash_slow(), other.hash_slow());
            assert_eq!(one.bytes_slice(), other.bytes_slice());
            let tables =
                [one, other].map(|code| std::ptr::from_ref(code.legacy_jump_table().unwrap()));
            assert_ne!(tables[0], tables[1], "the counted memory is the same");
        }
    }
}
