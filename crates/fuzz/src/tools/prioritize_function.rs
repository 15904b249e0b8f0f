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
        executed calls; the tenth still explores all others. A struct is written `tuple`: \
        `place(tuple[],bytes)`. Use it when a function matters or is rarely reached. clear_priorities makes all \
        equal again.";
    const EFFECT: Effect = Effect::SETS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        let written: String = input.function_signature.split_whitespace().collect();
        cx.blocking(move |_| {
            let functions = || run.campaign().target().functions.iter().map(|f| &f.function.signature);
            let signature = functions().find(|known| with_tuples(known) == written);
            let signature = signature.unwrap_or(&written);
            let done = run.prioritize(signature);
            let mut message = format!("Prioritized function '{signature}'");
            if !done.known {
                let known: Vec<_> = functions().map(|known| with_tuples(known)).collect();
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

/// A signature as the contract's expression takes it: `place((address,uint96)[],bytes)` has brackets within its
/// brackets and is written `place(tuple[],bytes)`.
fn with_tuples(signature: &str) -> String {
    let (mut written, mut depth) = (String::new(), 0_usize);
    for letter in signature.chars() {
        depth -= usize::from(letter == ')' && depth > 0);
        if depth <= 1 && !(depth == 1 && matches!(letter, '(' | ')')) {
            written.push(letter);
        }
        if letter == '(' {
            if depth == 1 {
                written.push_str("tuple");
            }
            depth += 1;
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::with_tuples;

    #[test]
    fn structs_are_written_as_tuples() {
        let written =
            ["f()", "place((address,uint96)[],bytes)", "a((uint256,(bool,int8)[2])[],(int8))"];
        let expected = ["f()", "place(tuple[],bytes)", "a(tuple[],tuple)"];
        assert_eq!(written.map(with_tuples), expected);
    }
}
