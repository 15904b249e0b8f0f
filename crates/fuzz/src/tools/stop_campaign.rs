//! `stop_campaign`: ends the campaign and keeps what it found.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::campaign;
use crate::desk::Desk;

/// How to end (no parameters)
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "StopCampaignInput")]
pub(crate) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "StopCampaignOutput")]
pub(crate) struct Output {
    success: bool,
    message: String,
    /// Calls executed
    calls: u64,
    /// Transactions in the corpus
    corpus_size: usize,
    /// Where it is kept
    corpus_dir: String,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct StopCampaign(pub(crate) Arc<Desk>);

impl Tool for StopCampaign {
    const NAME: &'static str = "stop_campaign";
    const TITLE: &'static str = "Stop fuzzing";
    const DESCRIPTION: &'static str = "Ends the running campaign, shrinking included. What it found is kept: all \
        tools that watch still answer, and the next campaign on the contract begins with the saved corpus.";
    const EFFECT: Effect = Effect::SETS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, _input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        cx.blocking(move |_| {
            let was_over = run.campaign().is_finished();
            if !was_over {
                run.stop();
            }
            let over = run.campaign().wait_for(Duration::from_secs(30));
            let said = match (was_over, over) {
                (true, _) => "The campaign was over already",
                (false, true) => "Stopped the campaign",
                (false, false) => "The campaign is stopping; its workers finish their epoch",
            };
            let snapshot = run.campaign().snapshot();
            Output {
                success: true,
                message: format!("{said}, after {} calls", snapshot.calls),
                calls: snapshot.calls,
                corpus_size: snapshot.corpus_transactions,
                corpus_dir: run.folder().display().to_string(),
            }
            .into()
        })
        .await
    }
}
