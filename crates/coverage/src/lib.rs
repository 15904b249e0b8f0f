//! Coverage reports in many formats, one model, answers about what is tested.
//!
//! A report comes in through [`library`], which remembers it; [`formats`] tells by content what it is
//! and reads it into the one model of [`report`]. Everything else asks that model: [`paths`] finds
//! the file a person means, [`ratio`] turns exact fractions into percentages by one rule,
//! [`uncovered`], [`patch`], [`change`], [`attribution`] and [`targets`] answer the questions, and
//! [`snapshot`] keeps a state for later. Project sources are read through [`sources`] only.
//!
//! The tools in `tools/` are thin: they turn JSON into a question and an answer into JSON. Nothing
//! below them knows JSON schemas or MCP.

pub mod attribution;
pub mod change;
pub mod changes;
pub mod database;
mod desk;
mod dialect;
pub mod diff;
pub mod formats;
pub mod functions;
pub mod git;
pub mod library;
mod names;
pub mod open;
pub mod patch;
pub mod paths;
pub mod ranges;
pub mod ratio;
pub mod report;
mod resources;
pub mod snapshot;
pub mod sources;
pub mod stale;
pub mod targets;
mod tools;
mod toolset;
pub mod uncovered;

pub use desk::Options;
pub use dialect::CoverageDialect;
pub use toolset::Coverage;
