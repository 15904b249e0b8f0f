//! `campaign_status`: how the campaign stands, now or when it is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use proofstone_evm::campaign::{Snapshot, TestReport, TestStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::{NO_CAMPAIGN, campaign_if_any};
use crate::desk::Desk;
use crate::run::Run;

/// How long to wait
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "CampaignStatusInput")]
pub(crate) struct Input {
    /// Wait at most this long for the campaign to end, with progress; 0 answers at once
    #[serde(default)]
    #[schemars(range(min = 0, max = 300))]
    wait_seconds: u64,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "CampaignStatusOutput")]
pub(crate) struct Output {
    success: bool,
    state: State,
    /// The state in words
    message: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    campaign: Option<Figures>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    #[default]
    None,
    Running,
    Shrinking,
    Finished,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Figures {
    /// The contract that is fuzzed
    contract: String,
    /// When it began, with timezone
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    elapsed_seconds: f64,
    /// Calls executed
    calls: u64,
    /// Calls after which it ends
    test_limit: u64,
    calls_per_second: f64,
    /// CPU time of the workers when these calls were counted
    worker_cpu_seconds: f64,
    /// Workers that still run
    running_workers: usize,
    /// Distinct edges of the code seen
    edges: usize,
    /// How long nothing new was reached
    seconds_since_new_coverage: f64,
    /// Transactions in the corpus
    corpus_size: usize,
    /// Sequences in the corpus
    corpus_sequences: usize,
    tests: Vec<TestState>,
    functions: Vec<Counted>,
    /// Functions that get nine calls of ten
    prioritized_functions: Vec<String>,
    seed: u64,
    /// What a person should know
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TestState {
    name: String,
    /// holds, falsified or best
    #[schemars(extend("enum" = ["holds", "falsified", "best"]))]
    status: &'static str,
    /// The best value of an optimization
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// The shortest sequence so far
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<Vec<String>>,
    /// Whether shrinking is over
    #[serde(skip_serializing_if = "Option::is_none")]
    shrunk: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Counted {
    signature: String,
    calls: u64,
    reverts: u64,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct CampaignStatus(pub(crate) Arc<Desk>);

impl Tool for CampaignStatus {
    const NAME: &'static str = "campaign_status";
    const TITLE: &'static str = "How the campaign stands";
    const DESCRIPTION: &'static str = "Tells whether a campaign is running, how far it is, how each test stands \
        and how often each function was called and reverted. With waitSeconds it answers when the campaign is \
        over or the time has passed, whichever comes first. After the end it still answers.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_secs(330));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let Some(run) = campaign_if_any(&self.0, cx).await? else {
            return Ok(Output {
                success: true,
                message: NO_CAMPAIGN.to_owned(),
                ..Output::default()
            }
            .into());
        };
        wait(&run, Duration::from_secs(input.wait_seconds), cx).await;
        Ok(Output::of(&run).into())
    }
}

async fn wait(run: &Run, time: Duration, cx: &CallCx) {
    let end = Instant::now() + time;
    while !run.campaign().is_finished() && Instant::now() < end && !cx.is_stopped() {
        let snapshot = run.campaign().snapshot();
        let limit = run.campaign().config().test_limit;
        let message = format!("{} calls, {} edges", snapshot.calls, snapshot.edges);
        cx.progress(snapshot.calls as f64, Some(limit as f64), Some(&message));
        let left = end.saturating_duration_since(Instant::now());
        tokio::time::sleep(left.min(Duration::from_millis(250))).await;
    }
}

impl Output {
    pub(crate) fn of(run: &Run) -> Self {
        let snapshot = run.campaign().snapshot();
        let state = match (run.campaign().is_finished(), snapshot.finished) {
            (true, _) => State::Finished,
            (false, true) => State::Shrinking,
            (false, false) => State::Running,
        };
        let broken = snapshot.tests.iter().filter(|t| t.status == TestStatus::Falsified).count();
        let doing = match state {
            State::Finished => "finished",
            State::Shrinking => "making the counterexamples shorter",
            State::Running | State::None => "running",
        };
        let message = format!(
            "{doing}: {} of {} calls, {broken} of {} tests falsified",
            snapshot.calls,
            run.campaign().config().test_limit,
            snapshot.tests.len()
        );
        Self { success: true, state, message, campaign: Some(Figures::of(run, snapshot)) }
    }
}

impl Figures {
    fn of(run: &Run, snapshot: Snapshot) -> Self {
        let campaign = run.campaign();
        let functions = campaign.target().functions.iter().zip(&snapshot.functions);
        let elapsed = snapshot.elapsed.as_secs_f64();
        Self {
            contract: run.contract().to_owned(),
            started_at: run.started.to_string(),
            elapsed_seconds: elapsed,
            calls: snapshot.calls,
            test_limit: campaign.config().test_limit,
            calls_per_second: (snapshot.calls as f64 / elapsed.max(0.001)).round(),
            worker_cpu_seconds: snapshot.workers.iter().map(|w| w.cpu.as_secs_f64()).sum(),
            running_workers: campaign.workers(),
            edges: snapshot.edges,
            seconds_since_new_coverage: snapshot.since_new_coverage.as_secs_f64(),
            corpus_size: snapshot.corpus_transactions,
            corpus_sequences: snapshot.corpus_entries,
            tests: snapshot.tests.iter().map(|test| TestState::of(run, test)).collect(),
            functions: functions
                .map(|(callable, counts)| Counted {
                    signature: callable.function.signature.clone(),
                    calls: counts.calls,
                    reverts: counts.reverts,
                })
                .collect(),
            prioritized_functions: campaign.priorities(),
            seed: campaign.seed(),
            warnings: run.warnings(),
        }
    }
}

impl TestState {
    fn of(run: &Run, test: &TestReport) -> Self {
        let functions = &run.campaign().target().functions;
        let (status, value) = match &test.status {
            TestStatus::Holds => ("holds", None),
            TestStatus::Falsified => ("falsified", None),
            TestStatus::Best(value) => ("best", Some(value.to_string())),
        };
        let failure = test.failure.as_ref();
        let sequence = failure.map(|f| f.sequence.iter().map(|t| t.render(functions)).collect());
        Self { name: test.name.clone(), status, value, sequence, shrunk: failure.map(|f| f.shrunk) }
    }
}
