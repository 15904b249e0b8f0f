//! What the fuzzer feeds to contracts: transactions, and where their values come from.
//!
//! Everything here is a function of a random generator and a dictionary; nothing runs code.

mod dictionary;
mod generate;
mod mutate;
mod repair;
mod transaction;

pub use dictionary::Dictionary;
pub use generate::Generator;
pub use transaction::{Action, Sequence, Transaction};

pub(crate) use mutate::mutate_transaction;
pub(crate) use repair::{Attempt, Scene, distance, repair, secant};
pub(crate) use transaction::calldata;
