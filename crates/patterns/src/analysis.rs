//! Rules run on a project's code, and what their matches mean: findings, suggestions from a change, and fixes with
//! proof. It knows nothing of how an answer is written.

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use proofstone_jail::{JailError, Policy, Root};

use crate::engine::{Match, RuleSpec, Unit};
use crate::fix;
use crate::language;
use crate::library::Library;
use crate::rules::Rule;
use crate::scan::{CODE_CAPS, Outcome, ScanError, Scanner};

/// The most files and bytes of one scan of a folder.
const MOST_FILES: usize = 5000;
const MOST_BYTES: usize = 64 << 20;

/// What code without a name is called.
pub(crate) const UNNAMED: &str = "code";

/// Why an analysis can't be made.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// No parser for a language.
    #[error("there is no parser for `{name}`; there is one for {known}", known = language::words().collect::<Vec<_>>().join(", "))]
    Language {
        /// The name that was given, or the path whose ending says nothing.
        name: String,
    },
    /// A path can't be read.
    #[error(transparent)]
    Path(#[from] JailError),
    /// The scan itself.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// No rule of that id.
    #[error("there is no rule `{id}`; list_analysis_rules names them")]
    NoRule {
        /// The id that was given.
        id: String,
    },
    /// The rule has failed its self-test.
    #[error("rule `{id}` is dead: {why}")]
    DeadRule {
        /// The rule.
        id: String,
        /// What its self-test said.
        why: String,
    },
    /// The rule finds and does not mend.
    #[error("rule `{id}` has no fix; its pattern `{pattern}` says what to do")]
    NoFix {
        /// The rule.
        id: String,
        /// Its pattern.
        pattern: String,
    },
    /// The code could not be scanned.
    #[error("{path} was not scanned: {reason}")]
    Skipped {
        /// The code.
        path: String,
        /// Why.
        reason: String,
    },
    /// The rule is for other files.
    #[error("rule `{id}` is not for {path}: its pattern applies to {paths}")]
    OtherFiles {
        /// The rule.
        id: String,
        /// The code.
        path: String,
        /// The files it is for.
        paths: String,
    },
    /// The rule matches nowhere there.
    #[error("rule `{id}` finds nothing in {path}{}", line.map_or(String::new(), |line| format!(" at line {line}")))]
    NothingToFix {
        /// The rule.
        id: String,
        /// The code.
        path: String,
        /// The line that was asked for.
        line: Option<usize>,
    },
}

/// A match with its rule.
#[derive(Debug, Clone)]
pub struct Finding<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// The file, or the name that the code was given.
    pub path: String,
    /// The match.
    pub found: Match,
}

/// What a scan found, and what it did not look at.
#[derive(Debug, Default)]
pub struct Report<'a> {
    /// The findings, the most severe first, then by file and place.
    pub findings: Vec<Finding<'a>>,
    /// How many files were scanned.
    pub scanned: usize,
    /// What was not scanned, with the reason.
    pub skipped: Vec<(String, String)>,
    /// Files with places that the parser could not make sense of.
    pub syntax_errors: Vec<String>,
    /// Matches that were counted and not kept.
    pub dropped: usize,
    /// How many rules were run.
    pub rules: usize,
}

/// Code given as text.
pub fn unit(
    code: String,
    language: Option<&str>,
    path: Option<&str>,
) -> Result<Unit, AnalysisError> {
    let known = match (language, path) {
        (Some(name), _) => language::by_name(name),
        (None, Some(path)) => language::by_path(path),
        (None, None) => None,
    };
    let name = || language.or(path).unwrap_or("code without a language").to_owned();
    let known = known.ok_or_else(|| AnalysisError::Language { name: name() })?;
    let path = path.unwrap_or(UNNAMED).to_owned();
    Ok(Unit { path, language: language::word(known).to_owned(), code })
}

/// A file beneath the root.
pub fn file(root: &Root, path: &str) -> Result<Unit, AnalysisError> {
    let bytes = root.read(path)?;
    unit(String::from_utf8_lossy(&bytes).into_owned(), None, Some(path))
}

/// Opens a project for reading code.
pub fn open(root: &std::path::Path) -> Result<Root, AnalysisError> {
    Ok(Root::open(root, Policy::project().with_max_bytes(CODE_CAPS.bytes as u64))?)
}

/// Code that was taken, and what was not, with the reason.
pub type Taken = (Vec<Unit>, Vec<(String, String)>);

