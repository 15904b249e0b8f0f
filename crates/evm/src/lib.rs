//! A coverage-guided fuzzer for smart contracts on revm.
//!
//! The way of a campaign: [`artifact::load`] finds or makes compiled contracts, [`target::Target`]
//! deploys one of them and finds its tests, [`campaign::Campaign`] runs workers on it and is the
//! handle to watch and steer them. Below that, [`vm`] is the EVM with probes in its instruction
//! table, [`input`] makes transactions, [`abi`] packs their calldata and [`checks`] knows what a
//! failure is.
//!
//! This crate prints nothing, reads no environment beyond what cheatcodes ask for, and knows no MCP.

pub mod abi;
pub mod artifact;
pub mod campaign;
pub mod checks;
pub mod config;
pub mod input;
pub mod property;
pub mod reason;
pub mod report;
pub mod settings;
pub mod source;
pub mod target;
mod told;
pub mod vm;

pub use revm::primitives::{Address, I256, U256};
