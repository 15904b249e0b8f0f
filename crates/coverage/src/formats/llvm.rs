//! llvm-cov's JSON export. It has no lines but segments; a line's count is found from them the way
//! llvm-cov itself does for its text and LCOV output.

use std::collections::BTreeMap;
use std::io::Read;

use proofstone_lcov::{Alias, Branch, BranchId, BranchKind, Coverage, Function, Lines, Taken};
use serde::Deserialize;

use super::{FormatError, file, json};
use crate::report::{Format, Report};

/// No source file has more lines; a broken export may say so.
const LONGEST_FILE: u32 = 10_000_000;

/// Reads an llvm-cov JSON export.
pub(super) fn read(reader: impl Read) -> Result<Report, FormatError> {
    let document: Document = json(Format::LlvmCov, reader)?;
    let mut files = Vec::new();
    for export in document.data {
        let mut functions = by_file(export.functions);
        for entry in export.files {
            let coverage = Coverage {
                lines: lines(&entry.segments),
                functions: functions.remove(&entry.filename).unwrap_or_default(),
                branches: branches(&entry.branches).into_iter().collect(),
                ..Coverage::default()
            };
            files.push(file(entry.filename, coverage));
        }
    }
    Ok(Report::new(Format::LlvmCov, files))
}

#[derive(Deserialize)]
struct Document {
    data: Vec<Export>,
}

#[derive(Deserialize)]
struct Export {
    #[serde(default)]
    files: Vec<FileEntry>,
    #[serde(default)]
    functions: Vec<FunctionEntry>,
}

#[derive(Deserialize)]
struct FileEntry {
    filename: String,
    #[serde(default)]
    segments: Vec<Segment>,
    #[serde(default)]
    branches: Vec<Vec<serde_json::Value>>,
}

/// Line, column, count, has a count, begins a region, is a gap (missing in old exports).
#[derive(Deserialize)]
#[serde(from = "Vec<serde_json::Value>")]
struct Segment {
    line: u32,
    count: u64,
    has_count: bool,
    is_entry: bool,
    is_gap: bool,
}

impl From<Vec<serde_json::Value>> for Segment {
    fn from(parts: Vec<serde_json::Value>) -> Self {
        let number = |at: usize| parts.get(at).and_then(serde_json::Value::as_u64).unwrap_or(0);
        // Older exports write 0 and 1, newer ones false and true.
        let flag = |at: usize| {
            number(at) == 1 || parts.get(at).and_then(serde_json::Value::as_bool).unwrap_or(false)
        };
        Self {
            line: number(0) as u32,
            count: number(2),
            has_count: flag(3),
            is_entry: flag(4),
            is_gap: flag(5),
        }
    }
}

impl Segment {
    fn starts_region(&self) -> bool {
        !self.is_gap && self.has_count && self.is_entry
    }
}

#[derive(Deserialize)]
struct FunctionEntry {
    name: String,
    count: u64,
    #[serde(default)]
    filenames: Vec<String>,
    #[serde(default)]
    regions: Vec<Vec<u64>>,
}

fn by_file(functions: Vec<FunctionEntry>) -> BTreeMap<String, Vec<Function>> {
    let mut by_file: BTreeMap<String, Vec<Function>> = BTreeMap::new();
    for entry in functions {
        let Some(path) = entry.filenames.first() else { continue };
        let region = entry.regions.first().map_or(&[][..], Vec::as_slice);
        let line = |at: usize| region.get(at).and_then(|line| u32::try_from(*line).ok());
        // Mangled names of file-local functions are prefixed with the file's name.
        let name = entry.name.rsplit_once(':').map_or(entry.name.as_str(), |(_, name)| name);
        let name = if name.is_empty() { entry.name.as_str() } else { name };
        let aliases = [Alias { name: name.into(), hits: entry.count }].into();
        let function = Function { start: line(0).unwrap_or(0), end: line(2), aliases };
        by_file.entry(path.clone()).or_default().push(function);
    }
    by_file
}

fn lines(segments: &[Segment]) -> Lines {
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return Lines::default();
    };
    let mut rest = segments;
    let mut wrapped: Option<&Segment> = None;
    let mut counted = Vec::new();
    // Segments are in order; a file has no more lines than the last segment's.
    for line in first.line..=last.line.min(first.line.saturating_add(LONGEST_FILE)) {
        let here = rest.iter().take_while(|segment| segment.line <= line).count();
        let (these, later) = rest.split_at(here);
        if let Some(hits) = line_count(these, wrapped) {
            counted.push((line, hits));
        }
        wrapped = these.last().or(wrapped);
        rest = later;
    }
    counted.into_iter().filter(|(line, _)| *line > 0).collect()
}

fn line_count(segments: &[Segment], wrapped: Option<&Segment>) -> Option<u64> {
    let regions = || segments.iter().filter(|segment| segment.starts_region());
    let skipped = segments.first().is_some_and(|first| !first.has_count && first.is_entry);
    let inside = wrapped.is_some_and(|segment| segment.has_count);
    let entered = segments.iter().any(|segment| segment.is_entry && segment.has_count);
    let mapped = (!skipped && (inside || regions().next().is_some())) || entered;
    let carried = wrapped.map_or(0, |segment| segment.count);
    mapped.then(|| regions().map(|segment| segment.count).max().unwrap_or(0).max(carried))
}

fn branches(entries: &[Vec<serde_json::Value>]) -> Vec<Branch> {
    let mut branches = Vec::new();
    for (block, entry) in entries.iter().enumerate() {
        let number = |at: usize| entry.get(at).and_then(serde_json::Value::as_u64).unwrap_or(0);
        let ways = [(0, number(4)), (1, number(5))];
        branches.extend(ways.map(|(way, times)| Branch {
            line: number(0) as u32,
            block: block as u32,
            kind: BranchKind::Plain,
            unreachable: false,
            id: BranchId::Number(way),
            taken: Taken::times(times),
        }));
    }
    branches
}
