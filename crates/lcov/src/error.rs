//! Why a tracefile could not be read.

use std::io;

/// Why a tracefile could not be read. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes could not be had.
    #[error("reading stopped after line {line}: {source}")]
    Io {
        /// The last line that was read completely.
        line: u64,
        /// What the reader said.
        source: io::Error,
    },
    /// A line that no LCOV tracefile has.
    #[error("line {line} is not an LCOV record: {text}")]
    NotARecord {
        /// Where.
        line: u64,
        /// The beginning of the line, made printable.
        text: String,
    },
    /// A record whose fields can't be understood.
    #[error("line {line}: {reason}: {text}")]
    Malformed {
        /// Where.
        line: u64,
        /// What is wrong with it.
        reason: &'static str,
        /// The beginning of the line, made printable.
        text: String,
    },
    /// A record about lines before the first `SF:` or after `end_of_record`.
    #[error("line {line} belongs to no file (no SF: before it): {text}")]
    OutsideSection {
        /// Where.
        line: u64,
        /// The beginning of the line, made printable.
        text: String,
    },
    /// A line so long that it is no record.
    #[error("line {line} is longer than {limit} bytes, which no LCOV record is")]
    LineTooLong {
        /// Where.
        line: u64,
        /// The longest line that is read.
        limit: usize,
    },
    /// Nothing in the file says anything about a line.
    #[error("no coverage data ({0})")]
    NoData(&'static str),
}

/// The beginning of a line as a person can read it.
pub(crate) fn preview(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    let cut = &line[..line.len().min(SHOWN)];
    let dots = if line.len() > SHOWN { "…" } else { "" };
    format!("\"{}{dots}\"", cut.escape_ascii())
}
