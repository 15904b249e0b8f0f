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
    /// The function; none for code outside functions, such as a file without any in the report.
    pub function: Option<String>,
    /// Where it is.
    pub span: LineSpan,
    /// Its lines.
    pub lines: Ratio,
    /// Decisions plus one.
    pub complexity: u64,
    /// Where the complexity comes from.
    pub complexity_from: Origin,
    /// Commits that touched the file in the last 90 days; `None` where git can't say.
    pub recent_commits: Option<u32>,
    /// Uncovered lines x complexity x recent change.
    pub score: f64,
}

/// Where a function's complexity comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The report's branches.
    Branches,
    /// Words in the source.
    Source,
    /// There are neither branches nor a source.
    Unknown,
}

impl Target {
    /// The reason in words.
    pub fn reason(&self) -> String {
        let missed = self.lines.found - self.lines.hit;
        let complexity = match self.complexity_from {
            Origin::Branches => format!("complexity {} (branches in the report)", self.complexity),
            Origin::Source => format!("complexity {} (read from the source)", self.complexity),
            Origin::Unknown => "complexity unknown (no branches, no source)".to_owned(),
        };
        let changed = match self.recent_commits {
            None => "recent changes unknown".to_owned(),
            Some(0) => "not changed in the last 90 days".to_owned(),
            Some(1) => "changed in 1 commit in the last 90 days".to_owned(),
            Some(commits) => format!("changed in {commits} commits in the last 90 days"),
        };
        format!("{missed} of {} lines never ran; {complexity}; {changed}", self.lines.found)
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
    let all: Vec<(u32, u64)> = file.coverage.lines.iter().collect();
    let branches: Vec<u32> = file.coverage.branches.iter().map(|branch| branch.line).collect();
    let target = |(function, span): (Option<String>, LineSpan)| {
        let inside = within(&all, span, |(line, _)| *line);
        let hit = inside.iter().filter(|(_, hits)| *hits > 0).count();
        let lines = Ratio::new(hit as u64, inside.len() as u64);
        let missed = lines.found - lines.hit;
        let (complexity, complexity_from) = complexity(&branches, source, span);
        let change = 1.0 + f64::from(commits.unwrap_or(0)).ln_1p();
        (missed > 0).then(|| Target {
            path: file.path.clone(),
            function,
            span,
            lines,
            complexity,
            complexity_from,
            recent_commits: commits,
            score: missed as f64 * complexity as f64 * change,
        })
    };
    let outside = outside(&all, &spans);
    let mut targets: Vec<Target> = spans.into_iter().filter_map(&target).collect();
    targets.extend(outside.into_iter().filter_map(|span| target((None, span))));
    targets
}

/// The longest run of lines before, between or behind the functions: what stands there is tested too.
fn outside(lines: &[(u32, u64)], functions: &[(Option<String>, LineSpan)]) -> Option<LineSpan> {
    let mut covered_to = 0_u32;
    let mut gaps = Vec::new();
    for (_, span) in functions {
        gaps.push(LineSpan {
            start: covered_to.saturating_add(1),
            end: span.start.saturating_sub(1),
        });
        covered_to = covered_to.max(span.end);
    }
    gaps.push(LineSpan { start: covered_to.saturating_add(1), end: u32::MAX });
    let inside = |gap: &LineSpan| within(lines, *gap, |(line, _)| *line);
    let missed = |gap: &LineSpan| inside(gap).iter().filter(|(_, hits)| *hits == 0).count();
    let gap = gaps.into_iter().filter(|gap| missed(gap) > 0).max_by_key(missed)?;
    let lines = inside(&gap);
    Some(LineSpan { start: lines.first()?.0, end: lines.last()?.0 })
}

/// Half the ways out of all decisions, plus one; where the report has no branches, the words that
/// decide something in most languages are counted.
fn complexity(branches: &[u32], source: Option<&Source>, span: LineSpan) -> (u64, Origin) {
    if !branches.is_empty() {
        let ways = within(branches, span, |line| *line).len() as u64;
        return (ways / 2 + 1, Origin::Branches);
    }
    let Some(source) = source else { return (1, Origin::Unknown) };
    let first = (span.start as usize).saturating_sub(1).min(source.lines.len());
    let last = (span.end as usize).min(source.lines.len()).max(first);
    let decided = source.lines[first..last].iter().map(|line| decisions(line)).sum::<u64>();
    (decided + 1, Origin::Source)
}

/// What lies in a span, of things in order of lines.
fn within<T>(things: &[T], span: LineSpan, line: impl Fn(&T) -> u32) -> &[T] {
    let first = things.partition_point(|thing| line(thing) < span.start);
    let end = things.partition_point(|thing| line(thing) <= span.end);
    &things[first..end.max(first)]
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
