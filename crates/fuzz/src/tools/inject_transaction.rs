//! `inject_transaction`: has every worker run a sequence, keep it and go on from it.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{Call, PROMPT, Wanted, campaign, default_sender, default_value, rejected};
use crate::desk::Desk;

/// Inject transaction sequence to all workers (Clarification #5)
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "InjectTransactionInput")]
pub(crate) struct Input {
    /// Ordered list of function calls
    #[schemars(length(min = 1, max = 100))]
    sequence: Vec<Call>,
    /// Transaction sender address
    #[serde(default = "default_sender")]
    #[schemars(regex(pattern = r"^0x[0-9a-fA-F]{40}$"))]
    sender: String,
    /// ETH value in wei (decimal string)
    #[serde(default = "default_value")]
    #[schemars(regex(pattern = r"^[0-9]+$"))]
    value: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "InjectTransactionOutput")]
pub(crate) struct Output {
    success: bool,
    /// Human-readable result
    message: String,
    /// Number of transactions injected
    #[schemars(range(min = 0))]
    injected_count: usize,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct InjectTransaction(pub(crate) Arc<Desk>);

impl Tool for InjectTransaction {
    const NAME: &'static str = "inject_transaction";
    const TITLE: &'static str = "Put a sequence in";
    const DESCRIPTION: &'static str = "Has every worker run a sequence of calls from the initial state, keep \
        it in the corpus and mutate it further: the way to lead the campaign to a place that it does not find by \
        itself. Calls are written as in Solidity and typed by the ABI: transfer(0x…, 100); negative numbers, \
        \"strings\", 0x-bytes, [arrays] and structs as [..] too; ? lets the fuzzer choose an argument. One call \
        that is wrong rejects all, and the error names it. sender and value apply to every call.";
    const EFFECT: Effect = Effect::ADDS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        let wanted = Wanted::read(input.sequence, &input.sender, &input.value)?;
        cx.blocking(move |_| {
            let done = run.inject(&wanted.calls, wanted.sender, wanted.value).map_err(rejected)?;
            let (count, workers) = (done.transactions, done.workers);
            let message = format!("Injected {count} transactions to {workers} workers");
            let output = Output { success: true, message, injected_count: count };
            Ok(Answer::new(output).meta("epoch", done.epoch))
        })
        .await?
    }
}
