//! `start_campaign`: fuzzes a contract in the background.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use proofstone_evm::config::TestMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::desk::Desk;
use crate::run::Run;
use crate::start::Plan;

/// What to fuzz, and how long
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "StartCampaignInput")]
pub(crate) struct Input {
    /// A .sol file, a compiled artifact (solc, Foundry, Hardhat, Truffle), a project or a folder of them, relative to the project root
    target: String,
    /// The contract to fuzz, by name or file:Name; without it, the last one with tests
    contract: Option<String>,
    /// What to look for; auto takes properties, or Foundry tests if there are none
    #[serde(default)]
    test_mode: Mode,
    /// Calls after which the campaign ends; 50,000 unless the project's settings say otherwise
    #[schemars(range(min = 1))]
    test_limit: Option<u64>,
    /// Seconds after which the campaign ends
    #[schemars(range(min = 1, max = 604_800))]
    timeout_seconds: Option<u64>,
    /// Longest sequence of calls
    #[schemars(range(min = 1, max = 10_000))]
    sequence_length: Option<usize>,
    /// Attempts at shrinking one counterexample
    shrink_limit: Option<u64>,
    /// Seed of all chance: the same seed and number of workers find the same things
    #[schemars(range(max = 9_007_199_254_740_991u64))]
    seed: Option<u64>,
    /// Threads; without it, one per core, at most four
    #[schemars(range(min = 1, max = 64))]
    workers: Option<usize>,
    /// End at the first falsified property
    #[serde(default)]
    stop_on_fail: bool,
    /// Call every deployed contract, not only the target
    #[serde(default)]
    all_contracts: bool,
    /// Arguments of the constructor, as text
    #[serde(default)]
    constructor_args: Vec<String>,
    /// Folder inside the root where the corpus is kept and reused; without it, .proofstone/fuzz/<contract>
    corpus: Option<String>,
    /// End a campaign that is still running
    #[serde(default)]
    replace: bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Auto,
    Property,
    Assertion,
    Optimization,
    Overflow,
    Exploration,
    Foundry,
}

impl Mode {
    fn chosen(self) -> Option<TestMode> {
        match self {
            Self::Auto => None,
            Self::Property => Some(TestMode::Property),
            Self::Assertion => Some(TestMode::Assertion),
            Self::Optimization => Some(TestMode::Optimization),
            Self::Overflow => Some(TestMode::Overflow),
            Self::Exploration => Some(TestMode::Exploration),
            Self::Foundry => Some(TestMode::Foundry),
        }
    }
}

impl From<Input> for Plan {
    fn from(input: Input) -> Self {
        Self {
            target: input.target,
            contract: input.contract,
            test_mode: input.test_mode.chosen(),
            test_limit: input.test_limit,
            timeout: input.timeout_seconds.map(Duration::from_secs),
            sequence_length: input.sequence_length,
            shrink_limit: input.shrink_limit,
            seed: input.seed,
            workers: input.workers,
            stop_on_fail: input.stop_on_fail,
            all_contracts: input.all_contracts,
            constructor_arguments: input.constructor_args,
            corpus: input.corpus,
            replace: input.replace,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "StartCampaignOutput")]
pub(crate) struct Output {
    success: bool,
    /// What was started, and what to call next
    message: String,
    /// The contract that is fuzzed
    contract: String,
    /// How its code was come by
    origin: String,
    /// What is checked
    tests: Vec<String>,
    /// Signatures of the functions that are called
    functions: Vec<String>,
    /// The seed in use
    seed: u64,
    /// Threads
    workers: usize,
    /// Sequences of an earlier campaign that this one began with
    reused_sequences: usize,
    /// Where the corpus is kept
    corpus_dir: String,
    /// Where control calls are logged; proofstone fuzz --replay-commands repeats them
    command_log: String,
    /// What a person should know
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Output {
    fn of(run: &Run) -> Self {
        let campaign = run.campaign();
        let target = campaign.target();
        Self {
            success: true,
            message: format!(
                "Started a campaign on {}; campaign_status tells how it stands, list_failures what it broke",
                run.contract()
            ),
            contract: run.contract().to_owned(),
            origin: run.origin.clone(),
            tests: target.tests.iter().map(|test| test.name.clone()).collect(),
            functions: target.functions.iter().map(|f| f.function.signature.clone()).collect(),
            seed: campaign.seed(),
            workers: campaign.config().worker_count(),
            reused_sequences: run.reused,
            corpus_dir: run.folder().display().to_string(),
            command_log: run.commands.path().display().to_string(),
            warnings: run.warnings(),
        }
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct StartCampaign(pub(crate) Arc<Desk>);

impl Tool for StartCampaign {
    const NAME: &'static str = "start_campaign";
    const TITLE: &'static str = "Start fuzzing";
    const DESCRIPTION: &'static str = "Starts to fuzz a smart contract in the background: properties \
        (echidna_*), assertions, Foundry invariants and tests, optimizations. Answers as soon as the contract is \
        deployed; the campaign goes on until its limits or stop_campaign, as long as the server runs. Compiled \
        artifacts need nothing else; a .sol file needs solc, or the npm package solc and node.";
    const EFFECT: Effect = Effect::CHANGES;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(3));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let (desk, root) = (self.0.clone(), cx.root().to_owned());
        cx.progress(0.0, None, Some("loading and deploying the target"));
        let plan = Plan::from(input);
        let run = cx.blocking(move |_| desk.start(&plan, &root)).await??;
        Ok(Output::of(&run).into())
    }
}
