//! What the code says, and what was learned about it.
//!
//! The domain, in modules named after its nouns, knows no JSON and no MCP: [`grep`] searches exactly, [`syntax`]
//! cuts files into chunks, [`index`] keeps them by content, [`search`] ranks them and [`find`] verifies what it
//! answers, [`imports`] and [`reading`] follow a file's dependencies, [`symbols`], [`map`] and [`related`] say how
//! things hang together, [`memory`] keeps discoveries and sessions. A [`Project`](project::Project) joins them for
//! one root; every project file is opened through the jail. `tools/` holds one file for each tool, over them.

mod dialect;
pub mod embed;
pub mod find;
mod freshness;
pub mod grep;
pub mod imports;
pub mod index;
pub mod language;
pub mod map;
pub mod memory;
pub mod module;
#[doc(hidden)]
pub mod outside;
pub mod overview;
pub mod project;
pub mod reading;
pub mod redact;
pub mod related;
mod resources;
pub mod search;
pub mod symbols;
pub mod syntax;
pub mod text;
mod tools;
mod toolset;
pub mod tracker;
pub mod walk;

pub use dialect::ContextDialect;
pub use project::Options;
pub use proofstone_embed::tokens;
pub use toolset::Context;
