//! A sequence shown to people: what each call did, and a test that repeats it elsewhere.

mod decode;
mod execution;
mod reproducer;

pub use execution::{Execution, Step, StorageChange, TraceLine, execute};
pub use reproducer::foundry_test;
