//! Figures about the calls of each tool: how many, how they ended, how long they took.
//!
//! One store serves the metrics page, the metrics resource and the console, so that they can't
//! disagree.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::Serialize;

/// The figures of all tools.
#[derive(Debug, Default)]
pub struct Stats {
    tools: Vec<Mutex<Figures>>,
}

#[derive(Debug)]
struct Figures {
    failures: BTreeMap<String, u64>,
    rate_limited: u64,
    invalid_answers: u64,
    latency: Histogram<u64>,
    total: Duration,
    buckets: [u64; BUCKETS.len()],
    lately: Lately,
}

/// How many calls each of the last sixty seconds saw.
#[derive(Debug)]
struct Lately {
    began: Instant,
    second: u64,
    calls: [u32; 60],
}

impl Lately {
    fn new() -> Self {
        Self { began: Instant::now(), second: 0, calls: [0; 60] }
    }

    /// Forgets the seconds that have passed out of the minute.
    fn turn(&mut self) {
        let now = self.began.elapsed().as_secs();
        for second in (self.second + 1..=now).take(60) {
            self.calls[(second % 60) as usize] = 0;
        }
        self.second = now;
    }

    fn add(&mut self) {
        self.turn();
        self.calls[(self.second % 60) as usize] += 1;
    }

    fn total(&mut self) -> u64 {
        self.turn();
        self.calls.iter().copied().map(u64::from).sum()
    }
}

/// The upper bounds of the latency buckets, in seconds.
pub(crate) const BUCKETS: [f64; 12] =
    [0.000_05, 0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0];

impl Default for Figures {
    fn default() -> Self {
        Self {
            failures: BTreeMap::new(),
            rate_limited: 0,
            invalid_answers: 0,
            latency: Histogram::new(2).expect("two significant digits are allowed"),
            total: Duration::ZERO,
            buckets: [0; BUCKETS.len()],
            lately: Lately::new(),
        }
    }
}

/// One tool's figures at a moment.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFigures {
    /// Calls answered.
    pub calls: u64,
    /// Calls answered within the last minute.
    pub last_minute: u64,
    /// Of all calls, the failed ones, by code.
    pub failures: BTreeMap<String, u64>,
    /// Calls turned away by the rate limit.
    pub rate_limited: u64,
    /// Answers that did not fit their own schema.
    pub invalid_answers: u64,
    /// The median of the time taken, in milliseconds.
    pub p50_ms: f64,
    /// The 95th percentile, in milliseconds.
    pub p95_ms: f64,
    /// The 99th percentile, in milliseconds.
    pub p99_ms: f64,
    /// The longest, in milliseconds.
    pub max_ms: f64,
    /// All time taken, in seconds.
    pub total_seconds: f64,
    /// Calls by time taken: (upper bound in seconds, calls up to it).
    pub buckets: Vec<(f64, u64)>,
}

impl Stats {
    pub(crate) fn for_tools(count: usize) -> Self {
        Self { tools: (0..count).map(|_| Mutex::default()).collect() }
    }

    pub(crate) fn record(&self, tool: usize, call: &CallFigures<'_>) {
        let Some(figures) = self.tools.get(tool) else { return };
        let mut figures = figures.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Grows to the range that it needs; an hour of nanoseconds is far within what it can hold.
        let _ = figures.latency.record(call.elapsed.as_nanos().max(1) as u64);
        figures.total += call.elapsed;
        figures.lately.add();
        let seconds = call.elapsed.as_secs_f64();
        if let Some(bucket) = BUCKETS.iter().position(|bound| seconds <= *bound) {
            figures.buckets[bucket] += 1;
        }
        figures.rate_limited += u64::from(call.rate_limited);
        figures.invalid_answers += u64::from(call.invalid_answer);
        if let Some(code) = call.failure {
            match figures.failures.get_mut(code) {
                Some(count) => *count += 1,
                None => drop(figures.failures.insert(code.to_owned(), 1)),
            }
        }
    }

    pub(crate) fn tool(&self, tool: usize) -> ToolFigures {
        let mut figures =
            self.tools[tool].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let last_minute = figures.lately.total();
        let quantile = |q: f64| figures.latency.value_at_quantile(q) as f64 / 1e6;
        let mut below = 0;
        let buckets = BUCKETS.iter().zip(figures.buckets).map(|(bound, count)| {
            below += count;
            (*bound, below)
        });
        ToolFigures {
            calls: figures.latency.len(),
            last_minute,
            failures: figures.failures.clone(),
            rate_limited: figures.rate_limited,
            invalid_answers: figures.invalid_answers,
            p50_ms: quantile(0.50),
            p95_ms: quantile(0.95),
            p99_ms: quantile(0.99),
            max_ms: figures.latency.max() as f64 / 1e6,
            total_seconds: figures.total.as_secs_f64(),
            buckets: buckets.collect(),
        }
    }
}

/// What one call adds to the figures.
#[derive(Debug)]
pub(crate) struct CallFigures<'a> {
    pub(crate) elapsed: Duration,
    pub(crate) failure: Option<&'a str>,
    pub(crate) rate_limited: bool,
    pub(crate) invalid_answer: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_the_time_taken() {
        let stats = Stats::for_tools(1);
        for milliseconds in (1..=100).chain([60_000]) {
            let elapsed = Duration::from_millis(milliseconds);
            stats.record(
                0,
                &CallFigures { elapsed, failure: None, rate_limited: false, invalid_answer: false },
            );
        }
        let figures = stats.tool(0);
        let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 0.02;
        assert!(near(figures.p50_ms, 51.0), "{}", figures.p50_ms);
        assert!(near(figures.p95_ms, 96.0), "{}", figures.p95_ms);
        assert!(near(figures.max_ms, 60_000.0), "{}", figures.max_ms);
        assert_eq!((figures.calls, figures.last_minute), (101, 101));
    }
}
