//! A coverage-guided fuzzer for smart contracts on revm.
pub mod abi;
