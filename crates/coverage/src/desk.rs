//! What the tools share: the memory of reports, the snapshots and the options. A tool asks the desk
//! and never opens a file itself.

use std::sync::Arc;

use proofstone_contract::{CallCx, Failure};

use crate::attribution::{Attribution, AttributionError, tests_for_lines};
use crate::library::{Library, Overview, Read};
use crate::open::{Place, ReportError};
use crate::ranges::LineSpan;
use crate::snapshot::SnapshotStore;
use crate::sources::Sources;

/// How the toolset behaves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Read reports only beneath the project root (`--jail-reports`).
    pub jail_reports: bool,
    /// Where snapshots are kept; the system's temporary directory unless given.
    pub snapshots: SnapshotStore,
}

/// What the tools share.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    library: Library,
    options: Options,
}

/// A desk as seen from one call: with its project.
pub(crate) struct Seat<'a> {
    desk: &'a Desk,
    pub(crate) place: Place,
}

impl Desk {
    pub(crate) fn new(options: Options) -> Self {
        Self { library: Library::default(), options }
    }

    /// Runs blocking work on behalf of a call.
    pub(crate) async fn work<T, F>(self: &Arc<Self>, cx: &CallCx, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(&Seat<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let desk = Arc::clone(self);
        let place = Place::new(cx.root(), self.options.jail_reports);
        cx.blocking(move |_| work(&Seat { desk: &desk, place })).await?
    }
}

impl Seat<'_> {
    /// The project root as text.
    pub(crate) fn root(&self) -> String {
        self.place.root().to_string_lossy().into_owned()
    }

    /// The project's sources.
    pub(crate) fn sources(&self) -> Sources {
        Sources::new(self.place.root())
    }

    /// The snapshots.
    pub(crate) fn snapshots(&self) -> &SnapshotStore {
        &self.desk.options.snapshots
    }

    /// One report.
    pub(crate) fn report(&self, path: &str) -> Result<Read, ReportError> {
        self.desk.library.report(&self.place, path)
    }

    /// One report's totals.
    pub(crate) fn overview(&self, path: &str) -> Result<Overview, ReportError> {
        self.desk.library.overview(&self.place, path)
    }

    /// Tests that ran lines of a file.
    pub(crate) fn tests(
        &self,
        path: &str,
        file: &str,
        lines: &[LineSpan],
    ) -> Result<Attribution, AttributionError> {
        tests_for_lines(&self.desk.library, &self.place, path, file, lines)
    }

    /// Several reports as one.
    pub(crate) fn union(&self, first: &str, others: &[String]) -> Result<Read, ReportError> {
        self.desk.library.union(&self.place, first, others)
    }
}
