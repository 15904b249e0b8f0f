//! `inspect_corpus_transactions`: the corpus, page by page.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{Listed, PROMPT, campaign};
use crate::desk::Desk;

/// Paginated corpus transaction inspection
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "InspectCorpusInput")]
pub(crate) struct Input {
    /// Pagination offset
    #[serde(default)]
    #[schemars(range(min = 0))]
    offset: usize,
    /// Max transactions to return per page
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
}

fn twenty() -> usize {
    20
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "InspectCorpusOutput")]
pub(crate) struct Output {
    transactions: Vec<Listed>,
    /// Total corpus size
    total: i64,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct InspectCorpusTransactions(pub(crate) Arc<Desk>);

impl Tool for InspectCorpusTransactions {
    const NAME: &'static str = "inspect_corpus_transactions";
    const TITLE: &'static str = "Look through the corpus";
    const DESCRIPTION: &'static str = "Returns transactions of the corpus in the order of their index, which \
        never changes while the campaign goes on: call, sender, value and gas. Page with offset and limit; past \
        the end the page is empty.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        let corpus = run.campaign().corpus();
        let total = corpus.transactions();
        let page = input.offset.min(total)..input.offset.saturating_add(input.limit).min(total);
        let transactions = page.filter_map(|index| corpus.transaction(index));
        let transactions = transactions.map(|listed| Listed::of(&run, &listed)).collect();
        Ok(Output { transactions, total: total as i64 }.into())
    }
}
