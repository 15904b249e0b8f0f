//! What calls of one function come to: executed again from states that the campaign has reached.

use std::collections::BTreeMap;

use proofstone_evm::campaign::{EventKind, EventValue};
use proofstone_evm::input::Sequence;
use proofstone_evm::{Address, I256, U256};

use crate::run::Run;

/// Calls that are executed again at most.
const LIMIT: usize = 200;

/// What a sample of calls came to.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) executed: usize,
    /// Reasons of reverts, with how often and one call that brings it.
    pub(crate) reasons: BTreeMap<String, (usize, String)>,
    /// What the function returned, by place in its results.
    pub(crate) results: Vec<Results>,
}

/// Values of one result.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) range: Option<(I256, I256)>,
    pub(crate) examples: Vec<String>,
}

impl Sample {
    /// Executes calls of these functions again until there are enough or nobody waits any more.
    pub(crate) fn take(run: &Run, functions: &[usize], stopped: impl Fn() -> bool) -> Self {
        let mut sample = Self::default();
        for sequence in kept(run, functions).into_iter().chain(seen(run, functions)).take(LIMIT) {
            if stopped() {
                break;
            }
            let execution = run.campaign().execute(&sequence);
            if let Some(step) = execution.steps.last() {
                sample.add(step);
            }
        }
        sample
    }

    fn add(&mut self, step: &proofstone_evm::report::Step) {
        self.executed += 1;
        if !step.success {
            let reason = step.reason.clone().unwrap_or_else(|| "no reason given".to_owned());
            self.reasons.entry(reason).or_insert((0, step.call.clone())).0 += 1;
            return;
        }
        let inside = step.result.strip_prefix('(').and_then(|r| r.strip_suffix(')'));
        let parts = inside.unwrap_or_default().split(", ").filter(|part| !part.is_empty());
        for (place, part) in parts.enumerate() {
            if self.results.len() <= place {
                self.results.push(Results::default());
            }
            self.results[place].add(part);
        }
    }
}

impl Results {
    fn add(&mut self, text: &str) {
        let number = text.parse::<I256>().ok();
        if let Some(number) = number {
            let (low, high) = self.range.unwrap_or((number, number));
            self.range = Some((low.min(number), high.max(number)));
        }
        if self.examples.len() < 5 && !self.examples.iter().any(|e| e == text) {
            self.examples.push(text.to_owned());
        }
    }
}

/// Sequences of the corpus, each up to a call of one of the functions; the newest first.
fn kept(run: &Run, functions: &[usize]) -> Vec<Sequence> {
    let corpus = run.campaign().corpus();
    let found = corpus.find(Some(functions), None, None);
    let upto = |index: usize| {
        let listed = corpus.transaction(index)?;
        Some(listed.entry.sequence[..=listed.position].to_vec())
    };
    found.into_iter().rev().take(LIMIT / 2).filter_map(upto).collect()
}

/// Calls that the log has seen, reverted ones too, each behind a sequence of the corpus.
fn seen(run: &Run, functions: &[usize]) -> Vec<Sequence> {
    let campaign = run.campaign();
    let corpus = campaign.corpus();
    let entries = corpus.entries();
    let (events, _) = campaign.events(usize::MAX, Some(EventKind::TransactionExecuted), None);
    let mut sequences = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let text = |name: &str| {
            event.data.iter().find_map(|(key, value)| match value {
                EventValue::Text(text) if *key == name => Some(text.as_str()),
                _ => None,
            })
        };
        let sender = text("sender").and_then(|s| s.parse::<Address>().ok());
        let value = text("value").and_then(|v| v.parse::<U256>().ok());
        let (Some(call), Some(sender), Some(value)) = (text("call"), sender, value) else {
            continue;
        };
        let Ok(last) = campaign.parse_sequence(&[call.to_owned()], sender, value) else { continue };
        if last.iter().any(|t| t.function().is_some_and(|f| functions.contains(&f))) {
            let before = entries.get(entries.len().wrapping_sub(1 + number % entries.len().max(1)));
            let mut sequence = before.map(|entry| entry.sequence.clone()).unwrap_or_default();
            sequence.extend(last);
            sequences.push(sequence);
        }
        if sequences.len() >= LIMIT {
            break;
        }
    }
    sequences
}
