//! The state that all sequences start from: shared, never changed, cheap to read.

use revm::Database;
use revm::bytecode::Bytecode;
use revm::primitives::{Address, B256, StorageKey, StorageValue, U256, keccak256};
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

    /// Every storage slot of an account.
    pub fn storage(&self, address: Address) -> impl Iterator<Item = (U256, U256)> {
        let account = self.accounts.get(&address).into_iter();
        account.flat_map(|a| a.storage.iter().map(|(k, v)| (*k, *v)))
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
