//! The project root: the only crate that opens project files.
