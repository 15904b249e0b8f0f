//! What syntax tells about a file: its definitions, and where it is cut into chunks.
//!
//! Knows tree-sitter and nothing of indexes or ranking. A file that does not parse is never an error: what
//! the parser could make of it is used, and the rest is cut by lines.

mod bodies;
mod chunk;
mod definition;
mod grammar;

pub(crate) use chunk::chunks_of_whole;
pub use chunk::{Chunk, chunks};
pub(crate) use definition::slice as node_text;
pub use definition::{Definition, DefinitionKind};
pub use grammar::{has_grammar, parse};
