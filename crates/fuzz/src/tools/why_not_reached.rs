//! `why_not_reached`: what a line or a function waits for.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use proofstone_evm::source::{Closest, Frontier};
use proofstone_evm::vm::Operator;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::campaign;
use crate::desk::Desk;
use crate::run::Run;
use crate::unreached::{Place, PlaceUnknown, locate, nearest};

/// The place that is not reached: a line, or a function
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "WhyNotReachedInput")]
pub(crate) struct Input {
    /// The source file, as in the LCOV report; not needed if there is only one
    file: Option<String>,
    /// The line
    #[schemars(range(min = 1))]
    line: Option<usize>,
    /// A function, by name or Contract.name
    function: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "WhyNotReachedOutput")]
pub(crate) struct Output {
    success: bool,
    /// The answer in words
    message: String,
    reached: bool,
    file: String,
    line: usize,
    /// How often the line ran
    hits: u64,
    /// The function around it
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// How often that was entered
    #[serde(skip_serializing_if = "Option::is_none")]
    function_hits: Option<u64>,
    /// Conditions that only ever went one way, the nearest first
    conditions: Vec<OneWay>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OneWay {
    file: String,
    line: usize,
    /// As it is written
    condition: String,
    /// What it would have to be
    wanted: bool,
    /// How often it was the other
    evaluated: u64,
    /// How close the corpus came
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<Near>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Near {
    /// One operand of the comparison
    left: String,
    /// The other
    right: String,
    /// equal, unsigned order or signed order
    comparison: &'static str,
    /// How far they are apart
    difference: String,
    /// The calls that brought them, to start from
    sequence: Vec<String>,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct WhyNotReached(pub(crate) Arc<Desk>);

impl Tool for WhyNotReached {
    const NAME: &'static str = "why_not_reached";
    const TITLE: &'static str = "Why is this not reached?";
    const DESCRIPTION: &'static str = "Tells why the campaign has not reached a line or a function: the nearest \
        conditions that only ever went one way, what each would have to be, the operands that came closest and \
        the calls that brought them. Use the answer to write a sequence for inject_transaction.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        cx.blocking(move |_| {
            let coverage = run.campaign().coverage();
            let place =
                locate(&coverage, input.file.as_deref(), input.line, input.function.as_deref())?;
            let open = if place.hits > 0 {
                Vec::new()
            } else {
                nearest(&coverage, &place, run.campaign().frontiers())
            };
            Ok(Output::of(&run, place, &open).into())
        })
        .await?
    }
}

impl From<PlaceUnknown> for Failure {
    fn from(error: PlaceUnknown) -> Self {
        let pointer = match error {
            PlaceUnknown::File { .. } | PlaceUnknown::Files { .. } => "/file",
            PlaceUnknown::Line { .. } => "/line",
            PlaceUnknown::Function { .. } => "/function",
            PlaceUnknown::Nothing => "",
        };
        Self::invalid(pointer, error.to_string())
    }
}

impl Output {
    fn of(run: &Run, place: Place, open: &[Frontier]) -> Self {
        let conditions: Vec<_> = open.iter().map(|frontier| OneWay::of(run, frontier)).collect();
        let Place { file, line, hits, function } = place;
        let message = match (hits, conditions.first()) {
            (1.., _) => format!("{file}:{line} was reached {hits} times"),
            (0, Some(c)) => format!(
                "{file}:{line} was not reached: `{}` on line {} was never {} in {} tries",
                c.condition, c.line, c.wanted, c.evaluated
            ),
            (0, None) => format!(
                "{file}:{line} was not reached, and no condition before it went only one way: the code may be \
                 dead, or the function never called with success (see campaign_status)"
            ),
        };
        let (function, function_hits) = function.unzip();
        Self {
            success: true,
            message,
            reached: hits > 0,
            file,
            line,
            hits,
            function,
            function_hits,
            conditions,
        }
    }
}

impl OneWay {
    fn of(run: &Run, frontier: &Frontier) -> Self {
        Self {
            file: frontier.file.clone(),
            line: frontier.line,
            condition: frontier.condition.clone(),
            wanted: frontier.wanted,
            evaluated: frontier.evaluated,
            closest: frontier.closest.as_ref().map(|closest| Near::of(run, closest)),
        }
    }
}

impl Near {
    fn of(run: &Run, closest: &Closest) -> Self {
        let corpus = run.campaign().corpus();
        let functions = &run.campaign().target().functions;
        let calls = corpus.entries().get(closest.entry).map(|entry| {
            let upto = entry.sequence.iter().take(closest.position + 1);
            upto.map(|t| t.render(functions)).collect()
        });
        Self {
            left: closest.left.to_string(),
            right: closest.right.to_string(),
            comparison: match closest.operator {
                Operator::Equal => "equal",
                Operator::Unsigned => "unsigned order",
                Operator::Signed => "signed order",
            },
            difference: closest.left.abs_diff(closest.right).to_string(),
            sequence: calls.unwrap_or_default(),
        }
    }
}
