//! JaCoCo XML. A line counts as run when any of its instructions ran, as in JaCoCo's own figures.

use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use proofstone_lcov::{Alias, Coverage, Function};

use super::cobertura::counted_branches;
use super::xml::{Element, Step, line_number, walk};
use super::{FormatError, file};
use crate::report::{Format, Report};

/// What gcovr writes in this format.
const NO_INSTRUCTIONS: &str = "<line> has neither mi nor ci, so the report does not say which lines ran; \
     use the Cobertura or LCOV output of the same tool";

/// Reads a JaCoCo report.
pub(super) fn read(reader: impl BufRead) -> Result<Report, FormatError> {
    let mut walker = Walker::default();
    walk(Format::Jacoco, reader, |step| walker.step(step))?;
    Ok(walker.report())
}

#[derive(Default)]
struct Walker {
    /// The groups that are open, from the outside in: a report of several modules has one for each.
    groups: Vec<String>,
    package: String,
    class_file: String,
    source_file: Option<String>,
    method: Option<Function>,
    lines: Vec<(u32, u64)>,
    branches: Vec<(u32, u64, u64)>,
    functions: HashMap<String, Vec<Function>>,
    files: Vec<SourceFile>,
}

struct SourceFile {
    group: String,
    path: String,
    coverage: Coverage,
}

impl Walker {
    fn step(&mut self, step: Step<'_>) -> Result<(), String> {
        match step {
            Step::Open(element) => self.open(element)?,
            Step::Close("group") => drop(self.groups.pop()),
            Step::Close("method") => self.close_method(),
            Step::Close("sourcefile") => self.close_file(),
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, element: &Element<'_>) -> Result<(), String> {
        match element.name() {
            "group" => self.groups.push(element.text("name")),
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
        if element.text("mi").is_empty() && element.text("ci").is_empty() {
            return Err(NO_INSTRUCTIONS.to_owned());
        }
        let (missed, covered) = (element.number("mi")?, element.number("ci")?);
        if number > 0 && missed.saturating_add(covered) > 0 {
            self.lines.push((number, covered));
        }
        let branches = |name| element.number(name).unwrap_or(0);
        let (missed, covered) = (branches("mb"), branches("cb"));
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
        self.files.push(SourceFile { group: self.groups.join("/"), path, coverage });
    }

    fn report(self) -> Report {
        let shared = in_several_groups(&self.files);
        let named = |source: SourceFile| {
            let path = match shared.contains(&source.path) {
                true => format!("{}/{}", source.group, source.path),
                false => source.path,
            };
            file(path, source.coverage)
        };
        let files = self.files.into_iter().map(named).collect();
        let mut report = Report::new(Format::Jacoco, files);
        report
            .notes
            .push("JaCoCo counts instructions: a line's hits are its instructions that ran".into());
        if !shared.is_empty() {
            report.notes.push(format!(
                "{} files have the same package and name in several modules (such as {}): their paths begin \
                 with the module's name, and they are counted apart",
                shared.len(),
                shared.first().map_or("", String::as_str)
            ));
        }
        report
    }
}

/// Two modules may have a file of the same package and name: that is two files.
fn in_several_groups(files: &[SourceFile]) -> BTreeSet<String> {
    let mut groups: HashMap<&str, &str> = HashMap::new();
    let mut shared = BTreeSet::new();
    for file in files {
        if *groups.entry(&file.path).or_insert(&file.group) != file.group {
            shared.insert(file.path.clone());
        }
    }
    shared
}
