//! Documents for people and programs that want to see a whole report: its files, one file's source
//! with hits, and the snapshots that are kept. In JSON.

use std::sync::Arc;

use proofstone_contract::{
    BoxFuture, CallCx, Failure, FailureKind, Resource, ResourceBody, ResourceTemplate, Resources,
    address_text,
};
use serde_json::{Value, json};

use crate::desk::{Desk, Seat};
use crate::functions::{Functions, name};
use crate::library::FileRow;
use crate::open::USUAL_PLACES;
use crate::paths::Found;
use crate::report::File;
use crate::stale;
use crate::tools::figures::Figures;
use crate::uncovered::half_taken;

const JSON: &str = "application/json";
const REPORTS: &str = "coverage://reports";
const REPORT: &str = "coverage://report/";
const SOURCE: &str = "coverage://source/";
const SNAPSHOTS: &str = "coverage://snapshots";
/// The most snapshots that are listed, the latest first.
const MOST_SNAPSHOTS: usize = 50;

/// The documents of the toolset.
#[derive(Debug)]
pub(crate) struct CoverageResources(pub(crate) Arc<Desk>);

impl Resources for CoverageResources {
    fn list(&self) -> Vec<Resource> {
        vec![
            Resource::new(REPORTS, "Coverage reports", "Reports found in their usual places", JSON),
            Resource::new(
                SNAPSHOTS,
                "Coverage snapshots",
                "The snapshots that are kept, latest first",
                JSON,
            ),
        ]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new(
                "coverage://report/{path}",
                "Report",
                "A report's totals and files; the path is percent-encoded",
                JSON,
            ),
            ResourceTemplate::new(
                "coverage://source/{report}/{file}",
                "Source with hits",
                "A file's source with the hits of each line; both paths are percent-encoded",
                JSON,
            ),
        ]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Result<Vec<ResourceBody>, Failure>>> {
        Box::pin(async move {
            let document = Document::parse(uri)?;
            let value = self.0.work(cx, move |seat| document.write(seat)).await;
            let body = |value: Value| {
                let (uri, mime_type, text) = (uri.to_owned(), JSON.to_owned(), value.to_string());
                vec![ResourceBody::Text { uri, mime_type, text }]
            };
            Some(value.map(body))
        })
    }
}

/// Which document an address means.
#[derive(Debug, PartialEq)]
enum Document {
    Reports,
    Snapshots,
    Report(String),
    Source(String, String),
}

impl Document {
    fn parse(uri: &str) -> Option<Self> {
        match uri {
            REPORTS => return Some(Self::Reports),
            SNAPSHOTS => return Some(Self::Snapshots),
            _ => {}
        }
        if let Some(path) = uri.strip_prefix(REPORT) {
            return Some(Self::Report(address_text(path)));
        }
        let (report, file) = uri.strip_prefix(SOURCE)?.split_once('/')?;
        Some(Self::Source(address_text(report), address_text(file)))
    }

    fn write(&self, seat: &Seat<'_>) -> Result<Value, Failure> {
        match self {
            Self::Reports => Ok(json!({ "reports": usual(seat) })),
            Self::Snapshots => Ok(json!({ "snapshots": snapshots(seat) })),
            Self::Report(path) => whole_report(seat, path),
            Self::Source(report, file) => source(seat, report, file),
        }
    }
}

fn usual(seat: &Seat<'_>) -> Vec<&'static str> {
    let root = seat.place.root();
    USUAL_PLACES.into_iter().filter(|path| root.join(path).is_file()).collect()
}

fn snapshots(seat: &Seat<'_>) -> Vec<Value> {
    let latest = seat.snapshots().latest(MOST_SNAPSHOTS);
    let row = |snapshot: &crate::snapshot::Snapshot| {
        json!({
            "id": snapshot.id.to_string(),
            "timestamp": snapshot.timestamp,
            "report": snapshot.report,
            "files": snapshot.files.len(),
            "lines": Figures::from(snapshot.lines()),
        })
    };
    latest.iter().map(row).collect()
}

fn whole_report(seat: &Seat<'_>, path: &str) -> Result<Value, Failure> {
    let read = seat.report(path)?;
    let (report, sources) = (&read.report, seat.sources());
    let row = |file: &File| {
        let stale = stale::check(&FileRow::from(file), read.written, &sources);
        let mut row = json!({ "path": file.path, "lines": Figures::from(file.lines()) });
        if let Some(stale) = stale {
            row["stale"] = stale.reason().into();
        }
        row
    };
    Ok(json!({
        "report": path,
        "format": report.format.to_string(),
        "lines": Figures::from(report.lines()),
        "branches": Figures::from(report.branches()),
        "functions": Figures::from(report.functions()),
        "notes": report.notes,
        "files": report.files.iter().map(row).collect::<Vec<_>>(),
    }))
}

fn source(seat: &Seat<'_>, report: &str, file: &str) -> Result<Value, Failure> {
    let read = seat.report(report)?;
    let Found::File(place, _) = read.report.index().find(file, &seat.root()) else {
        let said = format!("{file} is not one file of {report}");
        return Err(Failure::new(FailureKind::Refused, "NOT_IN_REPORT", said));
    };
    let file = &read.report.files[place];
    let source = seat.sources().read(&file.path);
    let functions = Functions::of(&file.coverage);
    let functions = functions.iter().map(|(span, function)| {
        json!({ "line": span.start, "name": name(function), "hits": function.hits() })
    });
    let branches = half_taken(file).into_iter().map(
        |branch| json!({ "line": branch.line, "missed": branch.missed, "found": branch.found }),
    );
    Ok(json!({
        "path": file.path,
        "lines": Figures::from(file.lines()),
        "source": source.map(|source| source.lines),
        "hits": file.coverage.lines.iter().collect::<Vec<_>>(),
        "branches": branches.collect::<Vec<_>>(),
        "functions": functions.collect::<Vec<_>>(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_documents() {
        let source = Document::Source("a/lcov.info".into(), "src/ä.ts".into());
        let cases = [
            ("coverage://reports", Some(Document::Reports)),
            ("coverage://snapshots", Some(Document::Snapshots)),
            (
                "coverage://report/coverage%2Flcov.info",
                Some(Document::Report("coverage/lcov.info".into())),
            ),
            ("coverage://source/a%2Flcov.info/src%2F%C3%A4.ts", Some(source)),
            ("coverage://source/a", None),
            ("context://reports", None),
        ];
        for (uri, document) in cases {
            assert_eq!(Document::parse(uri), document, "{uri}");
        }
    }
}
