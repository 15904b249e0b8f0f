//! `related_files`: files that go with a file.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failures::path_refused;
use super::shown::from_what_is_ready;
use crate::project::{Project, leaving_time};
use crate::related::related;
use crate::tracker::Event;

/// Which file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// File path relative to project root
    #[schemars(length(min = 1))]
    path: String,
    /// Maximum number of files to return
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

fn default_limit() -> u32 {
    20
}

/// What goes with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The file asked about
    path: String,
    /// Files that go with it, closest first
    files: Vec<ShownRelated>,
}

/// A related file.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownRelated {
    /// Path relative to the project root
    path: String,
    /// imports, imported-by, test, tested-by-it, or changes-with and in how many commits
    reasons: Vec<String>,
}

/// The tool.
pub(super) struct RelatedFiles(pub(super) Arc<Project>);

impl Tool for RelatedFiles {
    const NAME: &'static str = "related_files";
    const TITLE: &'static str = "Files that go with a file";
    const DESCRIPTION: &'static str = "Files that go with a file: what it imports, what imports it, its tests, and what changes in the same commits.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_secs(20)).concurrent(4);

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        project.track(Event::Called);
        let output = cx.blocking(move |stop| {
            let path = project
                .root()
                .open_file(&input.path)
                .map_err(|error| path_refused(&error))?
                .resolved()
                .to_owned();
            let (index, ready) = project.fresh_index(leaving_time(stop.deadline()), &|_| {})?;
            let found = related(project.root(), &index.view(), &path, input.limit as usize);
            let files = found
                .into_iter()
                .map(|r| ShownRelated { path: r.path, reasons: r.reasons })
                .collect();
            Ok::<_, Failure>((Output { path, files }, ready))
        });
        let (output, ready) = output.await??;
        Ok(from_what_is_ready(output, ready))
    }
}
