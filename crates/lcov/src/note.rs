//! What a reader decided on its own and a person may want to know.

use std::fmt;

/// A decision the reader took where the format or the file leaves something open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// A count below zero was read as 0.
    NegativeCount,
    /// A count with a fraction or an exponent was rounded to a whole number.
    FractionalCount,
    /// A count past the largest number was read as the largest number.
    HugeCount,
    /// A record for line 0, which does not exist, was left out.
    LineZero,
    /// A section ended without `end_of_record`, at the next `SF:`.
    Unclosed,
    /// The file ended inside a section; it may be cut off.
    CutOff,
    /// A kind of record this reader does not know was left out.
    UnknownRecord,
    /// `LF`/`LH` contradict the `DA` records; the `DA` records were used.
    SummaryDisagrees,
    /// A section has `LF`/`LH` and no `DA`; the summary was used.
    SummaryOnly,
    /// A file's sections can't be united line by line (summaries only); the largest was used.
    SummaryMerged,
    /// Execution counts for a function that is declared nowhere.
    UndeclaredFunction,
    /// `FNL` and `FNA` records that do not belong together were left out.
    MisfitFunction,
    /// Sections of one file carry different versions (`VER`).
    VersionConflict,
    /// Sections of one file carry different checksums for a line: the source changed between runs.
    ChecksumConflict,
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NegativeCount => "negative execution counts were read as 0",
            Self::FractionalCount => "fractional execution counts were rounded",
            Self::HugeCount => "execution counts past 2^64-1 were read as 2^64-1",
            Self::LineZero => "records for line 0 were left out",
            Self::Unclosed => "sections without end_of_record were closed at the next SF",
            Self::CutOff => "the report ends inside a section and may be cut off",
            Self::UnknownRecord => "records of an unknown kind were left out",
            Self::SummaryDisagrees => "LF/LH contradict the DA records; the DA records were used",
            Self::SummaryOnly => "sections with LF/LH only: the summary was used",
            Self::SummaryMerged => {
                "sections with LF/LH only can't be united with others; the line records, or else the largest, were used"
            }
            Self::UndeclaredFunction => "counts for functions that are declared nowhere",
            Self::MisfitFunction => "FNL and FNA records that do not fit together were left out",
            Self::VersionConflict => "sections of one file carry different versions (VER)",
            Self::ChecksumConflict => {
                "line checksums differ between sections: the source changed between runs"
            }
        })
    }
}

/// One kind of decision, how often it was taken and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// What was decided.
    pub kind: NoteKind,
    /// How often.
    pub count: u64,
    /// The line of the first time, from 1; 0 where no one line is to blame.
    pub line: u64,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        match (self.count, self.line) {
            (1, 0) => Ok(()),
            (1, line) => write!(f, " (line {line})"),
            (count, 0) => write!(f, " ({count} times)"),
            (count, line) => write!(f, " ({count} times, first at line {line})"),
        }
    }
}

/// What the `LF`/`LH` records of a file that contradicts itself add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Sum of `LF`.
    pub found: u64,
    /// Sum of `LH`.
    pub hit: u64,
}

/// All decisions taken while reading, one entry per kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// Counts one decision.
    pub fn add(&mut self, kind: NoteKind, line: u64) {
        self.add_note(Note { kind, count: 1, line });
    }

    /// Takes over another reader's decisions.
    pub fn extend(&mut self, other: &Self) {
        other.0.iter().for_each(|note| self.add_note(*note));
    }

    /// Whether a decision of this kind was taken.
    pub fn has(&self, kind: NoteKind) -> bool {
        self.0.iter().any(|note| note.kind == kind)
    }

    /// The decisions, in the order in which they first came up.
    pub fn iter(&self) -> impl Iterator<Item = &Note> {
        self.0.iter()
    }

    /// Whether nothing had to be decided.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add_note(&mut self, new: Note) {
        match self.0.iter_mut().find(|note| note.kind == new.kind) {
            Some(note) => note.count += new.count,
            None => self.0.push(new),
        }
    }
}
