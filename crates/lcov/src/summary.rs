//! `LF`/`LH` against the lines themselves: which of them counts.

use crate::model::Summary;
use crate::note::{Declared, NoteKind};
use crate::scan::{Log, SectionSummary};

/// Adds up what the sections declare, and whether any of them contradicts its lines.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    sum: Declared,
    contradicted: bool,
}

impl Declarations {
    /// Compares a section's declaration with its lines. Returns the summary that stands in for the
    /// lines where there are none.
    pub(crate) fn settle(
        &mut self,
        declared: SectionSummary,
        counted: Summary,
        log: &mut Log,
    ) -> Result<Option<Summary>, &'static str> {
        let found = declared.found.unwrap_or(counted.found);
        let hit = declared.hit.unwrap_or(counted.hit);
        self.sum.found = self.sum.found.saturating_add(found);
        self.sum.hit = self.sum.hit.saturating_add(hit);
        if counted.found > 0 {
            if (found, hit) != (counted.found, counted.hit) {
                self.contradicted = true;
                log.note(NoteKind::SummaryDisagrees);
            }
            return Ok(None);
        }
        summary_alone(declared, log)
    }

    /// The sums, where they contradict the lines.
    pub(crate) fn contradiction(&self) -> Option<Declared> {
        self.contradicted.then_some(self.sum)
    }
}

fn summary_alone(declared: SectionSummary, log: &mut Log) -> Result<Option<Summary>, &'static str> {
    match (declared.found, declared.hit) {
        (None | Some(0), None | Some(0)) => Ok(None),
        (Some(found), Some(hit)) if hit <= found => {
            log.note(NoteKind::SummaryOnly);
            Ok(Some(Summary { found, hit }))
        }
        (Some(_), Some(_)) => Err("the section has no DA records and its LH exceeds its LF"),
        _ => Err("the section has no DA records and only one of LF and LH"),
    }
}
