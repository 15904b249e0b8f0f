//! The memory of reports: the same report asked for again is not read again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use proofstone_lcov::FileTotals;

use crate::open::{Identity, Place, ReportError, Totals};
use crate::paths::PathIndex;
use crate::ratio::Ratio;
use crate::report::{File, Format, Report, readable_path};

/// Reports larger than this in memory are not kept, only their totals.
const KEPT_BYTES: usize = 512 << 20;
const KEPT_REPORTS: usize = 16;

/// Reports that were read, by path and state of the file.
#[derive(Debug, Default)]
pub struct Library {
    shelf: Mutex<Vec<Kept>>,
}

/// A report and the file it came from.
#[derive(Clone, Debug)]
pub struct Read {
    /// The report.
    pub report: Arc<Report>,
    /// When the report's file was written.
    pub written: Option<SystemTime>,
}

/// A report's totals, without its lines.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The format.
    pub format: Format,
    /// Lines of all files.
    pub lines: Ratio,
    /// How many files.
    pub files: usize,
    /// Line totals the report declares, where they contradict its lines.
    pub declared: Option<Ratio>,
    /// What was decided while reading.
    pub notes: Vec<String>,
    /// The same for each file.
    pub table: Arc<FileTable>,
    /// When the report's file was written.
    pub written: Option<SystemTime>,
}

/// Each file's lines as a fraction, without the lines: enough for most questions, and small.
#[derive(Debug, Default)]
pub struct FileTable {
    /// The files, in the report's order.
    pub rows: Vec<FileRow>,
    index: OnceLock<PathIndex>,
}

/// One file's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The path as the report spells it.
    pub path: String,
    /// Its lines.
    pub lines: Ratio,
    /// Its last executable line; 0 where only a summary is known.
    pub last_line: u32,
}

impl FileTable {
    fn new(rows: Vec<FileRow>) -> Arc<Self> {
        Arc::new(Self { rows, index: OnceLock::new() })
    }

    /// The files by path, for looking up; made on first use.
    pub fn index(&self) -> &PathIndex {
        self.index.get_or_init(|| PathIndex::new(self.rows.iter().map(|row| row.path.as_str())))
    }
}

impl From<&File> for FileRow {
    fn from(file: &File) -> Self {
        let last_line = file.coverage.lines.last().unwrap_or(0);
        Self { path: file.path.clone(), lines: file.lines(), last_line }
    }
}

impl From<&FileTotals> for FileRow {
    fn from(file: &FileTotals) -> Self {
        let lines = Ratio::new(file.hit, file.found);
        Self { path: readable_path(&file.path), lines, last_line: file.last_line }
    }
}

#[derive(Debug)]
struct Kept {
    path: PathBuf,
    identity: Identity,
    overview: Overview,
    report: Option<Arc<Report>>,
}

impl Library {
    /// A report, from memory if the file is as it was.
    pub fn report(&self, place: &Place, path: &str) -> Result<Read, ReportError> {
        let now = place.identity(path)?;
        let known = self.look(place, path, &now, |kept| kept.report.clone());
        if let Some(report) = known {
            return Ok(Read { report, written: now.modified() });
        }
        let read = place.report(path)?;
        let written = read.identity.modified();
        let report = Arc::new(read.value);
        let overview = Overview::of(&report, written);
        let kept = (report.size() <= KEPT_BYTES).then(|| Arc::clone(&report));
        self.keep(Kept {
            path: place.resolve(path),
            identity: read.identity,
            overview,
            report: kept,
        });
        Ok(Read { report, written })
    }

    /// A report's totals. A large LCOV file is counted without being kept.
    pub fn overview(&self, place: &Place, path: &str) -> Result<Overview, ReportError> {
        let now = place.identity(path)?;
        let known = self.look(place, path, &now, |kept| Some(kept.overview.clone()));
        if let Some(overview) = known {
            return Ok(overview);
        }
        let read = place.totals(path)?;
        let written = read.identity.modified();
        let (overview, report) = match read.value {
            Totals::Lcov(totals) => (Overview::counted(&totals, written), None),
            Totals::Other(report) => (Overview::of(&report, written), Some(Arc::new(report))),
        };
        let path = place.resolve(path);
        let identity = read.identity;
        self.keep(Kept { path, identity, overview: overview.clone(), report });
        Ok(overview)
    }

    /// Several reports as one, by union of lines. It counts as written when the oldest was.
    pub fn union(
        &self,
        place: &Place,
        first: &str,
        others: &[String],
    ) -> Result<Read, ReportError> {
        let read = self.report(place, first)?;
        if others.is_empty() {
            return Ok(read);
        }
        let root = place.root().to_string_lossy();
        // The shelf keeps its own, so the union works on copies.
        let mut united = read.report.copy();
        let mut written = read.written;
        for path in others {
            let other = self.report(place, path)?;
            united.merge(other.report.copy(), &root);
            written = written.min(other.written);
        }
        Ok(Read { report: Arc::new(united), written })
    }

    fn look<T>(
        &self,
        place: &Place,
        path: &str,
        now: &Identity,
        take: impl Fn(&Kept) -> Option<T>,
    ) -> Option<T> {
        let path = place.resolve(path);
        let shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.iter().find(|kept| kept.path == path && kept.identity == *now).and_then(take)
    }

    /// Puts the newest last and drops the oldest while there are too many or they are too large.
    fn keep(&self, new: Kept) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.retain(|kept| kept.path != new.path);
        shelf.push(new);
        let size = |kept: &Kept| kept.report.as_ref().map_or(0, |report| report.size());
        let mut bytes: usize = shelf.iter().map(size).sum();
        while shelf.len() > KEPT_REPORTS || (bytes > KEPT_BYTES && shelf.len() > 1) {
            bytes -= size(&shelf.remove(0));
        }
    }
}

impl Overview {
    fn of(report: &Report, written: Option<SystemTime>) -> Self {
        Self {
            format: report.format,
            lines: report.lines(),
            files: report.files.len(),
            declared: report.declared,
            notes: report.notes.clone(),
            table: FileTable::new(report.files.iter().map(FileRow::from).collect()),
            written,
        }
    }

    fn counted(totals: &proofstone_lcov::Totals, written: Option<SystemTime>) -> Self {
        Self {
            format: Format::Lcov,
            lines: Ratio::new(totals.hit, totals.found),
            files: totals.files.len(),
            declared: totals.declared.map(|d| Ratio { hit: d.hit, found: d.found }),
            notes: totals.notes.iter().map(ToString::to_string).collect(),
            table: FileTable::new(totals.files.iter().map(FileRow::from).collect()),
            written,
        }
    }
}
