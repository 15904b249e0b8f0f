//! The memory of reports: the same report asked for again is not read again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::open::{Identity, Place, ReportError, Totals};
use crate::ratio::Ratio;
use crate::report::{Format, Report, readable_path};

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
    /// The first files, for a look at whether the report is stale.
    pub sample: Vec<String>,
    /// When the report's file was written.
    pub written: Option<SystemTime>,
}

/// How many files [`Overview::sample`] has at most.
const SAMPLE: usize = 50;

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
            sample: report.files.iter().take(SAMPLE).map(|file| file.path.clone()).collect(),
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
            sample: totals.files.iter().take(SAMPLE).map(|f| readable_path(&f.path)).collect(),
            written,
        }
    }
}
