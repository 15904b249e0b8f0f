//! `find_references`: where a name is used, as far as syntax can tell.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failures::grep_refused;
use crate::project::{Project, leaving_time};
use crate::symbols::references;
use crate::tracker::Event;

/// Which name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The name, as written in the code; case counts
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// Maximum number of places to return
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
}

fn default_limit() -> u32 {
    100
}

/// Where it stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// Lines where the name stands, by path and line
    references: Vec<ShownReference>,
    /// How many lines there are in all
    total_found: u64,
    /// How this was found out, and what it can't tell
    precision: &'static str,
    /// Said when the time was up before every file was searched
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<&'static str>,
}

/// One line.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownReference {
    /// The file, relative to the project root
    file: String,
    /// Line, 1-based
    line: u64,
    /// Column, 1-based
    column: u64,
    /// definition, import, call, use or mention (a comment)
    kind: &'static str,
    /// The line
    text: String,
}

/// The tool.
pub(super) struct FindReferences(pub(super) Arc<Project>);

impl Tool for FindReferences {
    const NAME: &'static str = "find_references";
    const TITLE: &'static str = "Find uses of a name";
    const DESCRIPTION: &'static str = "Every line where a name stands as a whole word, sorted into definitions, imports, calls, uses and mentions. \
        Told from syntax, without types: different things of the same name are not told apart.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_secs(15)).concurrent(4);

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        project.track(Event::Called);
        let (found, total_found, complete) = cx
            .blocking(move |stop| {
                let (index, _) = project.fresh_index(leaving_time(stop.deadline()), &|_| {})?;
                let found = references(
                    project.root(),
                    &index.view(),
                    &input.name,
                    input.limit as usize,
                    stop.deadline(),
                );
                found.map_err(|error| grep_refused(error, &input.name))
            })
            .await??;
        let references = found.into_iter().map(|r| ShownReference {
            file: r.path,
            line: r.line,
            column: r.column,
            kind: r.kind,
            text: r.text,
        });
        Ok(Output {
            references: references.collect(),
            total_found,
            precision: "whole words in text files, classified by syntax; without types, names are not told apart",
            incomplete: (!complete).then_some("the time was up before every file was searched: totalFound is a lower bound"),
        }
        .into())
    }
}
