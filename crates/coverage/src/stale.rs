//! Whether a report still speaks about the sources that are there.

use std::time::SystemTime;

use crate::library::FileRow;
use crate::sources::Sources;

/// Why a file's figures may be about another version of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// The source was written after the report.
    SourceNewer,
    /// The report speaks of a line past the end of the source.
    PastEnd {
        /// The last line the report knows.
        line: u32,
        /// How many lines the source has.
        length: usize,
    },
}

impl Stale {
    /// The reason in words.
    pub fn reason(&self) -> String {
        match self {
            Self::SourceNewer => "the source was changed after the report was written".to_owned(),
            Self::PastEnd { line, length } => {
                format!("the report has line {line}, the source ends at line {length}")
            }
        }
    }
}

/// Compares one file's figures with its source; `None` also where there is no source to compare.
pub fn check(file: &FileRow, written: Option<SystemTime>, sources: &Sources) -> Option<Stale> {
    let source = sources.read(&file.path)?;
    let length = source.lines.len();
    let line = file.last_line;
    if line as usize > length {
        return Some(Stale::PastEnd { line, length });
    }
    let newer = written.zip(source.modified).is_some_and(|(report, source)| source > report);
    newer.then_some(Stale::SourceNewer)
}
