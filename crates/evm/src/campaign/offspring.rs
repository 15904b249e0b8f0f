//! Contracts that a sequence has created on its way, and the transactions that call them.
//!
//! Their addresses depend on what came before, so a transaction that calls one is aimed anew whenever
//! its sequence has changed.

use crate::input::{Action, Transaction};
use crate::target::Target;
use crate::vm::Machine;
use fastrand::Rng;
use revm::primitives::{Address, U256};

/// The known contracts that the sequence so far has created.
#[derive(Debug, Default)]
pub(crate) struct Offspring {
    alive: Vec<Child>,
}

#[derive(Clone, Copy, Debug)]
struct Child {
    /// Transactions of the sequence when it was there.
    after: usize,
    address: Address,
    /// Index of the contract in the artifacts.
    contract: usize,
}

impl Offspring {
    pub(crate) fn clear(&mut self) {
        self.alive.clear();
    }

    /// The sequence goes back to its first transactions.
    pub(crate) fn truncate(&mut self, transactions: usize) {
        self.alive.retain(|child| child.after <= transactions);
    }

    /// Notes what the last transaction has created.
    pub(crate) fn note(&mut self, machine: &mut Machine, target: &Target, transactions: usize) {
        if target.children.is_empty() || machine.probe().created.is_empty() {
            return;
        }
        for address in machine.probe().created.clone() {
            let code = machine.code(address);
            let contract = target.layout.identify(&code, false).contract.map(|c| c as usize);
            if let Some(contract) = contract.filter(|c| target.children.contains_key(c)) {
                self.alive.push(Child { after: transactions, address, contract });
            }
        }
    }

    /// Sees to it that a transaction calls a contract that is there. Where there is none, it only waits.
    pub(crate) fn aim(&self, target: &Target, transaction: &mut Transaction) {
        let callable = transaction.function().and_then(|f| target.functions.get(f));
        let Some(callable) = callable.filter(|c| c.created) else { return };
        let mut same = self.alive.iter().filter(|child| child.contract == callable.contract);
        if same.clone().any(|child| Some(child.address) == transaction.to) {
            return;
        }
        transaction.to = same.next_back().map(|child| child.address);
        if transaction.to.is_none() {
            transaction.action = Action::Wait;
            transaction.value = U256::ZERO;
        }
    }

    /// A function of something that is there, as likely as one of `others`.
    pub(crate) fn choose(
        &self,
        rng: &mut Rng,
        target: &Target,
        others: usize,
    ) -> Option<(usize, Address)> {
        let child = rng.choice(&self.alive)?;
        let functions = target.children.get(&child.contract)?;
        let chosen = functions.get(rng.usize(..functions.len() + others))?;
        Some((*chosen, child.address))
    }
}
