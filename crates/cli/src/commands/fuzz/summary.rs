//! The outcome of a campaign, as JSON and as a table.

use proofstone_evm::campaign::{Campaign, GasPeak, TestReport, TestStatus};
use proofstone_evm::source::Ratio;
use serde::Serialize;

use crate::out::{self, BAD, DIM, GOOD, styled};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    tests: Vec<TestSummary>,
    calls: u64,
    wall_seconds: f64,
    cpu_seconds: f64,
    corpus_transactions: usize,
    coverage: CoverageSummary,
    seed: u64,
    workers: usize,
    /// The dearest call of every function, if `estimateGas` is set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gas: Vec<GasSummary>,
}

#[derive(Debug, Serialize)]
struct GasSummary {
    function: String,
    gas: u64,
    sequence: Vec<String>,
}

#[derive(Debug, Serialize)]
struct TestSummary {
    name: String,
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    sequence: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Senders, values and delays, one per call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transactions: Vec<TransactionSummary>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TransactionSummary {
    sender: String,
    value: String,
    time_delay: u64,
    block_delay: u64,
}

#[derive(Debug, Serialize)]
struct CoverageSummary {
    lines: Share,
    branches: Share,
}

#[derive(Debug, Serialize)]
struct Share {
    hit: usize,
    found: usize,
}

impl From<Ratio> for Share {
    fn from(ratio: Ratio) -> Self {
        Self { hit: ratio.hit, found: ratio.found }
    }
}

impl Summary {
    pub(super) fn of(campaign: &Campaign) -> Self {
        let snapshot = campaign.snapshot();
        let coverage = campaign.coverage();
        Self {
            tests: snapshot.tests.iter().map(|test| test_summary(campaign, test)).collect(),
            calls: snapshot.calls,
            wall_seconds: snapshot.elapsed.as_secs_f64(),
            cpu_seconds: process_cpu(),
            corpus_transactions: snapshot.corpus_transactions,
            coverage: CoverageSummary {
                lines: coverage.lines().into(),
                branches: coverage.branches().into(),
            },
            seed: campaign.seed(),
            workers: snapshot.workers.len(),
            gas: gas_summary(campaign),
        }
    }

    pub(super) fn any_falsified(&self) -> bool {
        self.tests.iter().any(|t| t.status == "falsified")
    }
}

fn gas_summary(campaign: &Campaign) -> Vec<GasSummary> {
    let functions = &campaign.target().functions;
    let summary = |peak: &GasPeak| {
        let callable = &functions[peak.function];
        GasSummary {
            function: format!("{}.{}", callable.contract_name, callable.function.signature),
            gas: peak.gas,
            sequence: peak.sequence.iter().map(|t| t.render(functions)).collect(),
        }
    };
    campaign.gas_peaks().iter().map(summary).collect()
}

fn test_summary(campaign: &Campaign, test: &TestReport) -> TestSummary {
    let functions = &campaign.target().functions;
    let sequence = test.failure.as_ref().map(|f| f.sequence.as_slice()).unwrap_or_default();
    let falsified = test.status == TestStatus::Falsified;
    TestSummary {
        name: test.name.clone(),
        kind: test.kind.name(),
        status: if falsified { "falsified" } else { "passed" },
        value: match &test.status {
            TestStatus::Best(value) => Some(value.to_string()),
            _ => None,
        },
        sequence: sequence.iter().map(|t| t.render(functions)).collect(),
        reason: falsified.then(|| reason(campaign, test)),
        transactions: sequence
            .iter()
            .map(|t| TransactionSummary {
                sender: format!("{:#x}", t.sender),
                value: t.value.to_string(),
                time_delay: t.time_delay,
                block_delay: t.block_delay,
            })
            .collect(),
    }
}

fn reason(campaign: &Campaign, test: &TestReport) -> String {
    use proofstone_evm::checks::TestKind;
    let sequence = test.failure.as_ref().map(|f| f.sequence.as_slice()).unwrap_or_default();
    let last = || campaign.execute(sequence).steps.pop().and_then(|step| step.reason);
    match test.kind {
        TestKind::Property => "the property returned false or reverted".to_owned(),
        TestKind::MustRevert => "the property did not revert".to_owned(),
        TestKind::Invariant => "the invariant reverted or failed".to_owned(),
        TestKind::FuzzTestFail => "the test did not fail".to_owned(),
        TestKind::Destruction => "the contract destroyed itself".to_owned(),
        TestKind::AnyDestruction => "a contract destroyed itself".to_owned(),
        _ => last().unwrap_or_else(|| "an assertion failed".to_owned()),
    }
}

/// CPU time of the whole process.
pub(super) fn process_cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The outcome for people.
pub(super) fn print(campaign: &Campaign, summary: &Summary) {
    let reports = campaign.tests();
    for (test, report) in summary.tests.iter().zip(&reports) {
        let verdict = match (&test.value, test.status) {
            (Some(value), _) => styled(GOOD, format!("best {value}")),
            (None, "falsified") => styled(BAD.bold(), "falsified"),
            (None, _) => styled(GOOD, "passed"),
        };
        out::line(format!("{}: {verdict}", test.name));
        if let Some(failure) = &report.failure {
            print_failure(campaign, &failure.sequence);
        }
        if let Some(reason) = &test.reason {
            out::line(format!("  {}", styled(DIM, reason)));
        }
    }
    for peak in &summary.gas {
        out::line(format!("{} took at most {} gas", peak.function, peak.gas));
        for call in &peak.sequence {
            out::line(format!("  {call}"));
        }
    }
    let rate = summary.calls as f64 / summary.wall_seconds.max(0.001);
    let share = |s: &Share| format!("{}/{}", s.hit, s.found);
    out::line(format!(
        "{} calls in {:.1} s ({rate:.0} per second), lines {}, branches {}, corpus {} transactions, seed {}",
        summary.calls,
        summary.wall_seconds,
        share(&summary.coverage.lines),
        share(&summary.coverage.branches),
        summary.corpus_transactions,
        summary.seed
    ));
}

fn print_failure(campaign: &Campaign, sequence: &[proofstone_evm::input::Transaction]) {
    let execution = campaign.execute(sequence);
    for (transaction, step) in sequence.iter().zip(&execution.steps) {
        let mut notes = vec![format!("from {:#x}", transaction.sender)];
        if !transaction.value.is_zero() {
            notes.push(format!("value {}", transaction.value));
        }
        if transaction.time_delay > 0 || transaction.block_delay > 0 {
            notes.push(format!(
                "after {} s, {} blocks",
                transaction.time_delay, transaction.block_delay
            ));
        }
        out::line(format!("  {} {}", step.call, styled(DIM, notes.join(", "))));
        for change in &step.changes {
            let text = format!(
                "{}.{}: {} -> {}",
                change.contract, change.variable, change.before, change.after
            );
            out::line(format!("      {}", styled(DIM, text)));
        }
    }
}
