//! One call's life, the same for every tool and every transport.
//!
//! A call enters as a name and arguments and leaves as a [`Rendered`] answer. On the way, in this
//! order: the arguments are checked against the schema; the rate limit; a permit; the deadline and
//! cancellation; the handler, under a net that catches panics; the answer is checked against its
//! schema; the figures and one log line; the rendering in the toolset's dialect.
//!
//! **Invariant:** this is the only place that knows about limits, timing, logging and validation,
//! and it knows no protocol. A handler never checks what is checked here, and a transport never adds
//! a rule of its own.
//!
//! [`Rendered`]: proofstone_contract::Rendered

mod call;
mod journal;
mod registry;
mod stats;
mod validation;

pub use call::{Gate, Outcome, OutputPolicy};
pub use journal::{Kept, PastCall};
pub use registry::{Registry, RegistryError, UnknownTool};
pub use stats::{Stats, ToolFigures};
pub use validation::Checker;
