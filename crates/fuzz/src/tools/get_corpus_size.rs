//! `get_corpus_size`: how many transactions were worth keeping.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{PROMPT, campaign};
use crate::desk::Desk;

/// Get transaction count in corpus (no parameters)
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "GetCorpusSizeInput")]
pub(crate) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "GetCorpusSizeOutput")]
pub(crate) struct Output {
    /// Number of transactions in corpus
    #[schemars(range(min = 0))]
    size: usize,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetCorpusSize(pub(crate) Arc<Desk>);

impl Tool for GetCorpusSize {
    const NAME: &'static str = "get_corpus_size";
    const TITLE: &'static str = "Size of the corpus";
    const DESCRIPTION: &'static str = "Returns the number of transactions in the corpus, over all sequences \
        that reached something new or were injected. If it no longer grows, the campaign is stuck: see \
        why_not_reached.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, _input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        Ok(Output { size: run.campaign().corpus().transactions() }.into())
    }
}
