//! How long the first and a repeated question take, through the gate: `ask_again REPORT`.
//! The bench in `bench/coverage` runs it.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofstone_contract::CallCx;
use proofstone_coverage::Coverage;
use proofstone_gate::{Gate, OutputPolicy};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: ask_again REPORT")?;
    let gate = Gate::new(vec![Arc::new(Coverage::default())], OutputPolicy::Report)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let file = "src/package000/module00/file_000000.ts";
    let questions = [
        ("get_overall_coverage", json!({ "lcovPath": path })),
        ("get_file_coverage", json!({ "lcovPath": path, "filePaths": [file] })),
    ];
    for (tool, arguments) in questions {
        let first = timed(&runtime, &gate, tool, &arguments)?;
        let mut again = (0..200).map(|_| timed(&runtime, &gate, tool, &arguments));
        let mut times = again.by_ref().collect::<Result<Vec<_>, _>>()?;
        times.sort();
        println!("{tool}: first {first:.1?}, again {:.0?} (median of 200)", times[100]);
    }
    Ok(())
}

fn timed(
    runtime: &tokio::runtime::Runtime,
    gate: &Gate,
    tool: &str,
    arguments: &Value,
) -> Result<Duration, Box<dyn Error>> {
    let cx = CallCx::builder(".").time(Duration::from_mins(5)).build();
    let started = Instant::now();
    let outcome = runtime.block_on(gate.call(tool, arguments.clone(), &cx))?;
    match outcome.failure {
        Some(failure) => Err(failure.into()),
        None => Ok(started.elapsed()),
    }
}
