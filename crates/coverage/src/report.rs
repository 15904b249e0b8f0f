//! One model for every format: files, each with what was executed in it.
//!
//! The model of a file is the one of the LCOV crate, the richest of the formats: lines, functions,
//! branches and conditions. Readers of other formats fill in what theirs knows.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};
use std::sync::OnceLock;

use proofstone_lcov::{BString, Coverage, Notes, Section, Tracefile};

use crate::paths::{Found, PathIndex, Rule, key};
use crate::ratio::Ratio;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// LCOV tracefiles, of the 1.x and 2.x series.
    Lcov,
    /// Cobertura XML.
    Cobertura,
    /// JaCoCo XML.
    Jacoco,
    /// Clover XML.
    Clover,
    /// Istanbul JSON (`coverage-final.json`).
    Istanbul,
    /// coverage.py JSON.
    CoveragePy,
    /// coverage.py's `.coverage` database.
    CoveragePyDatabase,
    /// Go cover profiles.
    Go,
    /// llvm-cov's JSON export.
    LlvmCov,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lcov => "LCOV",
            Self::Cobertura => "Cobertura XML",
            Self::Jacoco => "JaCoCo XML",
            Self::Clover => "Clover XML",
            Self::Istanbul => "Istanbul JSON",
            Self::CoveragePy => "coverage.py JSON",
            Self::CoveragePyDatabase => "coverage.py database",
            Self::Go => "Go cover profile",
            Self::LlvmCov => "llvm-cov JSON",
        })
    }
}

/// A report, whatever its format was.
#[derive(Debug)]
pub struct Report {
    /// The format it was read from.
    pub format: Format,
    /// The files, in the report's order, each once.
    pub files: Vec<File>,
    /// What was decided while reading and a person may want to know.
    pub notes: Vec<String>,
    /// Line totals the report declares, where they contradict its lines.
    pub declared: Option<Ratio>,
    /// Which test ran which lines, where the report says.
    pub tests: Vec<Section>,
    index: OnceLock<PathIndex>,
}

/// One source file of a report.
#[derive(Clone, Debug)]
pub struct File {
    /// The path as the report spells it.
    pub path: String,
    /// What was executed.
    pub coverage: Coverage,
}

impl Report {
    /// A report of these files; a path that comes twice is united.
    pub fn new(format: Format, files: Vec<File>) -> Self {
        let mut report = Self {
            format,
            files: Vec::with_capacity(files.len()),
            notes: Vec::new(),
            declared: None,
            tests: Vec::new(),
            index: OnceLock::new(),
        };
        report.absorb(files, "");
        report
    }

    /// A report from a tracefile.
    pub fn from_tracefile(trace: Tracefile) -> Self {
        let tests = if names_tests(&trace) { trace.sections.clone() } else { Vec::new() };
        let notes: Vec<String> = trace.notes.iter().map(ToString::to_string).collect();
        let declared = trace.declared.map(|d| Ratio { hit: d.hit, found: d.found });
        let sections = trace.without_tests().sections;
        let files = sections
            .into_iter()
            .map(|section| File { path: readable_path(&section.path), coverage: section.coverage });
        let mut report = Self::new(Format::Lcov, files.collect());
        report.notes.splice(0..0, notes);
        Self { declared, tests, ..report }
    }

    /// The same report again, without its index.
    pub(crate) fn copy(&self) -> Self {
        Self {
            format: self.format,
            files: self.files.clone(),
            notes: self.notes.clone(),
            declared: self.declared,
            tests: self.tests.clone(),
            index: OnceLock::new(),
        }
    }

    /// Unites another report with this one, by union of lines. Files meet under their paths
    /// relative to `root`, however each report spells them.
    pub fn merge(&mut self, other: Self, root: &str) {
        let mut doubtful = self.doubtful_pairs(&other, root);
        doubtful.extend(self.branches_apart(&other, root));
        self.index = OnceLock::new();
        self.absorb(other.files, root);
        self.notes.extend(doubtful);
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self.declared = None;
        self.tests.extend(other.tests);
    }

