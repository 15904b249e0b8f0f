//! What a tracefile says, in memory.
//!
//! Lines and branches are packed ([`Lines`], [`Branches`]), because a report may have tens of millions;
//! everything else is plain structs.

use std::fmt;

use bstr::BString;
use smallvec::SmallVec;

use crate::branches::Branches;
use crate::lines::Lines;
use crate::note::{Declared, Notes};

/// A whole tracefile: one section for each pair of test name and source file.
#[derive(Clone, Debug, Default)]
pub struct Tracefile {
    /// The sections, in the order of first appearance.
    pub sections: Vec<Section>,
    /// What the reader decided on its own.
    pub notes: Notes,
    /// The sums of `LF` and `LH`, where they contradict the lines.
    pub declared: Option<Declared>,
}

/// What one test (or all of them, under an empty name) did in one source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The test's name (`TN`), empty where the report names none.
    pub test: BString,
    /// The source file, as the report spells it.
    pub path: BString,
    /// The source file's version (`VER`).
    pub version: Option<BString>,
    /// What was executed.
    pub coverage: Coverage,
}

/// What was executed in one source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Executable lines and how often they ran.
    pub lines: Lines,
    /// `LF`/`LH`, kept only where there are no line records.
    pub summary: Option<Summary>,
    /// Functions, by start line.
    pub functions: Vec<Function>,
    /// Branches, by line.
    pub branches: Branches,
    /// MC/DC conditions, by line.
    pub conditions: Vec<Condition>,
    /// Checksums of source lines (`DA`'s third field), by line.
    pub checksums: Vec<(u32, BString)>,
}

impl Coverage {
    /// Executable lines: from the line records, else from the summary.
    pub fn lines_found(&self) -> u64 {
        self.summary.map_or(self.lines.found(), |summary| summary.found)
    }

    /// Lines that ran: from the line records, else from the summary.
    pub fn lines_hit(&self) -> u64 {
        self.summary.map_or_else(|| self.lines.hit(), |summary| summary.hit)
    }

    /// Branches that count: (taken at least once, all but the unreachable ones).
    pub fn branches_hit_and_found(&self) -> (u64, u64) {
        hit_and_found(self.branches.iter().filter(|b| !b.unreachable).map(|b| b.taken.is_hit()))
    }

    /// Functions: (called at least once, all).
    pub fn functions_hit_and_found(&self) -> (u64, u64) {
        hit_and_found(self.functions.iter().map(|function| function.hits() > 0))
    }

    /// MC/DC conditions that count: (sensitised, all but the unreachable ones).
    pub fn conditions_hit_and_found(&self) -> (u64, u64) {
        hit_and_found(self.conditions.iter().filter(|c| !c.unreachable).map(|c| c.hits > 0))
    }
}

fn hit_and_found(hits: impl Iterator<Item = bool>) -> (u64, u64) {
    hits.fold((0, 0), |(hit, found), is_hit| (hit + u64::from(is_hit), found + 1))
}

/// `LF` and `LH` of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// `LF`: executable lines.
    pub found: u64,
    /// `LH`: lines that ran.
    pub hit: u64,
}

/// A function: where it is and how often it was called, under each of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// First line; 0 where the report does not say.
    pub start: u32,
    /// Last line, where the report says.
    pub end: Option<u32>,
    /// Its names: one in most reports, more for template instances and the like.
    pub aliases: Aliases,
}

impl Function {
    /// How often it was called, under any name.
    pub fn hits(&self) -> u64 {
        self.aliases.iter().fold(0, |sum, alias| sum.saturating_add(alias.hits))
    }
}

/// A function's names: nearly always one, which is kept in place.
pub type Aliases = SmallVec<[Alias; 1]>;

/// One of a function's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alias {
    /// The name, as the report spells it.
    pub name: BString,
    /// Calls under this name.
    pub hits: u64,
}

/// One way out of a decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// The decision's line.
    pub line: u32,
    /// Which decision of the line.
    pub block: u32,
    /// What kind of branch it is.
    pub kind: BranchKind,
    /// Marked as unreachable: not counted.
    pub unreachable: bool,
    /// Which way out.
    pub id: BranchId,
    /// How often it was taken.
    pub taken: Taken,
}

/// A branch's name: a number in most reports, any text in some.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BranchId {
    /// A plain number.
    Number(u32),
    /// Anything else, such as `jump to line 7`.
    Name(Box<BString>),
}

impl BranchId {
    /// Reads a name; `07` stays text so that it is written back as it was.
    pub fn from_bytes(text: &[u8]) -> Self {
        let canonical = text == b"0" || text.first() != Some(&b'0');
        let digits_only = text.iter().all(u8::is_ascii_digit);
        match crate::count::number(text).filter(|_| canonical && digits_only) {
            Some(number) => Self::Number(number),
            None => Self::Name(Box::new(BString::from(text))),
        }
    }
}

/// What kind of way out a branch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BranchKind {
    /// The usual one.
    #[default]
    Plain,
    /// Taken when an exception is thrown.
    Exception,
    /// Falls through to the next block.
    Fallthrough,
}

/// How often a branch was taken, if its decision was reached at all.
///
/// Eight bytes, because a report may have millions: the largest number stands for "never reached".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taken(u64);

impl Taken {
    /// The decision was never reached.
    pub const NEVER_EVALUATED: Self = Self(u64::MAX);

    /// The decision was reached and this way out was taken so often.
    pub fn times(times: u64) -> Self {
        Self(times.min(u64::MAX - 1))
    }

    /// How often it was taken; `None` where the decision was never reached.
    pub fn count(self) -> Option<u64> {
        (self != Self::NEVER_EVALUATED).then_some(self.0)
    }

    /// Whether it was taken at least once.
    pub fn is_hit(self) -> bool {
        self.count().is_some_and(|times| times > 0)
    }

    /// Both counts together.
    pub fn plus(self, other: Self) -> Self {
        match (self.count(), other.count()) {
            (Some(a), Some(b)) => Self::times(a.saturating_add(b)),
            (None, _) => other,
            (_, None) => self,
        }
    }
}

impl fmt::Debug for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count() {
            Some(times) => write!(f, "{times}"),
            None => f.write_str("-"),
        }
    }
}

/// One MC/DC condition in one sense.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    /// The decision's line.
    pub line: u32,
    /// How many conditions the decision has.
    pub group_size: u32,
    /// Which of them.
    pub index: u32,
    /// Whether this is the true (`t`) or the false (`f`) sense.
    pub sense: bool,
    /// Marked as unreachable: not counted.
    pub unreachable: bool,
    /// The condition's text.
    pub expression: BString,
    /// How often it alone decided the outcome.
    pub hits: u64,
}
