//! Clover XML, as OpenClover, PHPUnit and Istanbul write it. Statements and conditions are lines;
//! a `method` entry is a function.

use std::collections::BTreeMap;
use std::io::BufRead;

use proofstone_lcov::{Alias, Branch, BranchId, BranchKind, Coverage, Function, Taken};

use super::cobertura::counted_branches;
use super::xml::{Element, Step, line_number, walk};
use super::{FormatError, file};
use crate::report::{File, Format, Report};

/// The version Istanbul claims. In its reports `truecount` is the number of branches that were taken
/// and `falsecount` the number of those that were not; in all others they are how often a condition
/// was true and false.
const ISTANBUL: &str = "3.2.0";

/// Reads a Clover report.
pub(super) fn read(reader: impl BufRead) -> Result<Report, FormatError> {
    let mut walker = Walker::default();
    walk(Format::Clover, reader, |step| walker.step(step))?;
    let mut report = Report::new(Format::Clover, walker.files);
    if walker.left_out {
        report.notes.push("the tests' own code is left out, as in Clover's totals".into());
    }
    Ok(report)
}

#[derive(Default)]
struct Walker {
    by_istanbul: bool,
    /// Inside `<testproject>`: the tests' own code, which Clover's totals leave out too.
    in_tests: bool,
    left_out: bool,
    path: Option<String>,
    lines: BTreeMap<u32, u64>,
    functions: Vec<Function>,
    branches: Vec<Branch>,
    files: Vec<File>,
}

impl Walker {
    fn step(&mut self, step: Step<'_>) -> Result<(), String> {
        match step {
            Step::Open(element) if element.name() == "coverage" => {
                self.by_istanbul = element.text("clover") == ISTANBUL;
            }
            Step::Open(element) if element.name() == "testproject" => self.in_tests = true,
            Step::Close("testproject") => self.in_tests = false,
            Step::Open(element) if element.name() == "file" && !self.in_tests => {
                let path = element.text("path");
                self.path = Some(if path.is_empty() { element.text("name") } else { path });
            }
            Step::Open(element) if element.name() == "line" && self.path.is_some() => {
                self.line(element)?;
            }
            Step::Open(element) if element.name() == "line" => self.left_out |= self.in_tests,
            Step::Close("file") => self.close_file(),
            _ => {}
        }
        Ok(())
    }

    fn line(&mut self, element: &Element<'_>) -> Result<(), String> {
        let line = line_number(element.number("num")?)?;
        match element.text("type").as_str() {
            _ if line == 0 => {}
            "method" => {
                let name = Some(element.text("name")).filter(|name| !name.is_empty());
                let name = name.unwrap_or_else(|| element.text("signature"));
                let hits = element.number("count")?;
                let aliases = [Alias { name: name.into(), hits }].into();
                self.functions.push(Function { start: line, end: None, aliases });
            }
            "cond" => {
                let (yes, no) = (element.number("truecount")?, element.number("falsecount")?);
                let counted = element.number("count").unwrap_or_else(|_| yes.saturating_add(no));
                self.hit(line, counted);
                // A line may have several conditions: each is a block of its own.
                let block = self.branches.len() as u32;
                if self.by_istanbul {
                    let all = counted_branches(line, yes, yes.saturating_add(no));
                    self.branches.extend(all.map(|branch| Branch { block, ..branch }));
                } else {
                    self.branches.extend([(0, yes), (1, no)].map(|way| branch(line, block, way)));
                }
            }
            _ => self.hit(line, element.number("count")?),
        }
        Ok(())
    }

    fn hit(&mut self, line: u32, hits: u64) {
        let known = self.lines.entry(line).or_default();
        *known = (*known).max(hits);
    }

    fn close_file(&mut self) {
        let Some(path) = self.path.take() else { return };
        let coverage = Coverage {
            lines: std::mem::take(&mut self.lines).into_iter().collect(),
            functions: std::mem::take(&mut self.functions),
            branches: std::mem::take(&mut self.branches).into_iter().collect(),
            ..Coverage::default()
        };
        self.files.push(file(path, coverage));
    }
}

fn branch(line: u32, block: u32, (number, times): (u32, u64)) -> Branch {
    Branch {
        line,
        block,
        kind: BranchKind::Plain,
        unreachable: false,
        id: BranchId::Number(number),
        taken: Taken::times(times),
    }
}
