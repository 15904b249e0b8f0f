//! One step of a sequence: wait, then call.

use crate::abi::{Function, Value, encode_call, render_call};
use crate::target::Callable;
use crate::vm::Message;
use revm::primitives::{Address, U256};

/// Transactions in the order they are sent.
pub type Sequence = Vec<Transaction>;

/// A transaction as the fuzzer thinks of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transaction {
    /// What it does.
    pub action: Action,
    /// The contract that is called, where the function's own contract is one that sequences create.
    pub to: Option<Address>,
    /// Who sends it.
    pub sender: Address,
    /// Ether sent, in wei.
    pub value: U256,
    /// Gas price, in wei.
    pub gas_price: u64,
    /// Seconds that pass before it.
    pub time_delay: u64,
    /// Blocks that pass before it.
    pub block_delay: u64,
}

/// What a transaction does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Calls a function.
    Call {
        /// Index into the target's functions.
        function: usize,
        /// One value per parameter.
        arguments: Vec<Value>,
    },
    /// Only lets time pass.
    Wait,
}

/// The data of a call. A call that is no function's has none, or is its only argument.
pub(crate) fn calldata(function: &Function, arguments: &[Value]) -> Vec<u8> {
    match arguments {
        [Value::Bytes(data)] if function.is_fallback() => data.clone(),
        _ if function.is_fallback() => Vec::new(),
        _ => encode_call(function.selector, &function.inputs, arguments),
    }
}

impl Transaction {
    /// The function that is called, if any.
    pub fn function(&self) -> Option<usize> {
        match self.action {
            Action::Call { function, .. } => Some(function),
            Action::Wait => None,
        }
    }

    /// The call as text, or `*wait*`.
    pub fn render(&self, functions: &[Callable]) -> String {
        match &self.action {
            Action::Wait => "*wait*".to_owned(),
            Action::Call { function, arguments } => match functions.get(*function) {
                Some(callable) => render_call(&callable.function, arguments),
                None => format!("<function {function}>"),
            },
        }
    }

    /// The message to send, or nothing when the transaction only waits.
    pub(crate) fn message(&self, functions: &[Callable], gas: u64) -> Option<Message> {
        let Action::Call { function, arguments } = &self.action else { return None };
        let callable = functions.get(*function)?;
        let to = if callable.created { self.to? } else { callable.address };
        let data = calldata(&callable.function, arguments);
        Some(Message {
            from: self.sender,
            to,
            value: self.value,
            data: data.into(),
            gas,
            gas_price: u128::from(self.gas_price),
        })
    }
}
