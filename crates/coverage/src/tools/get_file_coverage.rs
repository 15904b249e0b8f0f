//! `get_file_coverage`: line coverage of chosen files.

use std::collections::HashSet;
use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::figures::{Percent, Record};
use super::remarks::Remarks;
use crate::desk::Desk;
use crate::library::FileTable;
use crate::paths::Found;
use crate::ratio::Ratio;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Path to the LCOV coverage file
    lcov_path: String,
    #[schemars(
        description = "Array of file paths to analyze. Paths should match those in the LCOV file \
            (relative or absolute). Example: [\"src/parser.ts\", \"src/coverage.ts\"]"
    )]
    file_paths: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Map of file paths to coverage percentages
    files: Record<Percent>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetFileCoverage(pub(crate) Arc<Desk>);

impl Tool for GetFileCoverage {
    const NAME: &'static str = "get_file_coverage";
    const TITLE: &'static str = "Line coverage of files";
    const DESCRIPTION: &'static str = "Returns line coverage percentage for specific files only. Use \
        this after modifying files to check coverage impact on just those files. More efficient than \
        parsing the entire report when you only care about specific files. Returns coverage \
        percentage for each requested file. A file that is not in the report is 0; the answer then \
        says so and names the nearest files.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        self.0
            .work(cx, move |seat| {
                let overview = seat.overview(&input.lcov_path)?;
                let mut search = Search::new(&overview.table, seat.root());
                let mut asked = HashSet::new();
                let paths = input.file_paths.into_iter().filter(|path| asked.insert(path.clone()));
                let files = paths.map(|path| search.percent(path)).collect();
                let mut remarks = Remarks::about_totals(&overview);
                let found = search.found.iter().map(|at| overview.table.rows[*at].clone());
                remarks.staleness(found, overview.written, &seat.sources());
                search.report_on(&mut remarks);
                Ok(remarks.beside(Output { files: Record(files) }))
            })
            .await
    }
}

/// Looks files up and remembers how each was matched.
struct Search<'a> {
    table: &'a FileTable,
    root: String,
    matches: Map<String, Value>,
    warnings: Vec<String>,
    found: Vec<usize>,
}

impl<'a> Search<'a> {
    /// Looking for similar names is slow, so it is done for the first few only.
    const SUGGESTED: usize = 20;

    fn new(table: &'a FileTable, root: String) -> Self {
        Self { table, root, matches: Map::new(), warnings: Vec::new(), found: Vec::new() }
    }

    fn percent(&mut self, asked: String) -> (String, Percent) {
        let mut ratio = Ratio::default();
        let fact = match self.table.index().find(&asked, &self.root) {
            Found::File(at, rule) => {
                self.found.push(at);
                ratio = self.table.rows[at].lines;
                self.matched(&asked, at, rule.name(), ratio)
            }
            Found::Ambiguous(places) => self.ambiguous(&asked, &places),
            Found::Absent => self.absent(&asked),
        };
        self.matches.insert(asked.clone(), fact);
        (asked, Percent(ratio.percent()))
    }

    fn matched(&mut self, asked: &str, at: usize, rule: &str, ratio: Ratio) -> Value {
        if ratio.found == 0 {
            self.warnings.push(format!("{asked} is in the report without an executable line"));
        }
        let path = &self.table.rows[at].path;
        json!({ "rule": rule, "file": path, "hit": ratio.hit, "found": ratio.found })
    }

    fn ambiguous(&mut self, asked: &str, places: &[usize]) -> Value {
        let names = self.names(places.iter().take(Self::SUGGESTED));
        self.warnings.push(format!(
            "{asked} fits {} files of the report equally well ({}); give a longer path",
            places.len(),
            names.join(", ")
        ));
        json!({ "rule": "ambiguous", "candidates": names })
    }

    fn absent(&mut self, asked: &str) -> Value {
        let nearest = if self.warnings.len() < Self::SUGGESTED {
            self.names(self.table.index().nearest(asked, 3).iter())
        } else {
            Vec::new()
        };
        let hint = if nearest.is_empty() {
            String::new()
        } else {
            format!("; the nearest are {}", nearest.join(", "))
        };
        self.warnings.push(format!("{asked} is not in the report, so it counts as 0{hint}"));
        json!({ "rule": "absent", "nearest": nearest })
    }

    fn names<'i>(&self, places: impl Iterator<Item = &'i usize>) -> Vec<String> {
        places.map(|at| self.table.rows[*at].path.clone()).collect()
    }

    fn report_on(self, remarks: &mut Remarks) {
        remarks.fact("matches", Value::Object(self.matches));
        self.warnings.into_iter().for_each(|warning| remarks.warn(warning));
    }
}
