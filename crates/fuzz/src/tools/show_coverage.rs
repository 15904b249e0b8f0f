//! `show_coverage`: how much of each contract was executed.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use proofstone_evm::source::{ContractCoverage, Coverage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{PROMPT, campaign};
use crate::desk::Desk;

/// Retrieve line and branch coverage statistics
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ShowCoverageInput")]
pub(crate) struct Input {
    /// Filter by contract name (optional)
    contract: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "ShowCoverageOutput")]
pub(crate) struct Output {
    contracts: Vec<Shares>,
    /// Weighted average across all contracts
    #[schemars(range(min = 0, max = 100))]
    overall_coverage: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shares {
    name: String,
    #[schemars(range(min = 0, max = 100))]
    line_coverage: f64,
    #[schemars(range(min = 0, max = 100))]
    branch_coverage: f64,
}

impl From<&ContractCoverage> for Shares {
    fn from(contract: &ContractCoverage) -> Self {
        Self {
            name: contract.name.clone(),
            line_coverage: contract.lines.percent(),
            branch_coverage: contract.branches.percent(),
        }
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ShowCoverage(pub(crate) Arc<Desk>);

impl Tool for ShowCoverage {
    const NAME: &'static str = "show_coverage";
    const TITLE: &'static str = "Coverage by contract";
    const DESCRIPTION: &'static str = "Returns which share of each deployed contract's lines and branches the \
        campaign has executed so far, in percent, and the average over all, weighted by lines. Name a contract \
        to see only that one (file:Name where a name is not unique).";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        cx.blocking(move |_| {
            let coverage = run.campaign().coverage();
            let chosen = choose(&coverage, input.contract.as_deref())?;
            let contracts = chosen.into_iter().map(Shares::from).collect();
            Ok(Output { contracts, overall_coverage: weighted(&coverage) }.into())
        })
        .await?
    }
}

fn choose<'a>(
    coverage: &'a Coverage,
    name: Option<&str>,
) -> Result<Vec<&'a ContractCoverage>, Failure> {
    let all = &coverage.contracts;
    let Some(name) = name else { return Ok(all.iter().collect()) };
    let qualified = |c: &ContractCoverage| format!("{}:{}", c.file, c.name);
    let fits = |c: &&ContractCoverage| c.name == name || qualified(c) == name;
    let fitting: Vec<_> = all.iter().filter(fits).collect();
    match fitting.len() {
        1 => Ok(fitting),
        0 => {
            let known: Vec<_> = all.iter().map(|c| c.name.clone()).collect();
            let said = format!("no deployed contract `{name}`; there are: {}", known.join(", "));
            Err(Failure::invalid("/contract", said).detail("contracts", known))
        }
        _ => {
            let choices: Vec<_> = fitting.into_iter().map(qualified).collect();
            let said = format!("`{name}` is ambiguous: say one of {}", choices.join(", "));
            Err(Failure::invalid("/contract", said).detail("contracts", choices))
        }
    }
}

/// Every contract counts as much as it has lines.
fn weighted(coverage: &Coverage) -> f64 {
    let lines = coverage.contracts.iter().map(|c| c.lines);
    let (hit, found) = lines.fold((0, 0), |sum, lines| (sum.0 + lines.hit, sum.1 + lines.found));
    proofstone_evm::source::Ratio { hit, found }.percent()
}
