//! `get_uncovered_lines`: which lines and branches no test runs, the most valuable first.

use std::collections::BTreeMap;
use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::Figures;
use super::remarks::Remarks;
use crate::desk::Desk;
use crate::library::FileRow;
use crate::paths::Found;
use crate::report::Report;
use crate::uncovered::{Gap, gaps, half_taken, most_valuable};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Path to the coverage report (LCOV or any other known format), absolute or relative
    lcov_path: String,
    /// More reports, united with the first line by line
    #[serde(default)]
    also_reports: Vec<String>,
    /// Only these files; all files of the report if empty
    #[serde(default)]
    file_paths: Vec<String>,
    /// The most ranges to return, and the most branch lines; the most valuable come first
    #[serde(default = "default_ranges")]
    #[schemars(range(min = 1, max = 1000))]
    max_ranges: usize,
}

fn default_ranges() -> usize {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Lines of the chosen files
    lines: Figures,
    /// Files with something uncovered, those with the most uncovered lines first
    files: Vec<FileGaps>,
    /// What did not fit the budget; absent if everything did
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<Cut>,
    /// Asked files that are not in the report (or fit several): nothing is known about them
    not_in_report: Vec<String>,
}

/// What is uncovered in one file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileGaps {
    /// The file, as the report spells it
    path: String,
    /// Its lines
    lines: Figures,
    /// Runs of lines that never ran
    ranges: Vec<Range>,
    /// Lines that ran and whose decision did not go every way
    branches: Vec<BranchLine>,
}

/// A run of lines that never ran. Comments and braces between them do not part a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Range {
    /// First line that never ran
    start: u32,
    /// Last line that never ran
    end: u32,
    /// Executable lines in it
    lines: u64,
    /// The function around it, where the report knows functions
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// True where that function was never called at all
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    never_called: bool,
}

/// A line with ways that were never taken.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BranchLine {
    /// The line
    line: u32,
    /// Ways never taken
    missed: u64,
    /// All ways
    found: u64,
}

/// What did not fit.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cut {
    /// Ranges left out
    ranges: usize,
    /// Uncovered lines in them
    lines: u64,
    /// Branch lines left out
    branch_lines: usize,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetUncoveredLines(pub(crate) Arc<Desk>);

impl Tool for GetUncoveredLines {
    const NAME: &'static str = "get_uncovered_lines";
    const TITLE: &'static str = "Lines and branches no test runs";
    const DESCRIPTION: &'static str = "Returns the lines that no test runs, as ranges with the name \
        of the enclosing function, and the branches that were never taken. Use this to decide what \
        to test. The answer is limited by maxRanges, the longest runs first, and says what was cut.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let read = seat.union(&input.lcov_path, &input.also_reports)?;
                let (chosen, absent) = choose(&read.report, &input.file_paths, &seat.root());
                let output = collect(&read.report, &chosen, absent, input.max_ranges);
                let mut remarks = Remarks::about(&read);
                for file in chosen.iter().map(|at| &read.report.files[*at]) {
                    remarks.unnamed(file);
                }
                let shown = read.report.files.iter();
                let shown = shown.filter(|file| output.files.iter().any(|f| f.path == file.path));
                remarks.staleness(shown.map(FileRow::from), read.written, &seat.sources());
                Ok(remarks.beside(output))
            })
            .await
    }
}

/// The places of the asked files, and the names of those that are not there.
pub(crate) fn choose(report: &Report, asked: &[String], root: &str) -> (Vec<usize>, Vec<String>) {
    if asked.is_empty() {
        return ((0..report.files.len()).collect(), Vec::new());
    }
    let (mut chosen, mut absent) = (Vec::new(), Vec::new());
    for path in asked {
        match report.index().find(path, root) {
            Found::File(at, _) => chosen.push(at),
            _ => absent.push(path.clone()),
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    (chosen, absent)
}

fn collect(report: &Report, chosen: &[usize], absent: Vec<String>, budget: usize) -> Output {
    let file = |at: usize| &report.files[at];
    let mut lines = crate::ratio::Ratio::default();
    for at in chosen {
        lines += file(*at).lines();
    }
    let all = chosen.iter().flat_map(|at| gaps(file(*at)).into_iter().map(|gap| (*at, gap)));
    let (kept, cut_ranges, cut_lines) = most_valuable(all.collect(), budget);
    let mut found: BTreeMap<usize, FileGaps> = BTreeMap::new();
    let entry = |at: usize| FileGaps {
        path: file(at).path.clone(),
        lines: file(at).lines().into(),
        ranges: Vec::new(),
        branches: Vec::new(),
    };
    for (at, gap) in kept {
        found.entry(at).or_insert_with(|| entry(at)).ranges.push(gap.into());
    }
    let mut left = budget;
    let mut cut_branches = 0;
    for at in chosen {
        let branches = half_taken(file(*at));
        let fit = branches.len().min(left);
        (left, cut_branches) = (left - fit, cut_branches + branches.len() - fit);
        if fit > 0 {
            let lines = branches.into_iter().take(fit);
            let lines =
                lines.map(|b| BranchLine { line: b.line, missed: b.missed, found: b.found });
            found.entry(*at).or_insert_with(|| entry(*at)).branches.extend(lines);
        }
    }
    let mut files: Vec<FileGaps> = found.into_values().collect();
    for file in &mut files {
        file.ranges.sort_by_key(|range| range.start);
    }
    files.sort_by_key(|file| std::cmp::Reverse(file.lines.found - file.lines.hit));
    let cut = Cut { ranges: cut_ranges, lines: cut_lines, branch_lines: cut_branches };
    let cut = (cut.ranges + cut.branch_lines > 0).then_some(cut);
    Output { lines: lines.into(), files, cut, not_in_report: absent }
}

impl From<Gap> for Range {
    fn from(gap: Gap) -> Self {
        Self {
            start: gap.span.start,
            end: gap.span.end,
            lines: gap.lines,
            function: gap.function,
            never_called: gap.never_called,
        }
    }
}
