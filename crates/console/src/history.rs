//! How a campaign went: a sample each second, kept while the server runs, for the fuzzing charts.

use std::sync::Weak;
use std::time::Duration;

use serde_json::{Value, json};

use crate::ask::{count, number, text};
use crate::console::Console;

/// Beyond this every second sample is forgotten, so that a long campaign keeps its shape.
const MOST: usize = 720;

/// A campaign at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) calls: u64,
    pub(crate) edges: u64,
    pub(crate) corpus: u64,
}

/// The samples of the campaign at hand.
#[derive(Debug, Default)]
pub(crate) struct History {
    started: String,
    samples: Vec<Sample>,
}

impl History {
    /// Adds what `campaign_status` says. Another campaign begins another history.
    pub(crate) fn add(&mut self, status: &Value) {
        let started = text(status, "startedAt");
        if started.is_empty() {
            return;
        }
        if self.started != started {
            *self = Self { started: started.to_owned(), samples: Vec::new() };
        }
        let sample = Sample {
            seconds: number(status, "elapsedSeconds"),
            calls: count(status, "calls"),
            edges: count(status, "edges"),
            corpus: count(status, "corpusSize"),
        };
        if self.samples.last().is_none_or(|last| last.calls < sample.calls) {
            self.samples.push(sample);
        }
        if self.samples.len() > MOST {
            let mut keep = false;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }

    /// Edges over time.
    pub(crate) fn edges(&self) -> Vec<(f64, f64)> {
        self.samples.iter().map(|sample| (sample.seconds, sample.edges as f64)).collect()
    }

    /// Calls a second over time.
    pub(crate) fn rates(&self) -> Vec<(f64, f64)> {
        let rate = |pair: &[Sample]| {
            let time = (pair[1].seconds - pair[0].seconds).max(1e-3);
            (pair[1].seconds, (pair[1].calls - pair[0].calls) as f64 / time)
        };
        self.samples.windows(2).map(rate).collect()
    }

    /// Transactions of the corpus over time.
    pub(crate) fn corpus(&self) -> Vec<(f64, f64)> {
        self.samples.iter().map(|sample| (sample.seconds, sample.corpus as f64)).collect()
    }
}

/// Samples each second until the console is gone.
pub(crate) fn watch(console: Weak<Console>) {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let Some(console) = console.upgrade() else { return };
            if !console.serves("fuzz") {
                return;
            }
            if let Ok(status) = console.look("campaign_status", json!({})).await {
                console
                    .history
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .add(&status.value);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(started: &str, seconds: u64) -> Value {
        json!({ "startedAt": started, "elapsedSeconds": seconds, "calls": seconds * 100, "edges": 7 })
    }

    #[test]
    fn a_long_campaign_keeps_its_shape_and_another_begins_anew() {
        let mut history = History::default();
        for second in 1..5000 {
            history.add(&status("a", second));
        }
        assert!(history.samples.len() <= MOST && history.samples[0].seconds < 20.0);
        assert!(history.rates().iter().all(|(_, rate)| (*rate - 100.0).abs() < 1e-9));
        history.add(&status("b", 1));
        assert_eq!(history.edges(), [(1.0, 7.0)]);
        history.add(&json!({ "state": "none" }));
        assert_eq!(history.corpus().len(), 1);
    }
}
