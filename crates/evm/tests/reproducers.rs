//! The tests that are written for Foundry are run by Foundry: each fails as long as the fault is there, for the
//! reason it is about, and passes where the sequence does not lead to it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use proofstone_evm::artifact::load;
use proofstone_evm::campaign::{Campaign, Failure};
use proofstone_evm::config::{Config, TestMode};
use proofstone_evm::settings::read_echidna_yaml;
use proofstone_evm::target::Target;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");

/// One finding of each kind: contract, mode, setting, test, and what Foundry must say.
const FINDINGS: &[(&str, &str, &str, &str, &str)] = &[
    ("state_five_steps", "property", "", "echidna_start", "the property is false"),
    ("access_tx_origin", "property", "", "", "the property is false"),
    ("time_lock", "property", "", "", "the property is false"),
    ("time_lock_behind_reverts", "property", "", "", "the property is false"),
    ("reentrancy_withdraw", "property", "", "", "the property is false"),
    ("magic_value_sent", "property", "", "", "the property is false"),
    ("array_length_five", "property", "", "", "the property is false"),
    ("string_key", "property", "", "", "the property is false"),
    ("magic_nested_struct", "property", "", "", "the property is false"),
    ("library_external", "property", "", "", "the property is false"),
    ("proxy_storage_clash", "property", "", "", "the property is false"),
    ("receive_ether", "property", "", "", "the property is false"),
    ("basic_revert_kinds", "property", "", "echidna_revert_until", "it must revert"),
    ("create_called_directly", "property", "allContracts: true", "", "the property is false"),
    (
        "create_grandchild_asserts",
        "assertion",
        "allContracts: true",
        "Leaf.fall(uint8)",
        "the assertion failed",
    ),
    (
        "config_deploy_contracts",
        "property",
        "deployContracts: [[\"0x1f\", \"Far\"]]",
        "echidna_far",
        "the property is false",
    ),
    (
        "config_destruction",
        "property",
        "testDestruction: true",
        "No contract can be self-destructed",
        "the call that destroyed a contract got through",
    ),
    ("assert_direct", "assertion", "", "", "the assertion failed"),
    ("foundry_invariant", "foundry", "", "", "the invariant does not hold"),
    ("foundry_mode_setup_and_fuzz", "foundry", "", "testFuzz_small", "the test failed"),
];

fn tools() -> PathBuf {
    let tools = std::env::var_os("PROOFSTONE_TOOLS").map(PathBuf::from);
    tools
        .expect("PROOFSTONE_TOOLS is not set: run ./ci/test, which installs what tests need")
        .join("fuzz")
}

/// The test's text for a finding, and for the same sequence without its last transaction.
fn reproducers((name, mode, setting, test, _): (&str, &str, &str, &str, &str)) -> (String, String) {
    let mut config = Config {
        test_mode: TestMode::parse(mode).unwrap(),
        test_limit: 20_000,
        workers: Some(1),
        seed: Some(0),
        ..Config::default()
    };
    read_echidna_yaml(setting, &mut config).unwrap();
    let source = std::fs::read_to_string(format!("{SUITE}/contracts/{name}.sol")).unwrap();
    let contract = source.lines().find_map(|line| line.strip_prefix("// contract: "));
    let located = load(Path::new(&format!("{SUITE}/artifacts/{name}.json")), None, None).unwrap();
    let target = Target::prepare(located.artifacts, contract, &config).unwrap();
    let campaign = Campaign::start(target, config);
    campaign.wait();
    let mut found = campaign.tests().into_iter().filter(|t| test.is_empty() || t.name == test);
    let failure = found.find_map(|t| t.failure);
    let failure = failure.unwrap_or_else(|| panic!("{name}: nothing was found"));
    let mut shorter = failure.sequence.clone();
    shorter.pop();
    let cut = Failure { sequence: shorter, ..Failure::clone(&failure) };
    (campaign.foundry_test(&failure), campaign.foundry_test(&cut))
}

/// A Foundry project with the contracts of the suite in its root, where the tests import them from.
fn project(folder: &Path) {
    let wrapper = tools().join("solc");
    let settings = format!(
        "[profile.default]\nsolc = \"{}\"\noffline = true\nsrc = \"src\"\ntest = \"test\"\nlibs = []\n",
        wrapper.display()
    );
    std::fs::write(folder.join("foundry.toml"), settings).unwrap();
    for finding in FINDINGS {
        let name = finding.0;
        std::fs::copy(format!("{SUITE}/contracts/{name}.sol"), folder.join(format!("{name}.sol")))
            .unwrap();
        let (fails, holds) = reproducers(*finding);
        std::fs::create_dir_all(folder.join("test")).unwrap();
        std::fs::write(folder.join(format!("test/{name}_fails.t.sol")), fails).unwrap();
        std::fs::write(folder.join(format!("test/{name}_holds.t.sol")), holds).unwrap();
    }
}

fn results(folder: &Path) -> Value {
    let forge = tools().join("node_modules/@foundry-rs/forge-linux-amd64/bin/forge");
    let output = Command::new(forge).current_dir(folder).args(["test", "--json"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let json = text.lines().find_map(|line| serde_json::from_str(line).ok());
    json.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// The one test of a file: whether it passed and the reason it gave.
fn result(results: &Value, file: &str) -> (String, String) {
    let mut suites = results.as_object().unwrap().iter();
    let suite = suites.find(|(name, _)| name.contains(&format!("test/{file}.t.sol")));
    let (_, suite) = suite.unwrap_or_else(|| panic!("{file} was not run: {results:#}"));
    let (_, test) = suite["test_results"].as_object().unwrap().iter().next().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&test["status"]), text(&test["reason"]))
}

#[test]
fn foundry_repeats_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let results = results(folder.path());
    let mut wrong = Vec::new();
    for (name, _, _, _, reason) in FINDINGS {
        let (status, said) = result(&results, &format!("{name}_fails"));
        if status != "Failure" || !said.contains(reason) {
            wrong.push(format!(
                "{name}: expected a failure with `{reason}`, found {status} `{said}`"
            ));
        }
        let (status, said) = result(&results, &format!("{name}_holds"));
        if status != "Success" {
            wrong.push(format!(
                "{name} without its last call: expected success, found {status} `{said}`"
            ));
        }
    }
    if let Some(keep) = std::env::var_os("KEEP_PROJECT") {
        let copied = Command::new("cp").arg("-r").arg(folder.path()).arg(keep).status();
        assert!(copied.is_ok_and(|status| status.success()), "the project can't be kept");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
