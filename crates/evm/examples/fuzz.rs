//! Fuzzes a target with the default settings and prints what was found.
//!
//! `cargo run --release -p proofstone-evm --example fuzz -- TARGET [CONTRACT] [MODE] [LIMIT] [WORKERS] [LCOV] [SEED]`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use proofstone_evm::artifact::load;
use proofstone_evm::campaign::Campaign;
use proofstone_evm::config::{Config, TestMode};
use proofstone_evm::target::Target;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map(String::as_str).filter(|a| *a != "-");
    let mut config = Config { seed: Some(1), ..Config::default() };
    if let Some(mode) = argument(2).and_then(TestMode::parse) {
        config.test_mode = mode;
    }
    if let Some(limit) = argument(3) {
        config.test_limit = limit.parse()?;
    }
    config.workers = Some(argument(4).map_or(Ok(1), str::parse)?);
    if let Some(seed) = argument(6) {
        config.seed = Some(seed.parse()?);
    }
    let path = argument(0).ok_or("name a target")?;
    let located = load(Path::new(path), None, None)?;
    let target = Target::prepare(located.artifacts, argument(1), &config)?;
    let campaign = Campaign::start(target, config);
    campaign.wait();
    let snapshot = campaign.snapshot();
    for test in &snapshot.tests {
        println!("{:?} {}", test.status, test.name);
        for transaction in test.failure.iter().flat_map(|f| &f.sequence) {
            let call = transaction.render(&campaign.target().functions);
            println!(
                "    {call} from {} value {} time {} blocks {}",
                transaction.sender,
                transaction.value,
                transaction.time_delay,
                transaction.block_delay
            );
        }
    }
    let cpu: f64 = snapshot.workers.iter().map(|w| w.cpu.as_secs_f64()).sum();
    println!(
        "{} calls, {:?}, {:.0} calls per CPU-second, {} edges, corpus {} sequences {} transactions",
        snapshot.calls,
        snapshot.elapsed,
        snapshot.calls as f64 / cpu,
        snapshot.edges,
        snapshot.corpus_entries,
        snapshot.corpus_transactions
    );
    if let Some(path) = argument(5) {
        std::fs::write(path, campaign.coverage().lcov())?;
        std::fs::write(format!("{path}.html"), campaign.coverage().html())?;
    }
    for warning in campaign.warnings() {
        println!("warning: {warning}");
    }
    Ok(())
}
