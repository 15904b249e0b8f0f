//! The tools that watch and steer a fuzzing campaign.
//!
//! One campaign stands on the [`Desk`]: it is started, watched, fed and stopped from any session, goes on
//! when a session ends, and still answers when it is over. Watching reads what the workers publish; steering
//! files an order that all workers take up at the same epoch, and writes it down beside the corpus so that
//! the campaign can be repeated.
//!
//! **Invariant:** nothing here takes a lock that a worker holds while it executes calls.

mod answers;
pub mod command_log;
mod desk;
mod dialect;
mod place;
mod run;
mod sample;
mod saved;
mod start;
mod tools;
mod toolset;
mod unreached;

pub use desk::{Desk, Options};
pub use dialect::FuzzDialect;
pub use run::{AddPropertyError, AddedProperty, Run};
pub use start::{Plan, StartError, own_folder};
pub use toolset::Fuzz;
