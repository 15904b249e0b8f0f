//! `list_failures`: what the campaign broke, and how to repeat it.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use proofstone_evm::campaign::{Failure as Broken, TestReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{Executed, campaign};
use crate::desk::Desk;
use crate::run::Run;

/// What to show
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "ListFailuresInput")]
pub(crate) struct Input {
    /// Only this test, by name
    property: Option<String>,
    /// Show the calls, events and results inside each transaction
    #[serde(default = "yes")]
    trace: bool,
    /// Write a Foundry test that repeats it
    #[serde(default = "yes")]
    foundry_test: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ListFailuresOutput")]
pub(crate) struct Output {
    success: bool,
    message: String,
    failures: Vec<Shown>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// The test
    property: String,
    /// The best value, if it is an optimization
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Whether shrinking is over; if not, a shorter sequence may follow
    shrunk: bool,
    /// The worker that found it
    worker_id: usize,
    /// Calls of the sequence as it was found, before shrinking
    found_calls: usize,
    /// The shortest sequence, executed again
    sequence: Vec<Executed>,
    /// Tests that fail after the sequence
    falsified: Vec<String>,
    /// A Foundry test that repeats it
    #[serde(skip_serializing_if = "Option::is_none")]
    foundry_test: Option<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ListFailures(pub(crate) Arc<Desk>);

impl Tool for ListFailures {
    const NAME: &'static str = "list_failures";
    const TITLE: &'static str = "What broke";
    const DESCRIPTION: &'static str = "Lists the falsified tests, each with the shortest sequence of calls that \
        breaks it, executed again: results, events, variables changed by name, the decoded trace, and a Foundry \
        test that repeats it.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        cx.blocking(move |_| list(&run, &input)).await?
    }
}

fn list(run: &Run, input: &Input) -> Result<Answer<Output>, Failure> {
    let tests = run.campaign().tests();
    if let Some(name) = &input.property
        && !tests.iter().any(|test| test.name == *name)
    {
        let known: Vec<_> = tests.iter().map(|test| test.name.clone()).collect();
        let said = format!("there is no test `{name}`; there are: {}", known.join(", "));
        return Err(Failure::invalid("/property", said).detail("tests", known));
    }
    let wanted = tests.iter().filter(|t| input.property.as_ref().is_none_or(|n| *n == t.name));
    let broken = wanted.filter_map(|test| Some((test, test.failure.as_ref()?)));
    let failures: Vec<Shown> =
        broken.map(|(test, failure)| Shown::of(run, input, test, failure)).collect();
    let over = if run.campaign().is_finished() { "" } else { "; the campaign is still running" };
    let message = format!("{} of {} tests broken{over}", failures.len(), tests.len());
    Ok(Output { success: true, message, failures }.into())
}

impl Shown {
    fn of(run: &Run, input: &Input, test: &TestReport, failure: &Broken) -> Self {
        let execution = run.campaign().execute(&failure.sequence);
        let steps = failure.sequence.iter().zip(&execution.steps);
        Self {
            property: test.name.clone(),
            value: failure.value.map(|value| value.to_string()),
            shrunk: failure.shrunk,
            worker_id: failure.worker,
            found_calls: failure.found.len(),
            sequence: steps.map(|(t, step)| Executed::of(t, step, input.trace)).collect(),
            falsified: execution.falsified,
            foundry_test: input.foundry_test.then(|| run.campaign().foundry_test(failure)),
        }
    }
}
