//! Bad input gets a clear answer, every cheatcode does its work, and the handle does what it says.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use expect_test::{Expect, expect};
use proofstone_evm::artifact::{Artifacts, load};
use proofstone_evm::campaign::{Campaign, EventKind, Prioritized, TestStatus, disk, minimize};
use proofstone_evm::config::{Config, TestMode};
use proofstone_evm::input::{Action, Transaction};
use proofstone_evm::report::execute;
use proofstone_evm::target::Target;
use revm::primitives::{Address, U256};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn artifacts(name: &str) -> Artifacts {
    let path = format!("{}/tests/inputs/artifacts/{name}.json", env!("CARGO_MANIFEST_DIR"));
    load(Path::new(&path), None, None).unwrap().artifacts
}

fn small() -> Config {
    Config { test_limit: 3_000, seed: Some(3), workers: Some(1), ..Config::default() }
}

fn plain_target() -> Target {
    Target::prepare(artifacts("bad"), Some("Plain"), &small()).unwrap()
}

fn check(contract: Option<&str>, config: &Config, expected: &Expect) {
    let answer = match Target::prepare(artifacts("bad"), contract, config) {
        Ok(target) => format!("{} with {} tests", target.contract().name, target.tests.len()),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&answer);
}

#[test]
fn bad_targets_are_explained() {
    let config = small();
    check(
        Some("Missing"),
        &config,
        &expect![
            "no contract `Missing` here; there are: Far, Half, NeedsFar, NoNumber, NoTests, Nothing, Plain, PropertyTakesOne, Reverts, SaysNothing, SetUpFails, WithArguments"
        ],
    );
    check(
        Some("Half"),
        &config,
        &expect![
            "`Half` has no bytecode: it is abstract or an interface; fuzz a contract that implements it"
        ],
    );
    check(Some("Reverts"), &config, &expect!["the constructor of `Reverts` failed: not today"]);
    check(Some("SetUpFails"), &config, &expect!["`setUp()` of `SetUpFails` failed: no setup"]);
    check(
        Some("PropertyTakesOne"),
        &config,
        &expect!["the property `echidna_bad(uint256)` takes arguments; a property must take none"],
    );
    check(
        Some("SaysNothing"),
        &config,
        &expect![
            "the property `echidna_silent()` does not return a bool, so nothing can be said about it; let it return one, or give it a name without the prefix"
        ],
    );
    let largest = Config { test_mode: TestMode::Optimization, ..small() };
    check(
        Some("NoNumber"),
        &largest,
        &expect![
            "`echidna_opt_flag()` does not return an int256, so there is nothing to make large; let it return one, or give it a name without the prefix"
        ],
    );
    let endowed = Config { contract_balance: U256::from(5), ..small() };
    check(
        Some("Plain"),
        &endowed,
        &expect![
            "the constructor of `Plain` is not payable, so it can't be given `balanceContract`; make it payable, or leave the setting out"
        ],
    );
    check(
        Some("NoTests"),
        &config,
        &expect![
            "`NoTests` has no test: no function starts with `echidna_`, `invariant_` or `test`; if it uses assert(), set the test mode to assertion"
        ],
    );
    check(
        Some("WithArguments"),
        &config,
        &expect![
            "the constructor of `WithArguments` takes (uint256, string): give them with --constructor-args, or deploy from a wrapper contract"
        ],
    );
    let with = |arguments: &[&str]| Config {
        constructor_arguments: arguments.iter().map(ToString::to_string).collect(),
        ..small()
    };
    check(Some("WithArguments"), &with(&["4", "\"abc\""]), &expect!["WithArguments with 1 tests"]);
    check(
        Some("WithArguments"),
        &with(&["4", "5"]),
        &expect![
            "the constructor of `WithArguments` takes (uint256, string): argument 2 of `constructor(uint256, string)`: expected string, found `5`"
        ],
    );
    let tiny = Config { code_size_limit: 100, ..small() };
    let error = Target::prepare(artifacts("bad"), Some("Plain"), &tiny).unwrap_err().to_string();
    assert!(error.contains("is too large") && error.contains("the limit is 100"), "{error}");
}

#[test]
fn libraries_are_deployed_and_a_missing_one_is_named() {
    check(Some("NeedsFar"), &small(), &expect!["NeedsFar with 1 tests"]);
    let mut without = artifacts("bad");
    without.contracts.retain(|c| c.name != "Far");
    let error = Target::prepare(without, Some("NeedsFar"), &small()).unwrap_err().to_string();
    assert!(error.contains("bad.sol:Far"), "{error}");
}

