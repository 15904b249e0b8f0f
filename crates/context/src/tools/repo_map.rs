//! `repo_map`: the most connected definitions of a project, within a token budget.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::map::{MappedFile, map};
use crate::project::{Project, leaving_time};
use crate::tracker::Event;

/// What to map.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    /// About how many tokens the map may take
    #[serde(default = "default_budget")]
    #[schemars(range(min = 100, max = 20000))]
    budget_tokens: u32,
    /// Only this module or folder
    module: Option<String>,
    /// Files you are working on: what they use comes first
    #[serde(default)]
    focus: Vec<String>,
}

fn default_budget() -> u32 {
    2000
}

/// The map.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// The map as text: files, most connected first, each with the definitions others use
    map: String,
    /// Files on the map
    files: usize,
    /// Files that had something to show but no room
    left_out: usize,
    /// About how many tokens it takes
    tokens: usize,
    /// Said when only a part of the project is indexed
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
}

/// The tool.
pub(super) struct RepoMap(pub(super) Arc<Project>);

impl Tool for RepoMap {
    const NAME: &'static str = "repo_map";
    const TITLE: &'static str = "Map the project";
    const DESCRIPTION: &'static str = "The most connected definitions of the project within a token budget: which files others depend on, and what \
        they define. The quickest way to get to know a codebase.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_secs(30)).concurrent(2);

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        project.track(Event::Called);
        let budget = input.budget_tokens as usize;
        let (files, ready) = cx
            .blocking(move |stop| {
                let (index, ready) = project.fresh_index(leaving_time(stop.deadline()), &|_| {})?;
                Ok::<_, Failure>((map(&index.view(), input.module.as_deref(), &input.focus), ready))
            })
            .await??;
        let (text, shown) = draw(&files, budget);
        let incomplete = (!ready.complete)
            .then(|| format!("{} of {} files are indexed so far", ready.searchable, ready.files));
        Ok(Output {
            tokens: text.len() / 4,
            map: text,
            files: shown,
            left_out: files.len() - shown,
            incomplete,
        }
        .into())
    }
}

/// Writes files until the budget is used, four characters counting as a token.
pub(crate) fn draw(files: &[MappedFile], budget: usize) -> (String, usize) {
    let mut text = String::new();
    for (count, file) in files.iter().enumerate() {
        let mut block = format!("{}\n", file.path);
        let mut definitions: Vec<_> = file.definitions.iter().collect();
        definitions.sort_by_key(|d| std::cmp::Reverse(d.used_by));
        definitions.truncate(12);
        definitions.sort_by_key(|d| d.definition.start_line);
        for d in definitions {
            let kind = d.definition.kind.name();
            let _ = writeln!(
                block,
                "  {:>5}  {kind} {}  (used in {} files)",
                d.definition.start_line, d.definition.name, d.used_by
            );
        }
        if (text.len() + block.len()) / 4 > budget {
            return (text, count);
        }
        text.push_str(&block);
    }
    (text, files.len())
}
