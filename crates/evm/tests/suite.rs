//! Contracts with planted faults, each with its expected outcome, within the reference's budget:
//! 10,000 calls, 4,000 attempts at shrinking, one worker.
//!
//! The expectation stands in the contract's head: `// falsified NAME [LENGTH]`, `// passed NAME`,
//! `// best NAME VALUE`, and settings as `// mode: …`, `// contract: …`, `// config: …`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use proofstone_evm::artifact::load;
use proofstone_evm::campaign::{Campaign, TestReport, TestStatus};
use proofstone_evm::config::{Config, TestMode};
use proofstone_evm::settings::read_echidna_yaml;
use proofstone_evm::target::Target;
use std::path::{Path, PathBuf};

const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");

/// What a contract's head says.
struct Case {
    config: Config,
    contract: Option<String>,
    expectations: Vec<Vec<String>>,
}

/// The reference's budget, unless the suite is to be made harder: SUITE_CALLS=3000.
fn budget() -> u64 {
    std::env::var("SUITE_CALLS").map_or(10_000, |calls| calls.parse().unwrap())
}

fn read_case(source: &Path, seed: u64) -> Case {
    let text = std::fs::read_to_string(source).unwrap();
    let mut case = Case {
        config: Config {
            test_limit: budget(),
            shrink_limit: 4_000,
            workers: Some(1),
            seed: Some(seed),
            ..Config::default()
        },
        contract: None,
        expectations: Vec::new(),
    };
    for line in text.lines().filter_map(|l| l.strip_prefix("// ")) {
        if let Some(mode) = line.strip_prefix("mode: ") {
            case.config.test_mode = TestMode::parse(mode).unwrap();
        } else if let Some(name) = line.strip_prefix("contract: ") {
            case.contract = Some(name.to_owned());
        } else if let Some(yaml) = line.strip_prefix("config: ") {
            assert!(read_echidna_yaml(yaml, &mut case.config).unwrap().is_empty());
        } else {
            let first = line.split(' ').next().unwrap_or_default();
            if ["falsified", "passed", "best"].contains(&first) {
                case.expectations.push(expectation(line));
            }
        }
    }
    case
}

/// The verdict, the name (which may hold spaces) and the number at the end, if there is one.
fn expectation(line: &str) -> Vec<String> {
    let (verdict, rest) = line.split_once(' ').unwrap();
    match rest.rsplit_once(' ') {
        Some((name, number)) if number.parse::<i64>().is_ok() => {
            vec![verdict.to_owned(), name.to_owned(), number.to_owned()]
        }
        _ => vec![verdict.to_owned(), rest.to_owned()],
    }
}

fn run(source: &Path, seed: u64) -> Vec<String> {
    let case = read_case(source, seed);
    let name = source.file_stem().unwrap().to_str().unwrap();
    let artifact = PathBuf::from(SUITE).join("artifacts").join(format!("{name}.json"));
    let located = load(&artifact, None, None).unwrap();
    let target = Target::prepare(located.artifacts, case.contract.as_deref(), &case.config)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let campaign = Campaign::start(target, case.config);
    campaign.wait();
    let tests = campaign.tests();
    assert!(!case.expectations.is_empty(), "{name} expects nothing");
    let misses = case.expectations.iter().filter_map(|e| miss(&campaign, &tests, e));
    misses.map(|m| format!("{name}, seed {seed}: {m}")).collect()
}

/// Why an expectation is not met.
fn miss(campaign: &Campaign, tests: &[TestReport], expected: &[String]) -> Option<String> {
    let Some(test) = tests.iter().find(|t| t.name == expected[1]) else {
        return Some(format!("there is no test `{}`", expected[1]));
    };
    let sequence = test.failure.as_ref().map(|f| f.sequence.clone()).unwrap_or_default();
    let found = match (&test.status, expected[0].as_str()) {
        (TestStatus::Holds, "passed") => return None,
        (TestStatus::Best(value), "best") if value.to_string() == expected[2] => return None,
        (TestStatus::Falsified, "falsified") => match expected.get(2) {
            Some(length) if *length != sequence.len().to_string() => {
                let calls: Vec<_> =
                    sequence.iter().map(|t| t.render(&campaign.target().functions)).collect();
                format!("{} calls: {}", sequence.len(), calls.join("; "))
            }
            _ => return None,
        },
        (status, _) => format!("{status:?}"),
    };
    Some(format!("expected {}, found {found}", expected.join(" ")))
}

#[test]
fn every_planted_fault_is_found() {
    let mut sources: Vec<_> = std::fs::read_dir(PathBuf::from(SUITE).join("contracts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    sources.sort();
    assert!(sources.len() >= 60, "{} contracts", sources.len());
    if let Ok(only) = std::env::var("SUITE_ONLY") {
        sources.retain(|source| source.to_string_lossy().contains(&only));
    }
    // More seeds than CI takes the time for: SUITE_SEEDS=0,1,2,3.
    let seeds = std::env::var("SUITE_SEEDS").unwrap_or_else(|_| "0".to_owned());
    let seeds: Vec<u64> = seeds.split(',').map(|seed| seed.parse().unwrap()).collect();
    let runs = sources.iter().flat_map(|source| seeds.iter().map(move |seed| (source, *seed)));
    let misses: Vec<String> = runs.flat_map(|(source, seed)| run(source, seed)).collect();
    assert!(misses.is_empty(), "{} missed:\n{}", misses.len(), misses.join("\n"));
}
