//! What stands beside an answer: facts for programs in `_meta`, and the same in words for clients
//! that show only text.

use std::time::SystemTime;

use proofstone_contract::{Answer, Content, json_text};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::library::{FileRow, Overview, Read};
use crate::ratio::Ratio;
use crate::report::{File, Format};
use crate::sources::Sources;
use crate::stale;
use crate::uncovered::unnamed;

/// The key of this toolset's facts in a result's `_meta`.
const META: &str = "proofstone/coverage";
/// Files whose staleness is looked at, and remarks that are spelled out.
const LOOKED_AT: usize = 50;

/// Facts and warnings about an answer.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    facts: Map<String, Value>,
    words: Vec<String>,
}

impl Remarks {
    /// What there is to say about a report as a whole.
    pub(crate) fn about(read: &Read) -> Self {
        let report = &read.report;
        let mut remarks = Self::default();
        remarks.report(report.format.to_string(), report.lines(), report.files.len());
        remarks.declared(report.format, report.declared, report.lines());
        remarks.notes(report.format, &report.notes);
        remarks
    }

    /// What there is to say about a report of which only totals are known.
    pub(crate) fn about_totals(overview: &Overview) -> Self {
        let mut remarks = Self::default();
        remarks.report(overview.format.to_string(), overview.lines, overview.files);
        remarks.declared(overview.format, overview.declared, overview.lines);
        remarks.notes(overview.format, &overview.notes);
        remarks
    }

    /// Looks at whether the report is older than the first of its sources.
    pub(crate) fn older_than_sources(&mut self, overview: &Overview, sources: &Sources) {
        let looked_at = || overview.table.rows.iter().take(LOOKED_AT).map(|row| &row.path);
        let newer = |path: &&String| {
            let times = overview.written.zip(sources.modified(path));
            times.is_some_and(|(report, source)| source > report)
        };
        let stale: Vec<&String> = looked_at().filter(newer).collect();
        if let Some(first) = stale.first() {
            self.words.push(format!(
                "the report is older than {} of the {} sources looked at (such as {first}); \
                 run the tests again",
                stale.len(),
                looked_at().count()
            ));
            self.fact("stale", json!(stale));
        }
    }

    fn report(&mut self, format: String, lines: Ratio, files: usize) {
        self.fact("format", format.into());
        self.fact("lines", json!({ "hit": lines.hit, "found": lines.found }));
        self.fact("files", files.into());
    }

    fn declared(&mut self, format: Format, declared: Option<Ratio>, lines: Ratio) {
        let Some(declared) = declared else { return };
        let totals = if format == Format::Lcov { "LF/LH summaries" } else { "own totals" };
        self.fact("declared", json!({ "hit": declared.hit, "found": declared.found }));
        self.words.push(format!(
            "the report contradicts itself: its line records say {} of {}, its {totals} say \
             {} of {}; the line records were used",
            lines.hit, lines.found, declared.hit, declared.found
        ));
    }

    /// What an LCOV reader decided changes figures, so it is said in words too; the notes of other
    /// formats are about what they can't know.
    fn notes(&mut self, format: Format, notes: &[String]) {
        if notes.is_empty() {
            return;
        }
        self.fact("notes", json!(notes));
        let said = |note: &&String| {
            let twice = note.starts_with("LF/LH contradict");
            (format == Format::Lcov && !twice) || note.ends_with("they are counted apart")
        };
        self.words.extend(notes.iter().filter(said).cloned());
    }

    /// Looks at whether these files' figures are about their present sources.
    pub(crate) fn staleness(
        &mut self,
        files: impl Iterator<Item = FileRow>,
        written: Option<SystemTime>,
        sources: &Sources,
    ) {
        let mut stale = Map::new();
        for file in files.take(LOOKED_AT) {
            if let Some(reason) = stale::check(&file, written, sources) {
                stale.insert(file.path.clone(), reason.reason().into());
            }
        }
        for (path, reason) in &stale {
            self.words
                .push(format!("{path} may be stale: {}", reason.as_str().unwrap_or_default()));
        }
        if !stale.is_empty() {
            self.fact("stale", Value::Object(stale));
        }
    }

    /// Says of a file with totals only that its lines can't be named.
    pub(crate) fn unnamed(&mut self, file: &File) {
        let lines = unnamed(file);
        if lines > 0 {
            self.warn(format!(
                "{}: {lines} lines did not run, and the report does not say which (it has only totals)",
                file.path
            ));
        }
    }

    /// One more fact.
    pub(crate) fn fact(&mut self, name: &str, value: Value) {
        self.facts.insert(name.to_owned(), value);
    }

    /// One more warning in words.
    pub(crate) fn warn(&mut self, words: impl Into<String>) {
        self.words.push(words.into());
    }

    /// The answer with all of it beside: the JSON first and alone in its block, as the contract
    /// shows it, and the warnings, if any, in a second block.
    pub(crate) fn beside<O: Serialize>(self, output: O) -> Answer<O> {
        let mut content = None;
        if !self.words.is_empty() {
            let more = self.words.len().saturating_sub(LOOKED_AT);
            let mut lines: Vec<String> =
                self.words.iter().take(LOOKED_AT).map(|words| format!("Note: {words}")).collect();
            if more > 0 {
                lines.push(format!("Note: and {more} more; see _meta"));
            }
            let value = serde_json::to_value(&output).unwrap_or_default();
            content = Some(vec![Content::text(json_text(&value)), Content::text(lines.join("\n"))]);
        }
        let answer = Answer::new(output).meta(META, Value::Object(self.facts));
        match content {
            Some(content) => answer.with_content(content),
            None => answer,
        }
    }
}
