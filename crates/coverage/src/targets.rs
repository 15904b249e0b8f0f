//! What to test next: functions ranked by what is not run, how complex it is and how lately it
//! changed.

use std::collections::BTreeMap;

use crate::functions::{Functions, name};
use crate::ranges::LineSpan;
use crate::ratio::Ratio;
use crate::report::{File, Report};
use crate::sources::{Source, Sources};

/// A function worth a test, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The file.
    pub path: String,
    /// The function; a file without functions in the report is one target as a whole.
    pub function: Option<String>,
    /// Where it is.
    pub span: LineSpan,
    /// Its lines.
    pub lines: Ratio,
    /// Decisions plus one.
    pub complexity: u64,
    /// Whether the complexity comes from the report's branches or was counted in the source.
    pub complexity_from_report: bool,
    /// Commits that touched the file in the last 90 days; `None` where git can't say.
    pub recent_commits: Option<u32>,
    /// Uncovered lines x complexity x recent change.
    pub score: f64,
}

impl Target {
    /// The reason in words.
    pub fn reason(&self) -> String {
        let missed = self.lines.found - self.lines.hit;
        let from = if self.complexity_from_report {
            "branches in the report"
        } else {
            "read from the source"
        };
        let changed = match self.recent_commits {
            None => "recent changes unknown".to_owned(),
            Some(0) => "not changed in the last 90 days".to_owned(),
            Some(1) => "changed in 1 commit in the last 90 days".to_owned(),
            Some(commits) => format!("changed in {commits} commits in the last 90 days"),
        };
        format!(
            "{missed} of {} lines never ran; complexity {} ({from}); {changed}",
            self.lines.found, self.complexity
        )
    }
}

/// The functions of the chosen files with lines that did not run, the most valuable first. `changes`
/// counts recent commits by path, where git can say.
pub fn rank(
    report: &Report,
    chosen: &[usize],
    changes: Option<&BTreeMap<String, u32>>,
    sources: &Sources,
) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    let files = chosen.iter().map(|at| &report.files[*at]);
    for file in files.filter(|file| file.lines().hit < file.lines().found) {
        let source = sources.read(&file.path);
        let commits =
            changes.map(|all| all.get(&sources.relative(&file.path)).copied().unwrap_or(0));
        targets.extend(file_targets(file, source.as_ref(), commits));
    }
    targets.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    targets
}

fn file_targets(file: &File, source: Option<&Source>, commits: Option<u32>) -> Vec<Target> {
    let functions = Functions::of(&file.coverage);
    let mut spans: Vec<_> = functions.iter().map(|(span, f)| (Some(name(f)), span)).collect();
    if spans.is_empty() {
        let last = file.coverage.lines.last().unwrap_or(1);
        spans.push((None, LineSpan { start: 1, end: last }));
    }
    let target = |(function, span): (Option<String>, LineSpan)| {
        let lines = file.coverage.lines.iter().filter(|(line, _)| span.contains(*line));
        let lines = lines.fold(Ratio::default(), |mut sum, (_, hits)| {
            sum += Ratio::new(u64::from(hits > 0), 1);
            sum
        });
        let missed = lines.found - lines.hit;
        let (complexity, complexity_from_report) = complexity(file, source, span);
        let change = 1.0 + f64::from(commits.unwrap_or(0)).ln_1p();
        (missed > 0).then(|| Target {
            path: file.path.clone(),
            function,
            span,
            lines,
            complexity,
            complexity_from_report,
            recent_commits: commits,
            score: missed as f64 * complexity as f64 * change,
        })
    };
    spans.into_iter().filter_map(target).collect()
}

/// Half the ways out of all decisions, plus one; where the report has no branches, the words that
/// decide something in most languages are counted.
fn complexity(file: &File, source: Option<&Source>, span: LineSpan) -> (u64, bool) {
    let ways = file.coverage.branches.iter().filter(|b| span.contains(b.line)).count() as u64;
    if ways > 0 || !file.coverage.branches.is_empty() {
        return (ways / 2 + 1, true);
    }
    let Some(source) = source else { return (1, true) };
    let first = (span.start as usize).saturating_sub(1).min(source.lines.len());
    let last = (span.end as usize).min(source.lines.len()).max(first);
    (source.lines[first..last].iter().map(|line| decisions(line)).sum::<u64>() + 1, false)
}

fn decisions(line: &str) -> u64 {
    const WORDS: [&str; 9] =
        ["if", "elif", "for", "while", "case", "catch", "except", "match", "when"];
    let code = line.trim_start();
    if ["//", "#", "*", "/*"].iter().any(|comment| code.starts_with(comment)) {
        return 0;
    }
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.filter(|word| WORDS.contains(word)).count();
    (words + code.matches("&&").count() + code.matches("||").count()) as u64
}
