//! From bytes to a [`Report`]: which format it is, by content, and one reader for each.
//!
//! Nothing here opens files or knows the project, and nothing heavy is needed: the fuzz target takes these
//! modules alone. (A `.coverage` database is no stream of bytes; [`crate::database`] reads it.)

mod clover;
mod cobertura;
mod coverage_py;
mod go;
mod istanbul;
mod jacoco;
mod llvm;
mod sniff;
mod xml;

use std::io::{BufRead, Read};

use proofstone_lcov::{Totals, Tracefile};

use crate::report::{File, Format, Report};
pub use sniff::{Looks, looks_like};

/// What some editors and shells put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Why a report could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It is none of the formats.
    #[error("{0}")]
    Unknown(String),
    /// An LCOV tracefile that can't be read.
    #[error(transparent)]
    Lcov(#[from] proofstone_lcov::Error),
    /// XML that can't be read.
    #[error("{format} can't be read at byte {at}: {reason}")]
    Xml {
        /// The format it was taken for.
        format: Format,
        /// Where reading stopped.
        at: u64,
        /// Why.
        reason: String,
    },
    /// JSON that can't be read.
    #[error("{format} can't be read: {source}")]
    Json {
        /// The format it was taken for.
        format: Format,
        /// What and where.
        source: serde_json::Error,
    },
    /// A line of a Go profile that can't be read.
    #[error("line {line} is no Go cover profile block: {text:?}")]
    Go {
        /// Where.
        line: u64,
        /// The beginning of the line.
        text: String,
    },
    /// A database alone says which lines ran, not which could have.
    #[error(
        "a coverage.py database says which lines ran but not which could have run; \
         make a report of it with `coverage lcov` or `coverage json` and use that"
    )]
    OnlyHits,
    /// The bytes could not be had.
    #[error("reading stopped: {0}")]
    Io(#[from] std::io::Error),
    /// Nothing in the report says anything about a line.
    #[error("no coverage data (a {0} report without a single executable line)")]
    NoData(Format),
}

/// Reads a report of any format but a database. `head` is the beginning of what `reader` gives.
pub fn read(head: &[u8], mut reader: impl BufRead) -> Result<Report, FormatError> {
    let looks = looks_like(head);
    if head.starts_with(BYTE_ORDER_MARK) && looks != Looks::Like(Format::Lcov) {
        // The reader of LCOV skips it itself; that of JSON takes it for garbage.
        reader.read_exact(&mut [0; BYTE_ORDER_MARK.len()])?;
    }
    let report = match looks {
        Looks::Like(Format::Lcov) => return Ok(Report::from_tracefile(Tracefile::read(reader)?)),
        Looks::Like(Format::Cobertura) => cobertura::read(reader)?,
        Looks::Like(Format::Jacoco) => jacoco::read(reader)?,
        Looks::Like(Format::Clover) => clover::read(reader)?,
        Looks::Like(Format::Istanbul) => istanbul::read(reader)?,
        Looks::Like(Format::CoveragePy) => coverage_py::read(reader)?,
        Looks::Like(Format::Go) => go::read(reader)?,
        Looks::Like(Format::LlvmCov) => llvm::read(reader)?,
        Looks::Like(Format::CoveragePyDatabase) => return Err(FormatError::OnlyHits),
        Looks::Foreign(what) => return Err(FormatError::Unknown(what)),
    };
    if report.files.iter().all(|file| file.coverage.lines_found() == 0) {
        return Err(FormatError::NoData(report.format));
    }
    Ok(report)
}

/// Counts the lines of an LCOV tracefile of a project at `root` without keeping it.
pub fn totals(reader: impl Read, root: &str) -> Result<Totals, FormatError> {
    Ok(Totals::read_beneath(reader, root.as_bytes())?)
}

/// Reads a JSON report into its own shape.
fn json<T: serde::de::DeserializeOwned>(
    format: Format,
    reader: impl Read,
) -> Result<T, FormatError> {
    serde_json::from_reader(reader).map_err(|source| FormatError::Json { format, source })
}

/// A file of a report, its parts brought into order.
fn file(path: String, mut coverage: proofstone_lcov::Coverage) -> File {
    coverage.functions.sort_by_key(|function| function.start);
    File { path, coverage }
}
