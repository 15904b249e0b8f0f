//! `proofstone fuzz` as a person or a script runs it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn artifact(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../evm/tests").join(name)
}

fn fuzz(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .arg("fuzz")
        .args(arguments)
        .output()
        .unwrap()
}

fn summary(output: &Output) -> serde_json::Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn a_falsified_property_is_told_in_the_last_line_and_in_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let target = artifact("suite/artifacts/state_five_steps.json");
    let arguments = [
        target.to_str().unwrap(),
        "--test-limit",
        "10000",
        "--seed",
        "6",
        "--workers",
        "1",
        "--json",
    ];
    let output = fuzz(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let summary = summary(&output);
    let test = &summary["tests"][0];
    assert_eq!(test["name"], "echidna_start");
    assert_eq!(test["kind"], "property");
    assert_eq!(test["status"], "falsified");
    assert_eq!(test["sequence"], serde_json::json!(["a()", "b()", "c()", "d()", "e()"]));
    assert_eq!((&summary["seed"], &summary["workers"]), (&6.into(), &1.into()));
    for number in ["calls", "wallSeconds", "cpuSeconds", "corpusTransactions"] {
        assert!(summary[number].is_number(), "{number}");
    }
    assert!(summary["coverage"]["lines"]["found"].is_number());
}

#[test]
fn what_holds_exits_with_zero_and_best_values_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let holds = artifact("suite/artifacts/holds_invariant.json");
    let arguments = [holds.to_str().unwrap(), "--test-limit", "3000", "--json"];
    let output = fuzz(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(summary(&output)["calls"], 3000);
    let best = artifact("suite/artifacts/optimize_price.json");
    let arguments =
        [best.to_str().unwrap(), "--test-mode", "optimization", "--test-limit", "10000", "--json"];
    assert_eq!(summary(&fuzz(folder.path(), &arguments))["tests"][0]["value"], "900");
}

#[test]
fn a_saved_campaign_is_repeated_and_its_corpus_minimised() {
    let folder = tempfile::tempdir().unwrap();
    let target = artifact("suite/artifacts/magic_runtime_value.json");
    let target = target.to_str().unwrap();
    let run = |extra: &[&str]| {
        let mut arguments = vec![target, "--test-limit", "4000", "--workers", "2", "--json"];
        arguments.extend(extra);
        summary(&fuzz(folder.path(), &arguments))
    };
    let first = run(&["--corpus", "corpus"]);
    let again = run(&["--replay", "corpus"]);
    assert_eq!(first["tests"], again["tests"]);
    assert_eq!(first["calls"], again["calls"]);
    let output = fuzz(folder.path(), &["minimize", target, "--corpus", "corpus"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("kept "), "{output:?}");
}

/// A campaign whose every setting comes from a file is repeated from its record alone.
#[test]
fn a_campaign_is_repeated_without_the_file_of_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    let target = artifact("suite/artifacts/config_everything.json");
    let target = target.to_str().unwrap();
    let yaml = "prefix: holds_\nsender: [\"0xbeef\", \"0xcafe\"]\ndeployer: \"0xd00d\"\npsender: \"0xcafe\"\nseqLen: 9\ntestLimit: 7001\nshrinkLimit: 900\nworkers: 2\nseed: 77\nfilterFunctions: [\"Lock.reset(uint8)\"]\nmaxTimeDelay: 500\nmaxValue: 3\nbalanceContract: 5\nbalanceAddr: 60\ntestMaxGas: 900000\ndictFreq: 0.6\nestimateGas: true\n";
    std::fs::write(folder.path().join("lock.yaml"), yaml).unwrap();
    let run = |more: &[&str]| {
        let output = fuzz(folder.path(), &[&[target, "--json"], more].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let mut told = summary(&output);
        // Time is all that may differ.
        for clock in ["wallSeconds", "cpuSeconds"] {
            told.as_object_mut().unwrap().remove(clock);
        }
        told
    };
    let first = run(&["--contract", "Lock", "--config", "lock.yaml", "--corpus", "kept"]);
    std::fs::remove_file(folder.path().join("lock.yaml")).unwrap();
    assert_eq!(run(&["--replay", "kept"]), first);
    let found = |name: &str| {
        let tests = first["tests"].as_array().unwrap();
        tests.iter().find(|t| t["name"] == name).unwrap()["status"].clone()
    };
    assert_eq!(
        (found("holds_closed"), found("holds_settings")),
        ("falsified".into(), "passed".into())
    );
    assert_eq!((&first["workers"], &first["seed"]), (&2.into(), &77.into()));
    assert_eq!(first["calls"], 7001, "a campaign with an open test uses all its calls");
}

#[test]
fn mistakes_exit_with_two_and_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let target = artifact("inputs/artifacts/bad.json");
    let target = target.to_str().unwrap();
    let problem = |arguments: &[&str]| {
        let output = fuzz(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(
        problem(&[target, "--contract", "Nope"])
            .contains("no contract `Nope` here; there are: Far")
    );
    assert!(problem(&["missing.sol"]).contains("missing.sol does not exist"));
    assert!(
        problem(&[target, "--contract", "Plain", "--test-mode", "magic"])
            .contains("unknown test mode `magic`")
    );
    std::fs::write(folder.path().join("e.yaml"), "testLimit: many\n").unwrap();
    assert!(
        problem(&[target, "--contract", "Plain", "--config", "e.yaml"])
            .contains("`testLimit` must be a whole number")
    );
    assert!(problem(&[]).contains("<TARGET>"));
}

#[test]
fn reports_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let target = artifact("inputs/artifacts/bad.json");
    let arguments = [
        target.to_str().unwrap(),
        "--contract",
        "Plain",
        "--test-limit",
        "2000",
        "--lcov",
        "l.info",
        "--html",
        "c.html",
        "--reproducers",
        "tests",
    ];
    let output = fuzz(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("echidna_small: falsified") && text.contains("Plain.total: 0 -> "),
        "{text}"
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("l.info").contains("SF:bad.sol"));
    assert!(read("c.html").contains("bad.sol"));
    assert!(read("tests/echidna_small.t.sol").contains("contract Plain_echidna_small_Test {"));
}
