//! Pattern files, their index, and rules that run on code.
//!
//! A file comes in through [`shelf`], which knows the layers and reloads them when they change; [`markdown`] takes
//! its text apart, [`reading`] makes a [`pattern`] of it, and what is wrong becomes a [`diagnostic`]. The
//! [`library`] holds the patterns of all layers and searches them with the [`index`]; [`cards`] shows them.
//! [`rules`] compiles the rules that patterns carry and holds them against their own examples. [`engine`] runs
//! rules in this process, [`scan`] in a child process that can be killed, and [`analysis`] turns matches into
//! findings, suggestions and proved fixes.
//!
//! The tools in `tools/` are thin: they turn JSON into a question and an answer into JSON. Nothing below them
//! knows JSON schemas or MCP.

pub mod analysis;
pub mod cards;
mod dependencies;
mod desk;
pub mod diagnostic;
mod dialect;
pub mod engine;
pub mod fix;
pub mod index;
pub mod language;
pub mod library;
pub mod markdown;
mod meaning;
mod notation;
pub mod pattern;
pub mod reading;
pub mod rules;
pub mod scan;
pub mod scope;
pub mod shelf;
mod spelling;
mod suspicion;
mod tools;
mod toolset;
pub mod words;

pub use desk::{Options, Surroundings};
pub use dialect::PatternsDialect;
pub use toolset::Patterns;
