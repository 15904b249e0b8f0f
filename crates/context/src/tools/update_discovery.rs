//! `update_discovery`: correct, confirm or take back what was learned.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record_discovery::Kind;
use super::shown::ShownDiscovery;
use crate::memory::Changes;
use crate::project::Project;

/// What is to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The discovery's id, or at least six characters of its beginning
    #[schemars(length(min = 6, max = 64))]
    id: String,
    /// New words: a new discovery supersedes the old one, which stays readable
    #[schemars(length(min = 10, max = 1000))]
    content: Option<String>,
    /// Another sort
    r#type: Option<Kind>,
    /// Another module
    module: Option<String>,
    /// Take it back: it stays on record and is no longer found
    #[serde(default)]
    withdraw: bool,
    /// It still holds: take the code it is about as it is now
    #[serde(default)]
    confirm: bool,
}

/// What it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The discovery as it is now
    discovery: ShownDiscovery,
}

/// The tool.
pub(super) struct UpdateDiscovery(pub(super) Arc<Project>);

impl Tool for UpdateDiscovery {
    const NAME: &'static str = "update_discovery";
    const TITLE: &'static str = "Correct what was learned";
    const DESCRIPTION: &'static str = "Correct, confirm or take back a discovery. Nothing is deleted: new words supersede the old discovery, and one that is \
        taken back stays on record.";
    const EFFECT: Effect = Effect::SETS;

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let changes = Changes {
            content: input.content,
            kind: input.r#type.map(Into::into),
            module: input.module,
            withdraw: input.withdraw,
            confirm: input.confirm,
        };
        let (project, id) = (Arc::clone(&self.0), input.id);
        let discovery = cx
            .blocking(move |_| {
                Ok::<_, Failure>(project.memory()?.update(project.root(), &id, changes)?)
            })
            .await??;
        Ok(Output { discovery: discovery.into() }.into())
    }
}
