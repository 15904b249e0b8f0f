//! `sample_function`: what calls of one function come to.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::campaign;
use crate::desk::Desk;
use crate::run::Run;
use crate::sample::{Results, Sample};

/// The function
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "SampleFunctionInput")]
pub(crate) struct Input {
    /// Signature or bare name; case does not matter
    function: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "SampleFunctionOutput")]
pub(crate) struct Output {
    success: bool,
    message: String,
    /// Signatures that the name fits
    functions: Vec<String>,
    /// Calls in the whole campaign
    calls: u64,
    /// Of those, reverted
    reverts: u64,
    /// Calls executed again for what follows
    sampled: usize,
    /// Why calls of the sample reverted, the most frequent first
    revert_reasons: Vec<Revert>,
    /// What calls of the sample returned, in the order of the results
    results: Vec<Values>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Revert {
    reason: String,
    count: usize,
    /// A call that reverts so
    example: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Values {
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<String>,
    /// Some of the values
    examples: Vec<String>,
}

impl From<Results> for Values {
    fn from(results: Results) -> Self {
        let (min, max) = results.range.unzip();
        Self {
            min: min.map(|n| n.to_string()),
            max: max.map(|n| n.to_string()),
            examples: results.examples,
        }
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct SampleFunction(pub(crate) Arc<Desk>);

impl Tool for SampleFunction {
    const NAME: &'static str = "sample_function";
    const TITLE: &'static str = "What calls of a function come to";
    const DESCRIPTION: &'static str = "Tells how often a function was called and reverted, and executes a sample of \
        its calls again from states of the corpus: why they revert, with an example of each reason, and the range \
        of what they return. Use it to see why a function never gets anywhere.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        let name: String = input.function.split_whitespace().collect();
        cx.blocking(move |stop| {
            let functions = known(&run, &name)?;
            let sample = Sample::take(&run, &functions, || stop.requested());
            Ok(Output::of(&run, &functions, sample).into())
        })
        .await?
    }
}

fn known(run: &Run, name: &str) -> Result<Vec<usize>, Failure> {
    let functions = run.campaign().matching(name);
    if functions.is_empty() {
        let all = run.campaign().target().functions.iter();
        let all: Vec<_> = all.map(|f| f.function.signature.clone()).collect();
        let said = format!("no function `{name}` is called here; there are: {}", all.join(", "));
        return Err(Failure::invalid("/function", said).detail("functions", all));
    }
    Ok(functions)
}

impl Output {
    fn of(run: &Run, functions: &[usize], sample: Sample) -> Self {
        let counts = run.campaign().snapshot().functions;
        let calls = functions.iter().map(|f| counts[*f].calls).sum();
        let reverts = functions.iter().map(|f| counts[*f].reverts).sum();
        let all = &run.campaign().target().functions;
        let mut reasons: Vec<Revert> = sample
            .reasons
            .into_iter()
            .map(|(reason, (count, example))| Revert { reason, count, example })
            .collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        Self {
            success: true,
            message: format!(
                "{calls} calls, {reverts} reverted; {} executed again",
                sample.executed
            ),
            functions: functions.iter().map(|f| all[*f].function.signature.clone()).collect(),
            calls,
            reverts,
            sampled: sample.executed,
            revert_reasons: reasons,
            results: sample.results.into_iter().map(Values::from).collect(),
        }
    }
}
