//! Cobertura XML, as coverage.py, gcovr, Istanbul, coverlet and many others write it.

use std::collections::BTreeMap;
use std::io::BufRead;

use proofstone_lcov::{Alias, Branch, BranchId, BranchKind, Coverage, Function, Taken};

use super::xml::{Element, Step, line_number, walk};
use super::{FormatError, file};
use crate::ratio::Ratio;
use crate::report::{File, Format, Report};

/// Reads a Cobertura report.
pub(super) fn read(reader: impl BufRead) -> Result<Report, FormatError> {
    let mut walker = Walker::default();
    walk(Format::Cobertura, reader, |step| walker.step(step))?;
    Ok(walker.report())
}

#[derive(Default)]
struct Walker {
    sources: Vec<String>,
    /// The text of the `<source>` that is open.
    source: Option<String>,
    /// What the report itself says of all lines: run, and all.
    declared: Option<Ratio>,
    files: BTreeMap<String, Class>,
    path: String,
    method: Option<Method>,
}

/// What all classes of a file say about it. A line may be listed for a class and again for an inner
/// one: that is the same counter, so the larger count stands.
#[derive(Default)]
struct Class {
    lines: BTreeMap<u32, u64>,
    /// Lines listed for methods: the class lists them again, all but a declaration's own.
    method_lines: BTreeMap<u32, u64>,
    branches: BTreeMap<u32, (u64, u64)>,
    functions: Vec<Function>,
}

struct Method {
    name: String,
    first_line: u32,
    hits: u64,
}

impl Walker {
    fn step(&mut self, step: Step<'_>) -> Result<(), String> {
        match step {
            Step::Open(element) => self.open(element)?,
            Step::Close("source") => {
                self.sources.extend(self.source.take().map(|text| text.trim().to_owned()));
            }
            Step::Close("method") => self.close_method(),
            Step::Text(text) => {
                if let Some(source) = &mut self.source {
                    source.push_str(text);
                }
            }
            Step::Close(_) => {}
        }
        Ok(())
    }

    fn open(&mut self, element: &Element<'_>) -> Result<(), String> {
        match element.name() {
            "coverage" => self.declared = declared(element),
            "source" => self.source = Some(String::new()),
            "class" => {
                self.path = element.text("filename");
                if self.path.is_empty() {
                    return Err("<class> has no filename".to_owned());
                }
                self.files.entry(self.path.clone()).or_default();
            }
            "method" => {
                self.method = Some(Method { name: method_name(element), first_line: 0, hits: 0 });
            }
            "line" if !self.path.is_empty() => self.line(element)?,
            _ => {}
        }
        Ok(())
    }

    fn line(&mut self, element: &Element<'_>) -> Result<(), String> {
        let number = line_number(element.number("number")?)?;
        let hits = element.number("hits")?;
        if number == 0 {
            return Ok(());
        }
        if let Some(method) = self.method.as_mut().filter(|method| method.first_line == 0) {
            (method.first_line, method.hits) = (number, hits);
        }
        let class = self.files.entry(self.path.clone()).or_default();
        let in_method = self.method.is_some();
        let lines = if in_method { &mut class.method_lines } else { &mut class.lines };
        let known = lines.entry(number).or_default();
        *known = (*known).max(hits);
        if let Some((taken, all)) = conditions(&element.text("condition-coverage")) {
            let known = class.branches.entry(number).or_default();
            *known = (known.0.max(taken), known.1.max(all));
        }
        Ok(())
    }

    fn close_method(&mut self) {
        let Some(method) = self.method.take() else { return };
        let aliases = [Alias { name: method.name.into(), hits: method.hits }].into();
        let function = Function { start: method.first_line, end: None, aliases };
        self.files.entry(self.path.clone()).or_default().functions.push(function);
    }

    fn report(self) -> Report {
        // With one source directory a file's place is known; with several it is anyone's guess.
        let base = match self.sources.as_slice() {
            [source] if !source.is_empty() && source != "." => {
                format!("{}/", source.trim_end_matches(['/', '\\']))
            }
            _ => String::new(),
        };
        let files = self.files.into_iter().map(|(path, class)| {
            let absolute = path.starts_with('/') || path.contains(':');
            class.into_file(if absolute { path } else { format!("{base}{path}") })
        });
        let mut report = Report::new(Format::Cobertura, files.collect());
        report.declared = self.declared.filter(|declared| *declared != report.lines());
        if let Some(Ratio { hit, found }) = report.declared {
            report.notes.push(format!("the report's own totals say {hit} of {found} lines"));
        }
        report
    }
}

/// The totals on the root element. Some writers fill them with zeros.
fn declared(coverage: &Element<'_>) -> Option<Ratio> {
    let (hit, found) = (coverage.number("lines-covered"), coverage.number("lines-valid"));
    Some(Ratio { hit: hit.ok()?, found: found.ok()? }).filter(|lines| lines.found > 0)
}

/// With what tells it from its overloads, where that is written as in a call: `push(int)`. PHPUnit writes
/// a list of parameters there, which is no part of a name.
fn method_name(method: &Element<'_>) -> String {
    let signature = method.text("signature");
    let told = if signature.starts_with('(') { signature.as_str() } else { "" };
    method.text("name") + told
}

impl Class {
    fn into_file(self, path: String) -> File {
        let branches = self.branches.iter();
        let branches =
            branches.flat_map(|(line, (taken, all))| counted_branches(*line, *taken, *all));
        let lines = if self.lines.is_empty() { self.method_lines } else { self.lines };
        let coverage = Coverage {
            branches: branches.collect(),
            lines: lines.into_iter().collect(),
            functions: self.functions,
            ..Coverage::default()
        };
        file(path, coverage)
    }
}

/// `50% (1/2)`: one of two.
fn conditions(text: &str) -> Option<(u64, u64)> {
    let (_, rest) = text.split_once('(')?;
    let (taken, all) = rest.split_once(')')?.0.split_once('/')?;
    Some((taken.trim().parse().ok()?, all.trim().parse().ok()?))
}

/// Branches of which only the number is known: the first `taken` of `all` count as taken.
pub(super) fn counted_branches(line: u32, taken: u64, all: u64) -> impl Iterator<Item = Branch> {
    // A line has a handful of branches; a report that says a million is not worth the memory.
    (0..all.min(10_000) as u32).map(move |number| Branch {
        line,
        block: 0,
        kind: BranchKind::Plain,
        unreachable: false,
        id: BranchId::Number(number),
        taken: Taken::times(u64::from(u64::from(number) < taken)),
    })
}
