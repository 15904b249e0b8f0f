//! `find_symbol`: where a name is defined.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::project::{Project, leaving_time};
use crate::symbols::{Symbol, definitions};
use crate::tracker::Event;

/// Which name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The name of a function, type, constant or section; `Type.method` and `module::name` work too
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// Maximum number of definitions to return
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

fn default_limit() -> u32 {
    20
}

/// Where it is defined.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// Definitions: the exact name first, then other case, then names that contain it
    symbols: Vec<ShownSymbol>,
    /// How many there are in all
    total_found: usize,
    /// Said when nothing was found or only a part of the project is indexed
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// A definition.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownSymbol {
    /// Its name
    name: String,
    /// function, method, class, interface, struct, enum, type, module, constant, variable, macro, implementation or section
    kind: &'static str,
    /// The file, relative to the project root
    file: String,
    /// First line, 1-based
    start_line: u32,
    /// Last line, 1-based
    end_line: u32,
    /// The definition around it
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
}

impl From<Symbol> for ShownSymbol {
    fn from(s: Symbol) -> Self {
        let d = s.definition;
        Self {
            name: d.name,
            kind: d.kind.name(),
            file: s.path,
            start_line: d.start_line,
            end_line: d.end_line,
            container: s.container,
        }
    }
}

/// The tool.
pub(super) struct FindSymbol(pub(super) Arc<Project>);

impl Tool for FindSymbol {
    const NAME: &'static str = "find_symbol";
    const TITLE: &'static str = "Find a definition";
    const DESCRIPTION: &'static str = "Where a name is defined, across 20 languages: functions, types, constants, Markdown sections. \
        Told from syntax: definitions made by macros or at run time are not seen.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_secs(10));

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        project.track(Event::Called);
        let (symbols, total_found, ready) = cx
            .blocking(move |stop| {
                let (index, ready) = project.fresh_index(leaving_time(stop.deadline()), &|_| {})?;
                let (symbols, total) =
                    definitions(&index.view(), &input.name, input.limit as usize);
                Ok::<_, Failure>((symbols, total, ready))
            })
            .await??;
        let message = match (ready.complete, total_found) {
            (false, _) => {
                Some(format!("{} of {} files are indexed so far", ready.searchable, ready.files))
            }
            (true, 0) => Some(format!(
                "No definition found in {} files; grep_codebase finds mentions",
                ready.searchable
            )),
            _ => None,
        };
        Ok(Output {
            symbols: symbols.into_iter().map(ShownSymbol::from).collect(),
            total_found,
            message,
        }
        .into())
    }
}
