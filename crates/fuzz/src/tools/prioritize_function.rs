//! `prioritize_function`: gives nine calls of ten to a function.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{PROMPT, campaign};
use crate::desk::Desk;

/// Add function to prioritization set (90% weighting, Clarification #2)
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "PrioritizeFunctionInput")]
pub(crate) struct Input {
    /// Canonical ABI function signature (no spaces)
    #[schemars(
        regex(pattern = r"^[a-zA-Z_][a-zA-Z0-9_]*\([^)]*\)$"),
        extend("examples" = ["transfer(address,uint256)", "approve(address,uint256)", "depositETH()"])
    )]
    function_signature: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "PrioritizeFunctionOutput")]
pub(crate) struct Output {
    success: bool,
    message: String,
    /// Current set of prioritized functions
    prioritized_functions: Vec<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct PrioritizeFunction(pub(crate) Arc<Desk>);

impl Tool for PrioritizeFunction {
    const NAME: &'static str = "prioritize_function";
    const TITLE: &'static str = "Prefer a function";
    const DESCRIPTION: &'static str = "Adds a function, by its signature, to the set that gets nine of ten \
        executed calls; the tenth still explores all others. Use it when a function matters or is rarely \
        reached. clear_priorities makes all equal again.";
    const EFFECT: Effect = Effect::SETS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        let signature: String = input.function_signature.split_whitespace().collect();
        cx.blocking(move |_| {
            let done = run.prioritize(&signature);
            let mut message = format!("Prioritized function '{signature}'");
            if !done.known {
                let functions = run.campaign().target().functions.iter();
                let known: Vec<_> = functions.map(|f| f.function.signature.as_str()).collect();
                let (contract, known) = (run.contract(), known.join(", "));
                message = format!(
                    "{message}; warning: {contract} has no such function, so this has no effect; there are: {known}"
                );
            }
            if run.campaign().workers() == 0 {
                message += "; warning: the campaign is over, so this has no effect";
            }
            let output = Output { success: true, message, prioritized_functions: done.functions };
            Answer::new(output).meta("epoch", done.epoch)
        })
        .await
    }
}
