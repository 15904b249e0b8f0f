//! `execute_sequence`: tries a sequence now, without touching the campaign.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{Call, Executed, Wanted, campaign, default_sender, default_value, rejected};
use crate::desk::Desk;

/// The sequence to try
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ExecuteSequenceInput")]
pub(crate) struct Input {
    /// Ordered list of function calls, as inject_transaction takes them; ? stands for zero here
    #[schemars(length(min = 1, max = 100))]
    sequence: Vec<Call>,
    /// Transaction sender address
    #[serde(default = "default_sender")]
    #[schemars(regex(pattern = r"^0x[0-9a-fA-F]{40}$"))]
    sender: String,
    /// ETH value in wei (decimal string), sent with every call
    #[serde(default = "default_value")]
    #[schemars(regex(pattern = r"^[0-9]+$"))]
    value: String,
    /// Show the calls, events and results inside each transaction
    #[serde(default = "yes")]
    trace: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "ExecuteSequenceOutput")]
pub(crate) struct Output {
    success: bool,
    message: String,
    /// What each call did
    transactions: Vec<Executed>,
    /// Tests that fail after the sequence
    falsified: Vec<String>,
    /// Time of the last block
    final_timestamp: String,
    /// Number of the last block
    final_block_number: String,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ExecuteSequence(pub(crate) Arc<Desk>);

impl Tool for ExecuteSequence {
    const NAME: &'static str = "execute_sequence";
    const TITLE: &'static str = "Try a sequence";
    const DESCRIPTION: &'static str = "Runs a sequence of calls from the initial state on a machine of its own and \
        tells what each did: result or revert reason, events, variables changed by name, the decoded trace, and \
        which tests fail afterwards. The campaign does not notice; inject_transaction puts the sequence in.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        let wanted = Wanted::read(input.sequence, &input.sender, &input.value)?;
        cx.blocking(move |_| {
            let campaign = run.campaign();
            let sequence = campaign
                .parse_sequence(&wanted.calls, wanted.sender, wanted.value)
                .map_err(rejected)?;
            let execution = campaign.execute(&sequence);
            let failed = execution.steps.iter().filter(|step| !step.success).count();
            let steps = sequence.iter().zip(&execution.steps);
            let output = Output {
                success: true,
                message: format!(
                    "{} calls, {failed} reverted, {} tests fail afterwards",
                    sequence.len(),
                    execution.falsified.len()
                ),
                transactions: steps.map(|(t, step)| Executed::of(t, step, input.trace)).collect(),
                falsified: execution.falsified,
                final_timestamp: execution.timestamp.to_string(),
                final_block_number: execution.block_number.to_string(),
            };
            Ok(output.into())
        })
        .await?
    }
}