    /// Paths of which one is the end of the other may be one file or two (a package's own
    /// `src/a.ts` and another's): they are not united, and that is said.
    fn doubtful_pairs(&self, other: &Self, root: &str) -> Vec<String> {
        const SAID: usize = 5;
        let pair = |file: &File| match self.index().find(&file.path, root) {
            Found::File(at, Rule::Suffix) => Some(format!(
                "{} and {} may be one file; they are counted apart",
                self.files[at].path, file.path
            )),
            _ => None,
        };
        other.files.iter().filter_map(pair).take(SAID).collect()
    }

    /// Each format names branches its own way, so those of two formats can't be told to be the same.
    fn branches_apart(&self, other: &Self, root: &str) -> Option<String> {
        let has_branches = |file: &&File| file.coverage.branches_hit_and_found().1 > 0;
        let keys = |report: &Self| -> HashSet<String> {
            report.files.iter().filter(has_branches).map(|file| key(&file.path, root)).collect()
        };
        let shared = self.format != other.format && !keys(self).is_disjoint(&keys(other));
        shared.then(|| {
            format!(
                "{} and {} name the branches of a line differently; they are counted apart",
                self.format, other.format
            )
        })
    }

    /// Unites files that are one file of the project at `root`, spelled in full here and relative to
    /// it there.
    pub(crate) fn beneath(mut self, root: &str) -> Self {
        let files = std::mem::take(&mut self.files);
        self.absorb(files, root);
        self
    }

    fn absorb(&mut self, files: Vec<File>, root: &str) {
        let mut decided = Notes::default();
        let mut places: HashMap<String, usize> =
            self.files.iter().enumerate().map(|(at, file)| (key(&file.path, root), at)).collect();
        for file in files {
            let key = key(&file.path, root);
            if let Some(at) = places.get(&key) {
                self.files[*at].coverage.merge(file.coverage, &mut decided);
                continue;
            }
            places.insert(key, self.files.len());
            self.files.push(file);
        }
        self.notes.extend(decided.iter().map(ToString::to_string));
    }

    /// Lines of all files.
    pub fn lines(&self) -> Ratio {
        self.sum(File::lines)
    }

    /// Functions of all files.
    pub fn functions(&self) -> Ratio {
        self.sum(|file| file.coverage.functions_hit_and_found().into())
    }

    /// Branches of all files.
    pub fn branches(&self) -> Ratio {
        self.sum(|file| file.coverage.branches_hit_and_found().into())
    }

    /// The files by path, for looking up; made on first use.
    pub fn index(&self) -> &PathIndex {
        self.index.get_or_init(|| PathIndex::new(self.files.iter().map(|file| file.path.as_str())))
    }

    /// Bytes the report takes in memory, about.
    pub fn size(&self) -> usize {
        let file = |file: &File| {
            let c = &file.coverage;
            file.path.len() + 300 + c.lines.size() + c.functions.len() * 90 + c.branches.size()
        };
        self.files.iter().map(file).sum::<usize>()
            + self.tests.iter().map(|section| 300 + section.coverage.lines.size()).sum::<usize>()
    }

    /// The report as a tracefile, for writing.
    pub fn to_tracefile(&self) -> Tracefile {
        let section = |file: &File| Section {
            path: BString::from(file.path.as_str()),
            coverage: file.coverage.clone(),
            ..Section::default()
        };
        let sections = self.files.iter().map(section).collect();
        Tracefile { sections, ..Tracefile::default() }
    }

    fn sum(&self, of: impl Fn(&File) -> Ratio) -> Ratio {
        self.files.iter().map(of).fold(Ratio::default(), |mut sum, ratio| {
            sum += ratio;
            sum
        })
    }
}

impl File {
    /// Its lines.
    pub fn lines(&self) -> Ratio {
        Ratio::new(self.coverage.lines_hit(), self.coverage.lines_found())
    }
}

fn names_tests(trace: &Tracefile) -> bool {
    let first = trace.sections.first().map(|section| &section.test);
    trace.sections.iter().any(|s| !s.test.is_empty() || Some(&s.test) != first)
}

/// Bytes that are not UTF-8 are written as `\xNN`, so that two such paths stay two.
pub(crate) fn readable_path(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string can't fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}
