//! The EVM as the fuzzer drives it: transactions without a transaction pool, marks to go back to,
//! and probes in the instruction table.
//!
//! [`Machine`] runs revm's frames itself instead of going through a transaction handler: there is
//! no signature, no nonce and no fee to check, and standing between frames is what pranks, expected
//! reverts and traces need. The journal is kept over a whole sequence, so that going back to any
//! earlier point ([`Machine::rewind`]) undoes only what happened since.

mod cheat_state;
mod cheats;
mod codes;
mod hashes;
mod hooks;
mod machine;
mod message;
mod probe;
mod reads;
mod trace;
mod world;

pub use cheat_state::{CHEAT_ADDRESS, CheatState};
pub use cheats::NamedCode;
pub use codes::{CodeLayout, CodeSlot, instruction_starts};
pub use machine::{Machine, Mark};
pub(crate) use message::intrinsic_gas;
pub use message::{Ending, Message, Outcome, Settings};
pub use probe::{Comparison, Operator, Probe};
pub(crate) use reads::Reads;
pub use trace::{CallKind, Trace, TraceCall, TraceItem};
pub use world::World;
pub(crate) use world::code_apart;
