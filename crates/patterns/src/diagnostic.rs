//! What is wrong with a pattern file, and where. A file with a fault never hides the others: it becomes one of
//! these.

use std::fmt;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The pattern, or the rule, is not served.
    Error,
    /// It is served, but somebody should look.
    Warning,
}

/// A place in a file, counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Spot {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The first character of a line.
    pub fn line(line: usize) -> Self {
        Self { line, column: 1 }
    }

    /// Where a byte of a text stands.
    pub fn of(text: &str, byte: usize) -> Self {
        let before = &text[..text.floor_char_boundary(byte)];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }
}

/// One fault of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub level: Level,
    /// A stable name of the kind of fault.
    pub code: &'static str,
    /// The file, relative to its layer's folder.
    pub file: String,
    /// Where in it.
    pub spot: Spot,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        let Self { file, spot, code, message, .. } = self;
        write!(f, "{file}:{}:{}: {level}[{code}] {message}", spot.line, spot.column)
    }
}

/// Collects the faults of one file.
#[derive(Debug)]
pub(crate) struct Faults<'a> {
    file: &'a str,
    /// What was found so far.
    pub(crate) found: Vec<Diagnostic>,
}

impl<'a> Faults<'a> {
    pub(crate) fn of(file: &'a str) -> Self {
        Self { file, found: Vec::new() }
    }

    pub(crate) fn error(&mut self, code: &'static str, spot: Spot, message: impl Into<String>) {
        self.push(Level::Error, code, spot, message.into());
    }

    pub(crate) fn warn(&mut self, code: &'static str, spot: Spot, message: impl Into<String>) {
        self.push(Level::Warning, code, spot, message.into());
    }

    fn push(&mut self, level: Level, code: &'static str, spot: Spot, message: String) {
        self.found.push(Diagnostic { level, code, file: self.file.to_owned(), spot, message });
    }
}