/// Files and folders beneath the root: every file in a known language that the project's ignore files do not
/// exclude. What can't be taken is told with its reason.
pub fn files(root: &Root, paths: &[String]) -> Result<Taken, AnalysisError> {
    let (mut units, mut skipped) = (Vec::new(), Vec::new());
    let (mut seen, mut bytes) = (HashSet::new(), 0);
    for path in paths {
        let resolved = root.canonical(path)?;
        if !root.path().join(&resolved).is_dir() {
            units.extend(seen.insert(resolved).then(|| file(root, path)).transpose()?);
            continue;
        }
        for inner in walk(root, &resolved) {
            if language::by_path(&inner).is_none()
                || root.policy().denies_path(&inner)
                || !seen.insert(inner.clone())
            {
                continue;
            }
            if units.len() >= MOST_FILES || bytes > MOST_BYTES {
                skipped.push((
                    inner,
                    format!(
                        "more than {MOST_FILES} files or {MOST_BYTES} bytes: name a smaller folder"
                    ),
                ));
                continue;
            }
            match file(root, &inner) {
                Ok(unit) => {
                    bytes += unit.code.len();
                    units.push(unit);
                }
                Err(error) => skipped.push((inner, error.to_string())),
            }
        }
    }
    Ok((units, skipped))
}

fn walk(root: &Root, folder: &str) -> Vec<String> {
    let walker = ignore::WalkBuilder::new(root.path().join(folder))
        .require_git(false)
        .follow_links(false)
        .build();
    let mut paths: Vec<String> = walker
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            Some(entry.path().strip_prefix(root.path()).ok()?.to_string_lossy().replace('\\', "/"))
        })
        .collect();
    paths.sort();
    paths
}

/// Scans units with the library's living rules, or with some of them.
pub async fn scan<'a>(
    library: &'a Library,
    scanner: &Scanner,
    units: Vec<Unit>,
    only: &[String],
    deadline: Instant,
) -> Result<Report<'a>, AnalysisError> {
    let rules = library.rules();
    for id in only {
        alive(library, id)?;
    }
    let languages: HashSet<String> = units.iter().map(|unit| unit.language.clone()).collect();
    let mut specs = rules.specs(&languages);
    let applies = |id: &str| rules.get(id).is_some_and(|rule| library.applies(&rule.pattern));
    specs.retain(|spec| match only.is_empty() {
        true => applies(&spec.id),
        false => only.contains(&spec.id),
    });
    let ids: HashSet<&str> = specs.iter().map(|spec| spec.id.as_str()).collect();
    let mut report = Report { rules: ids.len(), ..Report::default() };
    for outcome in scanner.scan(&specs, units, deadline).await? {
        match outcome {
            Outcome::Skipped { path, reason } => report.skipped.push((path, reason)),
            Outcome::Done(scanned) => {
                report.scanned += 1;
                report.dropped += scanned.dropped;
                if scanned.syntax_errors {
                    report.syntax_errors.push(scanned.path.clone());
                }
                let found = scanned.matches.into_iter().filter_map(|found| {
                    let rule = rules.get(&found.rule)?;
                    rule.is_for(&scanned.path).then_some(())?;
                    Some(Finding { rule, path: scanned.path.clone(), found })
                });
                report.findings.extend(found);
            }
        }
    }
    report.findings.sort_by(|a, b| {
        let key = |f: &Finding<'_>| {
            (f.rule.severity, f.path.clone(), f.found.span.start, f.rule.id.clone())
        };
        key(a).cmp(&key(b))
    });
    Ok(report)
}

fn alive<'a>(library: &'a Library, id: &str) -> Result<&'a Rule, AnalysisError> {
    let rule =
        library.rules().get(id).ok_or_else(|| AnalysisError::NoRule { id: id.to_owned() })?;
    match &rule.self_test {
        crate::rules::SelfTest::Fail(why) => {
            Err(AnalysisError::DeadRule { id: id.to_owned(), why: why.clone() })
        }
        _ => Ok(rule),
    }
}

/// The lines that a change adds, by file; `fragment` is the new side of its hunks, line by line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: String,
    /// The new side of the hunks.
    pub fragment: String,
    /// For each line of the fragment, its number in the new file and whether it was added.
    pub lines: Vec<(usize, bool)>,
}

/// Reads a unified diff. Lines outside hunks are skipped, so a whole `git show` will do.
pub fn changes(diff: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut left = (0usize, 0usize);
    let mut at = 0;
    for line in diff.lines() {
        if left == (0, 0) {
            if let Some(path) = line.strip_prefix("+++ ") {
                let path = path.split('\t').next().unwrap_or(path).trim().trim_matches('"');
                let path = path.strip_prefix("b/").unwrap_or(path).to_owned();
                changes.push(Change { path, ..Change::default() });
            } else if let Some((old, new, start)) = hunk(line) {
                (left, at) = ((old, new), start);
            }
            continue;
        }
        let Some(change) = changes.last_mut() else { continue };
        let (mark, text) = (line.chars().next().unwrap_or(' '), line.get(1..).unwrap_or_default());
        match mark {
            '-' => left.0 = left.0.saturating_sub(1),
            '\\' => {}
            mark => {
                if mark != '+' {
                    left.0 = left.0.saturating_sub(1);
                }
                left.1 = left.1.saturating_sub(1);
                change.fragment.push_str(text);
                change.fragment.push('\n');
                change.lines.push((at, mark == '+'));
                at += 1;
            }
        }
    }
    changes.retain(|change| !change.lines.is_empty());
    changes
}

