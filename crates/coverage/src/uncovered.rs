//! What did not run: runs of lines and branches, the most valuable first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::functions::{Functions, name};
use crate::ranges::{LineSpan, runs};
use crate::report::File;

/// A run of executable lines of which none ran. Lines between them that are not executable
/// (comments, braces) do not part a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// From the first to the last line that did not run.
    pub span: LineSpan,
    /// How many executable lines it has.
    pub lines: u64,
    /// The function around it, where the report knows functions.
    pub function: Option<String>,
    /// Whether that function was never called at all.
    pub never_called: bool,
}

/// A line that ran and whose decision did not go every way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfTaken {
    /// The line.
    pub line: u32,
    /// Ways that were never taken.
    pub missed: u64,
    /// All ways.
    pub found: u64,
}

/// The gaps of a file, in order of lines.
pub fn gaps(file: &File) -> Vec<Gap> {
    let lines = &file.coverage.lines;
    let functions = Functions::of(&file.coverage);
    let missed = lines.iter().filter(|(_, hits)| *hits == 0).map(|(line, _)| line);
    let mut last_hit = lines.iter().filter(|(_, hits)| *hits > 0).map(|(line, _)| line).peekable();
    let mut covered_between = BTreeMap::new();
    let missed: Vec<u32> = missed.collect();
    for pair in missed.windows(2) {
        while last_hit.next_if(|hit| *hit < pair[0]).is_some() {}
        covered_between.insert(pair[1], last_hit.peek().is_some_and(|hit| *hit < pair[1]));
    }
    let place = |line: u32| functions.around(line).map(std::ptr::from_ref);
    let joined = |from: u32, line: u32| !covered_between[&line] && place(from) == place(line);
    let gap = |(span, lines): (LineSpan, u64)| {
        let function = functions.around(span.start);
        Gap {
            span,
            lines,
            never_called: function.is_some_and(|function| function.hits() == 0),
            function: function.map(name),
        }
    };
    runs(missed, joined).into_iter().map(gap).collect()
}

/// How many lines did not run without the report saying which: a file may have totals only.
pub fn unnamed(file: &File) -> u64 {
    let lines = file.lines();
    if file.coverage.lines.is_empty() { lines.found - lines.hit } else { 0 }
}

/// Lines that ran with ways that were never taken, in order of lines.
pub fn half_taken(file: &File) -> Vec<HalfTaken> {
    let mut ways: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for branch in file.coverage.branches.iter().filter(|branch| !branch.unreachable) {
        let (missed, found) = ways.entry(branch.line).or_default();
        *missed += u64::from(!branch.taken.is_hit());
        *found += 1;
    }
    let ran = |line: u32| file.coverage.lines.get(line).is_none_or(|hits| hits > 0);
    ways.into_iter()
        .filter(|(line, (missed, _))| *missed > 0 && ran(*line))
        .map(|(line, (missed, found))| HalfTaken { line, missed, found })
        .collect()
}

/// Keeps the `limit` gaps that a test would gain most from, and says how many lines were cut:
/// whole functions that nobody calls first, then the longest runs.
pub fn most_valuable(gaps: Vec<(usize, Gap)>, limit: usize) -> (Vec<(usize, Gap)>, usize, u64) {
    let mut gaps = gaps;
    gaps.sort_by_key(|(file, gap)| (Reverse(gap.lines), !gap.never_called, *file, gap.span));
    let cut = gaps.split_off(gaps.len().min(limit));
    let lines = cut.iter().map(|(_, gap)| gap.lines).sum();
    (gaps, cut.len(), lines)
}
