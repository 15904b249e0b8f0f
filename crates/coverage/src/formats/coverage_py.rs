//! coverage.py's JSON report. It says whether a line ran, not how often: a line that ran has one hit.

use std::collections::BTreeMap;
use std::io::Read;

use proofstone_lcov::{Alias, Branch, BranchId, BranchKind, Coverage, Function, Lines, Taken};
use serde::Deserialize;

use super::{FormatError, file, json};
use crate::report::{File, Format, Report};

/// Reads a coverage.py JSON report.
pub(super) fn read(reader: impl Read) -> Result<Report, FormatError> {
    let document: Document = json(Format::CoveragePy, reader)?;
    let files = document.files.into_iter().map(|(path, entry)| entry.into_file(path)).collect();
    let mut report = Report::new(Format::CoveragePy, files);
    report.notes.push("coverage.py JSON says whether a line ran, not how often".into());
    Ok(report)
}

#[derive(Deserialize)]
struct Document {
    files: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    executed_lines: Vec<u32>,
    missing_lines: Vec<u32>,
    #[serde(default)]
    executed_branches: Vec<(i64, i64)>,
    #[serde(default)]
    missing_branches: Vec<(i64, i64)>,
    #[serde(default)]
    functions: BTreeMap<String, FunctionEntry>,
}

#[derive(Deserialize)]
struct FunctionEntry {
    executed_lines: Vec<u32>,
    missing_lines: Vec<u32>,
    #[serde(default)]
    start_line: Option<u32>,
}

impl Entry {
    fn into_file(self, path: String) -> File {
        let functions = self.functions.into_iter().filter(|(name, _)| !name.is_empty());
        let coverage = Coverage {
            lines: lines(&self.executed_lines, &self.missing_lines),
            functions: functions.map(|(name, entry)| entry.into_function(name)).collect(),
            branches: branches(&self.executed_branches, &self.missing_branches)
                .into_iter()
                .collect(),
            ..Coverage::default()
        };
        file(path, coverage)
    }
}

impl FunctionEntry {
    fn into_function(self, name: String) -> Function {
        let all = || self.executed_lines.iter().chain(&self.missing_lines).copied();
        let hits = u64::from(!self.executed_lines.is_empty());
        let start = self.start_line.or_else(|| all().min()).unwrap_or(0);
        Function { start, end: all().max(), aliases: [Alias { name: name.into(), hits }].into() }
    }
}

fn lines(executed: &[u32], missing: &[u32]) -> Lines {
    let hits =
        |lines: &[u32], hits| lines.iter().map(move |line| (*line, hits)).collect::<Vec<_>>();
    hits(executed, 1).into_iter().chain(hits(missing, 0)).filter(|(line, _)| *line > 0).collect()
}

/// From a line to another; a negative target is the way out of the function.
fn branches(executed: &[(i64, i64)], missing: &[(i64, i64)]) -> Vec<Branch> {
    let executed = executed.iter().map(|arc| (arc, 1));
    let missing = missing.iter().map(|arc| (arc, 0));
    let branch = |((from, to), times): (&(i64, i64), u64)| {
        let line = u32::try_from(*from).ok().filter(|line| *line > 0)?;
        let way = if *to < 0 { "exit".to_owned() } else { format!("to line {to}") };
        Some(Branch {
            line,
            block: 0,
            kind: BranchKind::Plain,
            unreachable: false,
            id: BranchId::from_bytes(way.as_bytes()),
            taken: Taken::times(times),
        })
    };
    executed.chain(missing).filter_map(branch).collect()
}