/// Old length, new length and new start of a hunk's heading.
fn hunk(line: &str) -> Option<(usize, usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let part = |range: &str| -> Option<(usize, usize)> {
        let (start, length) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse().ok()?, length.parse().ok()?))
    };
    let ((_, old), (start, new)) = (part(old)?, part(new)?);
    Some((old, new, start))
}

/// A fix that was tried, with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The code before.
    pub before: String,
    /// The code after.
    pub after: String,
    /// How many places were mended.
    pub applied: usize,
    /// The result has no syntax error that was not there before.
    pub parses: bool,
    /// The places that were mended are no longer found.
    pub finding_gone: bool,
    /// What no rule found before and one finds now.
    pub new_findings: Vec<String>,
    /// Doing it again changes nothing.
    pub idempotent: bool,
}

impl Fixed {
    /// Whether everything that can be proved was.
    pub fn is_proved(&self) -> bool {
        self.parses && self.finding_gone && self.new_findings.is_empty() && self.idempotent
    }

    /// The difference.
    pub fn diff(&self, path: &str) -> String {
        fix::unified_diff(path, &self.before, &self.after)
    }
}

/// Applies a rule's fix to code, everywhere or at one line, and proves the result by scanning it again.
pub async fn try_fix(
    library: &Library,
    scanner: &Scanner,
    code: Unit,
    rule: &str,
    line: Option<usize>,
    deadline: Instant,
) -> Result<Fixed, AnalysisError> {
    let rule = alive(library, rule)?;
    if !rule.has_fix {
        return Err(AnalysisError::NoFix { id: rule.id.clone(), pattern: rule.pattern.clone() });
    }
    if !rule.is_for(&code.path) {
        let (id, paths) = (rule.id.clone(), rule.paths.join(", "));
        return Err(AnalysisError::OtherFiles { id, path: code.path, paths });
    }
    let specs = library.rules().specs(&HashSet::from([code.language.clone()]));
    let here = |m: &&Match| m.rule == rule.id && line.is_none_or(|line| m.span.start_line == line);
    let before = scan_one(scanner, &specs, code.clone(), deadline).await?;
    let edits: Vec<_> = before.matches.iter().filter(here).filter_map(|m| m.edit.clone()).collect();
    if edits.is_empty() {
        return Err(AnalysisError::NothingToFix { id: rule.id.clone(), path: code.path, line });
    }
    let (after, applied) = fix::apply(&code.code, &edits);
    let again =
        scan_one(scanner, &specs, Unit { code: after.clone(), ..code.clone() }, deadline).await?;
    let (had, has) = (tally(&before.matches), tally(&again.matches));
    let more = has.iter().filter(|(id, count)| had.get(*id).unwrap_or(&0) < count);
    let second: Vec<_> = again.matches.iter().filter(here).filter_map(|m| m.edit.clone()).collect();
    Ok(Fixed {
        applied,
        parses: before.syntax_errors || !again.syntax_errors,
        finding_gone: has.get(rule.id.as_str()).unwrap_or(&0) + applied
            <= *had.get(rule.id.as_str()).unwrap_or(&0),
        new_findings: more.map(|(id, _)| (*id).to_owned()).collect(),
        idempotent: fix::apply(&after, &second).0 == after,
        before: code.code,
        after,
    })
}

fn tally(matches: &[Match]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for found in matches {
        *counts.entry(found.rule.as_str()).or_default() += 1;
    }
    counts
}

async fn scan_one(
    scanner: &Scanner,
    specs: &[RuleSpec],
    unit: Unit,
    deadline: Instant,
) -> Result<crate::engine::Scanned, AnalysisError> {
    let path = unit.path.clone();
    match scanner.scan(specs, vec![unit], deadline).await?.pop() {
        Some(Outcome::Done(scanned)) => Ok(scanned),
        Some(Outcome::Skipped { path, reason }) => Err(AnalysisError::Skipped { path, reason }),
        None => Err(AnalysisError::Skipped { path, reason: "the scan gave no answer".to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_diff_gives_the_new_side_with_its_line_numbers() {
        let diff = "commit x\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -10,2 +10,3 @@ fn\n keep\n-old\n+new\n+more\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        expect![[r#"
            [
                Change {
                    path: "src/a.ts",
                    fragment: "keep\nnew\nmore\n",
                    lines: [
                        (
                            10,
                            false,
                        ),
                        (
                            11,
                            true,
                        ),
                        (
                            12,
                            true,
                        ),
                    ],
                },
            ]
        "#]]
        .assert_debug_eq(&changes(diff));
    }
}
