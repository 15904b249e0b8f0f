//! `list_discoveries`: what was learned so far.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record_discovery::Kind;
use super::shown::ShownDiscovery;
use crate::memory::{Filter, Status};
use crate::project::Project;

/// Which ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    /// Only this sort
    r#type: Option<Kind>,
    /// Only about this module
    module: Option<String>,
    /// Only with this status
    #[serde(default)]
    status: WantedStatus,
    /// Only those whose code changed or is gone
    #[serde(default)]
    suspect_only: bool,
    /// Maximum number to return
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
}

fn default_limit() -> u32 {
    50
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum WantedStatus {
    #[default]
    Active,
    Superseded,
    Withdrawn,
    Any,
}

/// The discoveries.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// Newest first
    discoveries: Vec<ShownDiscovery>,
    /// How many there are in all
    total_found: usize,
    /// What had to be done to open the memory
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// The tool.
pub(super) struct ListDiscoveries(pub(super) Arc<Project>);

impl Tool for ListDiscoveries {
    const NAME: &'static str = "list_discoveries";
    const TITLE: &'static str = "List what was learned";
    const DESCRIPTION: &'static str = "The patterns, rules, decisions and issues recorded for this project, with where they came from and whether the code \
        they are about is still as it was.";
    const EFFECT: Effect = Effect::READS;

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        let output = cx.blocking(move |_| {
            let memory = project.memory()?;
            let status = match input.status {
                WantedStatus::Active | WantedStatus::Any => None,
                WantedStatus::Superseded => Some(Status::Superseded),
                WantedStatus::Withdrawn => Some(Status::Withdrawn),
            };
            let any_status = matches!(input.status, WantedStatus::Any);
            let filter = Filter {
                kind: input.r#type.map(Into::into),
                module: input.module,
                status,
                any_status,
            };
            let mut found = memory.discoveries(project.root(), &filter)?;
            found.retain(|d| {
                !input.suspect_only
                    || d.anchor_state
                        .is_some_and(|state| state != crate::memory::AnchorState::Holds)
            });
            let total_found = found.len();
            let discoveries =
                found.into_iter().take(input.limit as usize).map(ShownDiscovery::from).collect();
            Ok::<_, Failure>(Output { discoveries, total_found, notes: memory.notes().to_vec() })
        });
        Ok(output.await??.into())
    }
}
