//! What the code says, and what was learned about it.

pub mod grep;
pub mod imports;
pub mod index;
pub mod language;
pub mod memory;
pub mod module;
pub mod search;
pub mod syntax;
pub mod text;
pub mod tokens;
pub mod walk;
