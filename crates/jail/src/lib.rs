//! The project root, and the only way to its files.
//!
//! A [`Root`] opens the project's folder once. Every later path is resolved from that open folder, one
//! component at a time, so that `..`, symbolic links and swaps during the call can't lead outside it, and
//! every name on the way, including the names a link leads to, is held against a [`Policy`] of denied names.
//! Only regular files are opened, and none is read past the policy's size limit without asking for a part.
//!
//! This crate knows paths and bytes. It must not know what a file means: no text decoding, no languages, no
//! ignore files, no tools.
//!
//! ```
//! use proofstone_jail::{JailError, Policy, Root};
//!
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("main.rs"), "fn main() {}")?;
//! let root = Root::open(folder.path(), Policy::project())?;
//! assert_eq!(root.read("main.rs")?, b"fn main() {}");
//! assert!(matches!(root.read("../secret"), Err(JailError::Outside { .. })));
//! assert!(matches!(root.read(".env"), Err(JailError::Denied { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod denied;
mod error;
mod file;
mod path;
mod policy;
mod resolve;
mod root;

pub use error::JailError;
pub use file::{LineRange, OpenFile, Part};
pub use path::RelPath;
pub use policy::Policy;
pub use root::{Entry, EntryKind, Root};
