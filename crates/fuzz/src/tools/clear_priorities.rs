//! `clear_priorities`: makes all functions equal again.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{PROMPT, campaign};
use crate::desk::Desk;

/// Reset prioritization set to empty (no parameters)
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ClearPrioritiesInput")]
pub(crate) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "ClearPrioritiesOutput")]
pub(crate) struct Output {
    success: bool,
    message: String,
    /// Number of functions that were prioritized
    #[schemars(range(min = 0))]
    cleared_count: usize,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ClearPriorities(pub(crate) Arc<Desk>);

impl Tool for ClearPriorities {
    const NAME: &'static str = "clear_priorities";
    const TITLE: &'static str = "Prefer no function";
    const DESCRIPTION: &'static str = "Empties the set of prioritized functions, so that all functions are \
        called equally often again. Returns how many were in it.";
    const EFFECT: Effect = Effect::SETS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, _input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        cx.blocking(move |_| {
            let cleared_count = run.clear_priorities();
            let message = format!("Cleared {cleared_count} prioritized functions");
            Output { success: true, message, cleared_count }.into()
        })
        .await
    }
}