#[test]
fn names_that_are_not_unique_must_be_qualified() {
    let mut twice = artifacts("bad");
    let mut copy = twice.contracts.iter().find(|c| c.name == "Plain").unwrap().clone();
    copy.file = "other.sol".to_owned();
    twice.contracts.push(copy);
    let error = Target::prepare(twice.clone(), Some("Plain"), &small()).unwrap_err().to_string();
    assert_eq!(error, "`Plain` is ambiguous: say one of bad.sol:Plain, other.sol:Plain");
    assert!(Target::prepare(twice, Some("other.sol:Plain"), &small()).is_ok());
}

#[test]
fn contracts_that_were_not_chosen_are_named() {
    let mut several = artifacts("bad");
    several.contracts.retain(|contract| contract.name == "Plain");
    let about = |target: &Target| {
        let others = target.warnings.iter().filter(|w| w.contains("--contract"));
        others.cloned().collect::<String>()
    };
    let prepared = |artifacts: &Artifacts, name: Option<&str>| {
        about(&Target::prepare(artifacts.clone(), name, &small()).unwrap())
    };
    assert_eq!(prepared(&several, None), "");
    for number in 1..=9 {
        let mut copy = several.contracts[0].clone();
        copy.name = format!("Plain{number}");
        several.contracts.push(copy);
    }
    let said = "only `Plain9` is fuzzed; other contracts with tests: Plain, Plain1, Plain2, Plain3, Plain4, Plain5, \
                Plain6, Plain7 and 1 more; choose with --contract";
    assert_eq!(prepared(&several, None), said);
    assert_eq!(prepared(&several, Some("Plain")), "");
}

#[test]
fn an_artifact_without_source_map_runs_and_says_what_is_missing() {
    let mut bare = artifacts("bad");
    for contract in &mut bare.contracts {
        contract.runtime_map = None;
    }
    let target = Target::prepare(bare, Some("Plain"), &small()).unwrap();
    assert!(target.warnings.iter().any(|w| w.contains("no source map")), "{:?}", target.warnings);
    let campaign = Campaign::start(target, small());
    campaign.wait();
    assert_eq!(campaign.tests()[0].status, TestStatus::Falsified);
}

#[test]
fn unusable_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let problem = |path: &Path| load(path, None, None).unwrap_err().to_string();
    assert!(problem(&folder.path().join("none.json")).ends_with("does not exist"));
    assert!(problem(folder.path()).contains("holds no Foundry"));
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{").unwrap();
    assert!(problem(&broken).contains("is not JSON"));
    std::fs::write(&broken, "{\"a\":1}").unwrap();
    assert!(problem(&broken).contains("is no contract artifact"));
}

#[test]
fn without_a_compiler_the_error_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.sol");
    std::fs::write(&source, "contract A {}").unwrap();
    let missing = folder.path().join("no-solc");
    let error = load(&source, Some(&missing), None).unwrap_err().to_string();
    assert!(error.contains("no-solc"), "{error}");
}

#[test]
fn compiler_errors_are_shown_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.sol");
    std::fs::write(&source, "contract A {").unwrap();
    // A stand-in with the compiler's interface: what it says must come through unchanged.
    let solc = folder.path().join("solc");
    std::fs::write(&solc, "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Version: 0.8.30'; exit; fi\ncat > /dev/null\ncat <<'END'\n{\"errors\":[{\"severity\":\"error\",\"formattedMessage\":\"ParserError: Expected }\\n --> a.sol:1:13\"}]}\nEND\n").unwrap();
    let mut mode = std::fs::metadata(&solc).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&solc, mode).unwrap();
    let error = load(&source, Some(&solc), None).unwrap_err().to_string();
    assert_eq!(error, "ParserError: Expected }\n --> a.sol:1:13");
}

