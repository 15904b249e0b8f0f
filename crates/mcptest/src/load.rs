//! How many calls a server answers in a second, and how long each takes. Bounded by count and time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::{Client, Fault, Target};

/// What to do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The request.
    pub method: String,
    /// Its parameters.
    pub params: Value,
    /// How many are sent.
    pub requests: usize,
    /// How many at a time.
    pub concurrency: usize,
    /// How long at most, over all.
    pub longest: Duration,
    /// How long each may take.
    pub patience: Duration,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Load {
    /// How many were answered, well or badly.
    pub requests: usize,
    /// How long all took.
    pub seconds: f64,
    /// Answers in a second.
    pub per_second: f64,
    /// How many were answered with an error, a tool's or the protocol's.
    pub failed: usize,
    /// What went wrong, and how often.
    pub failures: BTreeMap<String, usize>,
    /// Times in milliseconds.
    pub latency_ms: Quantiles,
    /// Whether time was over before all were sent.
    pub cut_short: bool,
}

/// How long the quickest part took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quantiles {
    /// The quickest.
    pub min: f64,
    /// Half of them.
    pub p50: f64,
    /// Nine of ten.
    pub p90: f64,
    /// 99 of a hundred.
    pub p99: f64,
    /// The slowest.
    pub max: f64,
}

/// Whether a server runs on this machine, so that nobody else is disturbed.
pub fn is_local(target: &Target) -> bool {
    let (Target::Http(http) | Target::Sse(http)) = target else { return true };
    let Ok(url) = reqwest::Url::parse(&http.url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Runs a plan.
pub async fn run(client: &Client, plan: &Plan) -> Result<Load, Fault> {
    let started = Instant::now();
    let left = Arc::new(AtomicUsize::new(plan.requests));
    let workers: Vec<_> = (0..plan.concurrency.max(1))
        .map(|_| tokio::spawn(work(client.clone(), plan.clone(), Arc::clone(&left), started)))
        .collect();
    let (mut times, mut failures) = (Vec::new(), BTreeMap::new());
    for worker in workers {
        let (mine, failed) = worker.await.unwrap_or_default();
        times.extend(mine);
        for why in failed {
            *failures.entry(why).or_insert(0) += 1;
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    times.sort_unstable();
    let requests = times.len();
    if let (0, Some(fault)) = (requests, client.ended()) {
        return Err(fault);
    }
    Ok(Load {
        requests,
        seconds,
        per_second: requests as f64 / seconds,
        failed: failures.values().sum(),
        failures,
        latency_ms: quantiles(&times),
        cut_short: requests < plan.requests,
    })
}

type Worked = (Vec<Duration>, Vec<String>);

async fn work(client: Client, plan: Plan, left: Arc<AtomicUsize>, started: Instant) -> Worked {
    let (mut times, mut failed) = (Vec::new(), Vec::new());
    while started.elapsed() < plan.longest && client.ended().is_none() {
        let take = |left: usize| left.checked_sub(1);
        if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            break;
        }
        let before = Instant::now();
        let answer = client.request(&plan.method, plan.params.clone(), plan.patience).await;
        times.push(before.elapsed());
        match answer {
            Ok(reply) if reply.result["isError"] == true => {
                failed.push("the tool answered with an error".to_owned());
            }
            Ok(_) => {}
            Err(fault) => failed.push(fault.to_string()),
        }
    }
    (times, failed)
}

fn quantiles(sorted: &[Duration]) -> Quantiles {
    let at = |part: f64| {
        let last = sorted.len().saturating_sub(1);
        let index = (part * last as f64).round() as usize;
        sorted.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    Quantiles { min: at(0.0), p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HttpTarget, StdioTarget};

    #[test]
    fn only_this_machine_is_local() {
        let http =
            |url: &str| Target::Http(HttpTarget { url: url.into(), ..HttpTarget::default() });
        for (url, local) in [
            ("http://127.0.0.1:1/mcp", true),
            ("http://localhost/mcp", true),
            ("http://[::1]:8/", true),
            ("http://10.0.0.1/", false),
            ("https://localhost.example.com/", false),
        ] {
            assert_eq!(is_local(&http(url)), local, "{url}");
        }
        assert!(is_local(&Target::Stdio(StdioTarget::default())));
    }

    #[test]
    fn quantiles_of_few_and_none() {
        let times: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        let q = quantiles(&times);
        assert_eq!((q.min, q.p90.round(), q.max), (1.0, 90.0, 100.0));
        assert_eq!(quantiles(&[]).p50.to_bits(), 0.0_f64.to_bits());
    }
}
