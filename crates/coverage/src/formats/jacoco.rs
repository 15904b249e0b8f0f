//! JaCoCo XML. A line counts as run when any of its instructions ran, as in JaCoCo's own figures.

use std::collections::HashMap;
use std::io::BufRead;

use proofstone_lcov::{Alias, Coverage, Function};

use super::cobertura::counted_branches;
use super::xml::{Element, Step, line_number, walk};
use super::{FormatError, file};
use crate::report::{Format, Report};

/// Reads a JaCoCo report.
pub(super) fn read(reader: impl BufRead) -> Result<Report, FormatError> {
    let mut walker = Walker::default();
    walk(Format::Jacoco, reader, |step| walker.step(step))?;
    Ok(walker.report())
}

#[derive(Default)]
struct Walker {
    package: String,
    class_file: String,
    source_file: Option<String>,
    method: Option<Function>,
    lines: Vec<(u32, u64)>,
    branches: Vec<(u32, u64, u64)>,
    functions: HashMap<String, Vec<Function>>,
    files: Vec<(String, Coverage)>,
}

impl Walker {
    fn step(&mut self, step: Step<'_>) -> Result<(), String> {
        match step {
            Step::Open(element) => self.open(element)?,
            Step::Close("method") => self.close_method(),
            Step::Close("sourcefile") => self.close_file(),
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, element: &Element<'_>) -> Result<(), String> {
        match element.name() {
            "package" => self.package = element.text("name"),
            "class" => self.class_file = self.in_package(&element.text("sourcefilename")),
            "sourcefile" => self.source_file = Some(self.in_package(&element.text("name"))),
            "method" => {
                let name = element.text("name") + &element.text("desc");
                let start = line_number(element.number("line").unwrap_or(0))?;
                let aliases = [Alias { name: name.into(), hits: 0 }].into();
                self.method = Some(Function { start, end: None, aliases });
            }
            "counter" if element.text("type") == "METHOD" => {
                if let Some(method) = &mut self.method {
                    method.aliases[0].hits = element.number("covered")?;
                }
            }
            "line" if self.source_file.is_some() => self.line(element)?,
            _ => {}
        }
        Ok(())
    }

    fn in_package(&self, name: &str) -> String {
        if self.package.is_empty() { name.to_owned() } else { format!("{}/{name}", self.package) }
    }

    fn line(&mut self, element: &Element<'_>) -> Result<(), String> {
        let number = line_number(element.number("nr")?)?;
        let (missed, covered) = (element.number("mi")?, element.number("ci")?);
        if number > 0 && missed.saturating_add(covered) > 0 {
            self.lines.push((number, covered));
        }
        let (missed, covered) = (element.number("mb")?, element.number("cb")?);
        if missed.saturating_add(covered) > 0 {
            self.branches.push((number, covered, missed.saturating_add(covered)));
        }
        Ok(())
    }

    fn close_method(&mut self) {
        if let Some(method) = self.method.take() {
            self.functions.entry(self.class_file.clone()).or_default().push(method);
        }
    }

    fn close_file(&mut self) {
        let Some(path) = self.source_file.take() else { return };
        let branches = std::mem::take(&mut self.branches).into_iter();
        let branches = branches.flat_map(|(line, taken, all)| counted_branches(line, taken, all));
        let coverage = Coverage {
            branches: branches.collect(),
            lines: std::mem::take(&mut self.lines).into_iter().collect(),
            functions: self.functions.remove(&path).unwrap_or_default(),
            ..Coverage::default()
        };
        self.files.push((path, coverage));
    }

    fn report(self) -> Report {
        let files = self.files.into_iter().map(|(path, coverage)| file(path, coverage)).collect();
        let mut report = Report::new(Format::Jacoco, files);
        report
            .notes
            .push("JaCoCo counts instructions: a line's hits are its instructions that ran".into());
        report
    }
}