#[test]
fn what_is_never_called_is_no_test() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/artifacts/config_no_views.json");
    let all = Config { test_mode: TestMode::Assertion, ..small() };
    let names = |config: &Config| {
        let artifacts = load(Path::new(path), None, None).unwrap().artifacts;
        let target = Target::prepare(artifacts, None, config).unwrap();
        let names: Vec<_> = target.tests.iter().map(|t| t.name.clone()).collect();
        format!("{}; {}", names.join(", "), target.warnings.join("; "))
    };
    let no_map = "`Steps` has no source map: coverage by line is not available; build with source maps to get it";
    let check = |config: &Config, expected: &str| {
        assert_eq!(names(config).replace(no_map, ""), expected);
    };
    check(&all, "peek, step, AssertionFailed(..); ");
    check(&Config { exclude_views: true, ..all.clone() }, "step, AssertionFailed(..); ");
    let without = |text: &str| Config { filter_functions: vec![text.to_owned()], ..all.clone() };
    for name in ["step", "step()", "Steps.step", "Steps.step()"] {
        check(&without(name), "peek, AssertionFailed(..); ");
    }
    check(
        &without("Stairs.step()"),
        "peek, step, AssertionFailed(..); `Stairs.step()` in the function filter means no function here; ",
    );
}

#[test]
fn every_cheatcode_does_its_work() {
    let config = small();
    let target = Target::prepare(artifacts("cheats"), Some("Cheats"), &config).unwrap();
    let mut checked = 0;
    for (function, callable) in target.functions.iter().enumerate() {
        if !callable.function.name.starts_with("check_") {
            continue;
        }
        let transaction = call(function, &config);
        let execution = execute(&target, &target.tests, &config, &[transaction]);
        let step = &execution.steps[0];
        assert!(step.success, "{}: {:?}\n{:#?}", step.call, step.reason, step.trace);
        checked += 1;
    }
    assert!(checked >= 30, "{checked}");
}

#[test]
fn an_unknown_cheatcode_is_reported_by_name() {
    let config = small();
    let target = Target::prepare(artifacts("cheats"), Some("Cheats"), &config).unwrap();
    let campaign = Campaign::start(target, config);
    campaign.wait();
    let warnings = campaign.warnings();
    let expected = "the cheatcode notACheatcode(uint256) is not supported; calls to it revert";
    assert!(warnings.iter().any(|w| w == expected), "{warnings:?}");
}

fn call(function: usize, config: &Config) -> Transaction {
    Transaction {
        action: Action::Call { function, arguments: Vec::new() },
        to: None,
        sender: config.senders[0],
        value: U256::ZERO,
        gas_price: 0,
        time_delay: 0,
        block_delay: 0,
    }
}

#[test]
fn the_same_seed_finds_the_same_things() {
    let course = |seed: u64, workers: usize| {
        let config =
            Config { test_limit: 6_000, seed: Some(seed), workers: Some(workers), ..small() };
        let target = Target::prepare(artifacts("bad"), Some("Plain"), &config).unwrap();
        let campaign = Campaign::start(target, config);
        campaign.wait();
        let functions = campaign.target().functions.clone();
        let corpus: Vec<String> = campaign
            .corpus()
            .entries()
            .iter()
            .flat_map(|e| e.sequence.iter().map(|t| t.render(&functions)))
            .collect();
        let found = campaign
            .tests()
            .into_iter()
            .map(|t| t.failure.map(|f| (f.found.clone(), f.sequence.clone())));
        (corpus, found.collect::<Vec<_>>(), campaign.snapshot().calls)
    };
    for workers in [1, 3] {
        assert_eq!(course(11, workers), course(11, workers), "{workers} workers");
    }
    assert_ne!(course(11, 1).0, course(12, 1).0);
}

#[test]
fn a_corrupt_corpus_file_is_skipped_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let target = plain_target();
    let sequence = vec![call_put(&target, 5)];
    disk::save(folder.path(), "coverage", &sequence, &target.functions).unwrap();
    let corrupt = folder.path().join("coverage/zz.txt");
    std::fs::write(&corrupt, "[{\"call\":").unwrap();
    let loaded = disk::load(folder.path(), &target);
    assert_eq!(loaded.sequences, [sequence]);
    assert!(loaded.warnings[0].contains("zz.txt skipped: not JSON"), "{:?}", loaded.warnings);
    assert!(corrupt.exists());
}

fn call_put(target: &Target, amount: u64) -> Transaction {
    let function = target.functions.iter().position(|c| c.function.name == "put").unwrap();
    let arguments = vec![proofstone_evm::abi::Value::Word(U256::from(amount))];
    Transaction { action: Action::Call { function, arguments }, ..call(function, &small()) }
}

