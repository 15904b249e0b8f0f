//! `add_property`: has the campaign check one more thing.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use proofstone_evm::artifact::CompileError;
use proofstone_evm::campaign::{TestReport, TestStatus};
use proofstone_evm::property::PropertyError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::campaign;
use crate::desk::Desk;
use crate::run::{AddPropertyError, AddedProperty, Run};

/// The property to add
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "AddPropertyInput")]
pub(crate) struct Input {
    /// A Solidity expression that must be true, such as "totalSupply <= cap", or a whole function without
    /// parameters: returning bool it must be true, returning int256 it is made large, returning nothing it must
    /// not revert. It is compiled as part of a contract that inherits from the target, so it sees all but private
    /// names
    #[schemars(length(min = 1, max = 20_000))]
    property: String,
    /// The name of an expression's test; without it, added_1 and so on
    #[schemars(regex(pattern = r"^[a-zA-Z_$][a-zA-Z0-9_$]*$"))]
    name: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "AddPropertyOutput")]
pub(crate) struct Output {
    success: bool,
    message: String,
    /// The test's name
    name: String,
    /// holds, falsified or best
    status: &'static str,
    /// Sequences of the corpus that it was checked against
    checked_sequences: usize,
    /// Their transactions: it was asked after each
    checked_transactions: usize,
    /// Whether workers go on checking it
    checked_from_now_on: bool,
    /// The calls that falsify it; list_failures shows them executed
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<Vec<String>>,
    /// The best value so far, if it is to be made large
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

impl Output {
    fn of(run: &Run, added: AddedProperty) -> Self {
        let AddedProperty { name, addition, checked } = added;
        let test = run.campaign().tests().swap_remove(addition.test);
        let (status, value) = status_of(&test);
        let functions = &run.campaign().target().functions;
        let sequence =
            test.failure.map(|f| f.sequence.iter().map(|t| t.render(functions)).collect());
        let next = match (status, addition.runs) {
            ("falsified", _) => "list_failures shows the sequence executed",
            (_, true) => "the campaign goes on checking it",
            (_, false) => "the campaign is over, so nobody goes on checking it",
        };
        let message = format!(
            "`{name}` {status} over the {} sequences of the corpus; {next}",
            checked.sequences
        );
        Self {
            success: true,
            message,
            name,
            status,
            checked_sequences: checked.sequences,
            checked_transactions: checked.transactions,
            checked_from_now_on: addition.runs && status != "falsified",
            sequence,
            value,
        }
    }
}

fn status_of(test: &TestReport) -> (&'static str, Option<String>) {
    match &test.status {
        TestStatus::Holds => ("holds", None),
        TestStatus::Falsified => ("falsified", None),
        TestStatus::Best(value) => ("best", Some(value.to_string())),
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct AddProperty(pub(crate) Arc<Desk>);

impl Tool for AddProperty {
    const NAME: &'static str = "add_property";
    const TITLE: &'static str = "Check one more thing";
    const DESCRIPTION: &'static str = "Adds a property, written in Solidity as an expression or a function, to the \
        campaign: compiled with the target's compiler, checked against the whole corpus at once, then checked by \
        every worker after every call. Needs the target's sources and a compiler. What the compiler refuses is \
        answered in its own words.";
    const EFFECT: Effect = Effect::ADDS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(3));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let (desk, run) = (self.0.clone(), campaign(&self.0, cx).await?);
        cx.progress(0.0, None, Some("compiling the property"));
        cx.blocking(move |_| {
            let added = run.add_property(&input.property, input.name.as_deref(), desk.options())?;
            Ok(Output::of(&run, added).into())
        })
        .await?
    }
}

impl From<AddPropertyError> for Failure {
    fn from(error: AddPropertyError) -> Self {
        let said = error.to_string();
        match error {
            AddPropertyError::Property(PropertyError::Compile(problem)) => match problem {
                CompileError::Refused(_) => Self::invalid("/property", said),
                CompileError::NoCompiler { .. } => Self::refused("NO_COMPILER", said),
                CompileError::NoSource { .. } => Self::refused("NO_SOURCES", said),
                _ => Self::refused("COMPILER_FAILED", said),
            },
            AddPropertyError::Property(_) => Self::invalid("/property", said),
            AddPropertyError::Test(_) => Self::invalid("/name", said),
        }
    }
}
