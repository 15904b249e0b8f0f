//! Istanbul JSON (`coverage-final.json`), as nyc, c8, jest and vitest write it. A line is executable
//! where a statement begins, and ran as often as the most frequent of them, as Istanbul counts.

use std::collections::BTreeMap;
use std::io::Read;

use proofstone_lcov::{Alias, Branch, BranchId, BranchKind, Coverage, Function, Taken};
use serde::Deserialize;
use serde::de::Error as _;

use super::{FormatError, file, json};
use crate::report::{File, Format, Report};

/// Reads an Istanbul report.
pub(super) fn read(reader: impl Read) -> Result<Report, FormatError> {
    let files: BTreeMap<String, Entry> = json(Format::Istanbul, reader)?;
    let files = files.into_iter().map(|(key, entry)| entry.into_file(key));
    Ok(Report::new(Format::Istanbul, files.collect::<Result<_, _>>()?))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    /// Some writers wrap each file once more.
    data: Option<Box<Entry>>,
    #[serde(default)]
    path: String,
    statement_map: Option<BTreeMap<String, Span>>,
    #[serde(default)]
    fn_map: BTreeMap<String, FunctionEntry>,
    #[serde(default)]
    branch_map: BTreeMap<String, BranchEntry>,
    #[serde(default)]
    s: BTreeMap<String, f64>,
    #[serde(default)]
    f: BTreeMap<String, f64>,
    #[serde(default)]
    b: BTreeMap<String, Vec<f64>>,
}

#[derive(Deserialize)]
struct Span {
    start: Position,
    end: Position,
}

#[derive(Deserialize)]
struct Position {
    line: Option<u32>,
}

#[derive(Deserialize)]
struct FunctionEntry {
    #[serde(default)]
    name: String,
    decl: Option<Span>,
    loc: Option<Span>,
    line: Option<u32>,
}

#[derive(Deserialize)]
struct BranchEntry {
    loc: Option<Span>,
    line: Option<u32>,
}

impl Entry {
    fn into_file(self, key: String) -> Result<File, FormatError> {
        if let Some(wrapped) = self.data {
            return wrapped.into_file(key);
        }
        // A file whose lines are not known must not pass for one that has none.
        let Some(statements) = &self.statement_map else {
            let source = serde_json::Error::custom(format_args!("{key} has no statementMap"));
            return Err(FormatError::Json { format: Format::Istanbul, source });
        };
        let coverage = Coverage {
            lines: self.lines(statements).into_iter().collect(),
            functions: self.functions(),
            branches: self.branches().into_iter().collect(),
            ..Coverage::default()
        };
        Ok(file(if self.path.is_empty() { key } else { self.path }, coverage))
    }

    fn lines(&self, statements: &BTreeMap<String, Span>) -> BTreeMap<u32, u64> {
        let mut lines = BTreeMap::new();
        for (id, span) in statements {
            let Some(line) = span.start.line.filter(|line| *line > 0) else { continue };
            let hits = count(self.s.get(id).copied());
            let known: &mut u64 = lines.entry(line).or_default();
            *known = (*known).max(hits);
        }
        lines
    }

    fn functions(&self) -> Vec<Function> {
        let function = |(id, entry): (&String, &FunctionEntry)| {
            let place = entry.decl.as_ref().or(entry.loc.as_ref());
            let start = place.and_then(|span| span.start.line).or(entry.line).unwrap_or(0);
            let end = entry.loc.as_ref().and_then(|span| span.end.line);
            let hits = count(self.f.get(id).copied());
            let aliases = [Alias { name: entry.name.as_str().into(), hits }].into();
            Function { start, end, aliases }
        };
        self.fn_map.iter().map(function).collect()
    }

    fn branches(&self) -> Vec<Branch> {
        let mut branches = Vec::new();
        for (at, (id, entry)) in self.branch_map.iter().enumerate() {
            let line = entry.loc.as_ref().and_then(|span| span.start.line).or(entry.line);
            let Some(line) = line.filter(|line| *line > 0) else { continue };
            let block = id.parse().unwrap_or(at as u32);
            for (number, times) in self.b.get(id).into_iter().flatten().enumerate() {
                branches.push(Branch {
                    line,
                    block,
                    kind: BranchKind::Plain,
                    unreachable: false,
                    id: BranchId::Number(number as u32),
                    taken: Taken::times(count(Some(*times))),
                });
            }
        }
        branches
    }
}

/// JavaScript numbers; a negative one is none.
fn count(number: Option<f64>) -> u64 {
    number.map_or(0, |number| number.max(0.0).ceil() as u64)
}