#[test]
fn a_sequence_is_told_with_events_variables_and_reasons() {
    let target = plain_target();
    let config = small();
    let sequence = [call_put(&target, 30), call_put(&target, 99), call_put(&target, 40)];
    let execution = execute(&target, &target.tests, &config, &sequence);
    assert_eq!(execution.falsified, ["echidna_small"]);
    let first = &execution.steps[0];
    assert_eq!(first.events, ["Put(who: 0x10000, amount: 30)"]);
    let changes: Vec<_> = first
        .changes
        .iter()
        .map(|c| format!("{}.{}: {} -> {}", c.contract, c.variable, c.before, c.after))
        .collect();
    assert_eq!(changes, ["Plain.of_[0x10000]: 0 -> 30", "Plain.total: 0 -> 30"]);
    assert_eq!(execution.steps[1].reason.as_deref(), Some("too much"));
    let trace: Vec<_> = first.trace.iter().map(|l| l.text.split(" [gas").next().unwrap()).collect();
    assert_eq!(
        trace,
        [
            "Plain.put(30)",
            "of_[0x10000]: 0 -> 30",
            "total: 0 -> 30",
            "emit Put(who: 0x10000, amount: 30)",
            "<- ()"
        ]
    );
}

#[test]
fn coverage_has_lines_branches_functions_and_true_counts() {
    let config = small();
    let target = plain_target();
    let campaign = Campaign::start(target, config);
    campaign.wait();
    let coverage = campaign.coverage();
    let plain = coverage.contracts.iter().find(|c| c.name == "Plain").unwrap();
    assert_eq!((plain.lines.hit, plain.lines.found), (2, 2));
    assert_eq!((plain.branches.hit, plain.branches.found), (2, 2));
    let calls: u64 = campaign.snapshot().functions.iter().map(|f| f.calls).sum();
    let put = coverage.files[0].functions.iter().find(|f| f.name == "Plain.put").unwrap();
    assert_eq!(put.hits, calls, "every call of the only function enters it");
    assert!(coverage.lcov().contains(&format!("FNDA:{calls},Plain.put")));
    assert!(coverage.html().contains("<title>Coverage</title>"));
}

#[test]
fn injected_sequences_are_run_kept_and_can_be_found() {
    let config = Config { test_limit: u64::MAX, workers: Some(2), ..small() };
    let target = Target::prepare(
        artifacts("bad"),
        Some("WithArguments"),
        &Config { constructor_arguments: vec!["1".into(), "\"\"".into()], ..config.clone() },
    )
    .unwrap();
    let campaign = Campaign::start(target, config);
    let sender = Address::with_last_byte(0x77);
    let wrong = campaign.inject(&["f()".into(), "g(1)".into()], sender, U256::ZERO).unwrap_err();
    assert_eq!(wrong.to_string(), "call 1: no function `g` here; there are: f()");
    let injection = campaign.inject(&["f()".into(), "f()".into()], sender, U256::ZERO).unwrap();
    assert_eq!((injection.transactions, injection.workers), (2, 2));
    let mut found = Vec::new();
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(50));
        found = campaign.corpus().find(Some(&campaign.matching("f()")), Some(sender), None);
        if !found.is_empty() {
            break;
        }
    }
    assert_eq!(found.len(), 2);
    let (events, _) = campaign.events(2500, Some(EventKind::TransactionExecuted), None);
    assert!(events.iter().any(|e| format!("{:?}", e.data).contains("injected\", Flag(true)")));
    campaign.stop();
    campaign.wait();
    assert!(campaign.inject(&["f()".into()], sender, U256::ZERO).is_err());
}

#[test]
fn nine_calls_of_ten_go_to_prioritised_functions() {
    let config = Config { test_limit: 400_000, workers: Some(2), ..small() };
    let target = Target::prepare(artifacts("cheats"), Some("Cheats"), &config).unwrap();
    let campaign = Campaign::start(target, config);
    let Prioritized { functions: set, known, .. } = campaign.prioritize("check_warp()");
    assert_eq!((set, known), (vec!["check_warp()".to_owned()], true));
    assert!(!campaign.prioritize("nothing(uint256)").known);
    campaign.wait();
    let counts = campaign.snapshot().functions;
    let total: u64 = counts.iter().map(|c| c.calls).sum();
    let favoured = counts[campaign.matching("check_warp()")[0]].calls;
    let share = favoured as f64 / total as f64;
    assert!((0.85..0.95).contains(&share), "{share}");
    assert_eq!(campaign.clear_priorities().0, 2);
}

