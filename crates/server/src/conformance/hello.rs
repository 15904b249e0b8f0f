//! `hello`: a typed tool like any other, for measuring what the layers around a tool cost.

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whom to greet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A name.
    #[schemars(length(min = 1, max = 64), regex(pattern = "^[A-Za-z ]+$"))]
    name: String,
    /// How often.
    #[schemars(range(min = 1, max = 10))]
    times: u32,
}

/// The greeting.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    greeting: String,
}

/// The tool.
#[derive(Debug)]
pub(super) struct Hello;

impl Tool for Hello {
    const NAME: &'static str = "hello";
    const TITLE: &'static str = "Hello";
    const DESCRIPTION: &'static str = "Greets somebody.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let greeting = format!("Hello, {}! ", input.name).repeat(input.times as usize);
        Ok(Output { greeting }.into())
    }
}
