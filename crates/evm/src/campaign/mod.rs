//! Campaigns: workers that fuzz one target together, and the handle that people and tools hold.
//!
//! A worker runs in *epochs* of a number of calls that depends on nothing but the configuration.
//! What it found goes out at the end of an epoch and comes in, from all others, one epoch later: so
//! nothing is locked while calls run, and the same seed finds the same things.

mod adding;
mod corpus;
pub mod disk;
mod events;
mod exchange;
mod fuzzer;
mod gas;
mod handle;
mod minimize;
mod offspring;
mod record;
mod shrink;
mod snapshot;
mod worker;

pub use adding::{AddTestError, Addition, Checked};
pub use corpus::{Corpus, CorpusTransaction, Entry, Origin};
pub use events::{Event, EventKind, EventLog, EventValue};
pub use gas::GasPeak;
pub use handle::{Campaign, InjectError, Injection, Order, Prioritized, Scheduled};
pub use minimize::minimize;
pub(crate) use offspring::Offspring;
pub use record::Record;
pub use shrink::Shrinker;
pub(crate) use shrink::run as shrink_run;
pub use snapshot::{Failure, FunctionCounts, Snapshot, TestReport, TestStatus, WorkerStatus};