#[test]
fn a_corpus_is_minimised_without_losing_edges() {
    let target = plain_target();
    let config = small();
    let sequences =
        vec![vec![call_put(&target, 1)], vec![call_put(&target, 2)], vec![call_put(&target, 99)]];
    let kept = minimize(&target, &config, &sequences);
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.contains(&2));
}

#[test]
fn a_foundry_test_repeats_the_counterexample() {
    let config = small();
    let campaign = Campaign::start(plain_target(), config);
    campaign.wait();
    let failure = campaign.tests()[0].failure.clone().unwrap();
    let text = campaign.foundry_test(&failure);
    assert!(text.contains("import {Plain} from \"bad.sol\";"), "{text}");
    assert!(text.contains("type(Plain).creationCode"));
    assert!(text.contains("the property is false"));
    assert_eq!(text.matches("// put(").count(), failure.sequence.len());
}

#[test]
fn exploration_needs_no_tests() {
    let config = Config { test_mode: TestMode::Exploration, ..small() };
    let target = Target::prepare(artifacts("bad"), Some("NoTests"), &config).unwrap();
    let campaign = Campaign::start(target, config);
    campaign.wait();
    assert!(campaign.tests().is_empty());
    assert_eq!(campaign.snapshot().calls, 3_000);
}

#[test]
fn every_build_layout_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let json: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(format!(
            "{}/tests/inputs/artifacts/bad.json",
            env!("CARGO_MANIFEST_DIR")
        ))
        .unwrap(),
    )
    .unwrap();
    let plain = &json["contracts"]["bad.sol"]["Plain"];
    let (creation, runtime) = (&plain["evm"]["bytecode"], &plain["evm"]["deployedBytecode"]);
    let layouts: [(&str, serde_json::Value); 3] = [
        (
            "out/bad.sol/Plain.json",
            serde_json::json!({ "abi": plain["abi"], "bytecode": creation, "deployedBytecode": runtime, "id": 0, "ast": json["sources"]["bad.sol"]["ast"] }),
        ),
        (
            "artifacts/contracts/bad.sol/Plain.json",
            serde_json::json!({ "contractName": "Plain", "sourceName": "bad.sol", "abi": plain["abi"], "bytecode": format!("0x{}", creation["object"].as_str().unwrap()), "deployedBytecode": format!("0x{}", runtime["object"].as_str().unwrap()), "linkReferences": {}, "deployedLinkReferences": {} }),
        ),
        (
            "build/contracts/Plain.json",
            serde_json::json!({ "contractName": "Plain", "abi": plain["abi"], "bytecode": creation["object"], "deployedBytecode": runtime["object"], "sourceMap": creation["sourceMap"], "deployedSourceMap": runtime["sourceMap"], "sourcePath": "bad.sol", "ast": json["sources"]["bad.sol"]["ast"], "source": json["input"]["sources"]["bad.sol"]["content"] }),
        ),
    ];
    for (place, artifact) in layouts {
        let project = folder.path().join(place.split('/').next().unwrap().to_owned() + "-project");
        let file: PathBuf = project.join(place);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, artifact.to_string()).unwrap();
        let located = load(&project, None, None).unwrap();
        let target = Target::prepare(located.artifacts, None, &small()).unwrap();
        let campaign = Campaign::start(target, small());
        campaign.wait();
        assert_eq!(campaign.tests()[0].status, TestStatus::Falsified, "{place}");
    }
}

#[test]
fn a_branch_that_went_one_way_is_told_with_its_operands() {
    let target = std::sync::Arc::new(plain_target());
    let initial = vec![vec![call_put(&target, 41)], vec![call_put(&target, 5)]];
    let campaign = Campaign::start_with(target, Config { test_limit: 0, ..small() }, initial);
    campaign.wait();
    let frontiers = campaign.frontiers();
    let open = frontiers.iter().find(|f| f.condition == "amount < 50").unwrap();
    assert_eq!((open.wanted, open.evaluated), (false, 2));
    let closest = open.closest.unwrap();
    let operands = [closest.left.min(closest.right), closest.left.max(closest.right)];
    assert_eq!((operands, closest.entry), ([U256::from(41), U256::from(50)], 0));
}
