//! Parse, write and merge LCOV tracefiles.
//!
//! The reader works on bytes, so paths and names need not be UTF-8, and reads any
//! [`std::io::Read`] in one pass. It comes in two sizes over one scanner:
//!
//! - [`Tracefile::read`] keeps everything: lines, functions, branches and MC/DC conditions, per
//!   test name. What it keeps can be merged ([`Tracefile::merge`]) and written ([`Tracefile::write`]).
//! - [`Totals::read`] keeps two bits a line, enough to count every line once however often its file
//!   appears, and no more.
//!
//! A number that would be wrong is never returned silently: what the format leaves open (negative
//! or fractional counts, sections without an end, summaries that contradict the lines) is decided
//! here and said in [`Notes`]; what can't be decided is an [`Error`] with its line.
//!
//! This crate knows LCOV and nothing else: no other report format, no file system, no project.
//!
//! ```
//! use proofstone_lcov::Tracefile;
//!
//! let trace = Tracefile::read(&b"SF:src/a.rs\nDA:1,3\nDA:2,0\nend_of_record\n"[..])?;
//! let lines = &trace.sections[0].coverage.lines;
//! assert_eq!((lines.hit(), lines.found()), (1, 2));
//! # Ok::<(), proofstone_lcov::Error>(())
//! ```

mod branches;
mod build;
mod count;
mod error;
mod lines;
mod merge;
mod model;
mod note;
mod pack;
mod path;
mod record;
mod scan;
mod summary;
mod totals;
mod write;

pub use branches::Branches;
pub use bstr::{BStr, BString};
pub use error::Error;
pub use lines::Lines;
pub use model::{
    Alias, Aliases, Branch, BranchId, BranchKind, Condition, Coverage, Function, Section, Summary,
    Taken, Tracefile,
};
pub use note::{Declared, Note, NoteKind, Notes};
pub use path::{normal_path, path_beneath};
pub use totals::{FileTotals, Totals};
