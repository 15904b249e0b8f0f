//! What a file imports, and which files of the project that means.
//!
//! Two steps: [`written`] reads the imports out of the syntax; [`resolve`] looks for the files through the
//! jail, so that a denied or outside target is never opened. What lies outside the project is named, not read.

mod resolve;
mod typescript;
mod written;

pub use resolve::{Resolved, resolve};
pub use written::{Import, SyntaxFault, written};

/// Whether imports of this language are understood.
pub fn understands(language: crate::language::Language) -> bool {
    use crate::language::Language as L;
    matches!(
        language,
        L::TypeScript
            | L::Tsx
            | L::JavaScript
            | L::Python
            | L::Rust
            | L::Go
            | L::Java
            | L::C
            | L::Cpp
            | L::Solidity
    )
}

#[cfg(test)]
mod tests;
