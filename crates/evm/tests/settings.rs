//! Settings that decide what is there before the first call and what is told after the last.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use expect_test::expect;
use proofstone_evm::artifact::load;
use proofstone_evm::campaign::Campaign;
use proofstone_evm::config::Config;
use proofstone_evm::settings::read_echidna_yaml;
use proofstone_evm::target::{Target, TargetError};
use std::path::Path;

fn config(yaml: &str) -> Config {
    let mut config =
        Config { test_limit: 4_000, seed: Some(5), workers: Some(2), ..Config::default() };
    assert_eq!(read_echidna_yaml(yaml, &mut config).unwrap(), Vec::<String>::new());
    config
}

fn target(name: &str, config: &Config) -> Result<Target, TargetError> {
    let path = format!("{}/tests/suite/artifacts/{name}.json", env!("CARGO_MANIFEST_DIR"));
    Target::prepare(load(Path::new(&path), None, None).unwrap().artifacts, None, config)
}

#[test]
fn the_dearest_call_of_every_function_is_kept() {
    let config = config("estimateGas: true\n");
    let campaign = Campaign::start(target("gas_of_a_shelf", &config).unwrap(), config);
    campaign.wait();
    let functions = &campaign.target().functions;
    let peaks = campaign.gas_peaks();
    let gas = |name: &str| {
        let peak = peaks.iter().find(|p| functions[p.function].function.name == name).unwrap();
        assert_eq!(peak.sequence.last().unwrap().function(), Some(peak.function), "{name}");
        peak.gas
    };
    // A first write of a slot takes 22,100; the walk takes more with every book.
    assert!((22_100..24_000).contains(&gas("label")), "{}", gas("label"));
    assert!((44_000..46_000).contains(&gas("add")), "{}", gas("add"));
    assert!(gas("walk") > 50_000, "{}", gas("walk"));
    let refused = peaks.iter().any(|p| functions[p.function].function.name == "refuse");
    assert!(!refused, "what always reverts takes no gas to speak of");
}

#[test]
fn nothing_is_kept_unless_it_is_asked_for() {
    let config = config("");
    let campaign = Campaign::start(target("gas_of_a_shelf", &config).unwrap(), config);
    campaign.wait();
    assert!(campaign.gas_peaks().is_empty());
}

/// Creation code of a contract that answers every call with its own call's count, from zero.
const COUNTER: &str = "0x6012600c60003960126000f36000548060005260010160005560206000f3";

fn history(text: &str) -> Result<Target, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.json");
    std::fs::write(&path, text).unwrap();
    let config = config(&format!("initialize: {}\n", path.display()));
    let shown = path.display().to_string();
    target("config_history", &config).map_err(|e| e.to_string().replace(&shown, "history.json"))
}

#[test]
fn recorded_transactions_are_made_first() {
    let events = format!(
        r#"[
        {{"event": "AccountCreated", "address": "00000000000000000000000000000000000a11ce"}},
        {{"event": "ContractCreated", "from": "0xa11ce", "contract_address": "0xc0de", "gas_used": "0x1", "gas_price": "0x0", "data": "{COUNTER}", "value": "0x0"}},
        {{"event": "FunctionCall", "from": "0xa11ce", "to": "0xc0de", "gas_used": "0x1", "gas_price": "0x0", "data": "0x", "value": "0x0"}},
        {{"event": "FunctionCall", "from": "0xa11ce", "to": "0xc0de", "gas_used": "0x1", "gas_price": "0x0", "data": "0x01020304", "value": "0x0"}},
        {{"event": "BlockMined", "number_increment": 7, "timestamp_increment": 90}}
        ]"#
    );
    let target = history(&events).unwrap();
    let warnings = target.warnings.iter().filter(|w| w.contains("initialize")).count();
    assert_eq!(warnings, 0);
    let campaign = Campaign::start(target, config(""));
    campaign.wait();
    let falsified: Vec<_> = campaign.tests().into_iter().filter(|t| t.failure.is_some()).collect();
    assert!(falsified.is_empty(), "{falsified:?}");
}

#[test]
fn a_record_that_cannot_be_repeated_is_explained() {
    let check = |text: &str, expected: &expect_test::Expect| {
        expected.assert_eq(&history(text).map_or_else(|e| e, |t| t.warnings.join("; ")));
    };
    check("[{]", &expect!["`initialize`: history.json: key must be a string at line 1 column 3"]);
    check(
        r#"[{"event": "Eclipse"}]"#,
        &expect![
            "`initialize`: history.json: unknown variant `Eclipse`, expected one of `AccountCreated`, `ContractCreated`, `FunctionCall`, `BlockMined` at line 1 column 20"
        ],
    );
    check(
        r#"[{"event": "AccountCreated", "address": "0xzz"}]"#,
        &expect!["`initialize`: history.json: `0xzz` is not hexadecimal at line 1 column 48"],
    );
    check(
        r#"[{"event": "ContractCreated", "from": "0x1", "contract_address": "0x2", "data": "0xfe"}]"#,
        &expect![
            "`initialize`: history.json: event 0 failed: assertion failed (INVALID instruction)"
        ],
    );
    let missing = config("initialize: /nowhere/at/all.json\n");
    let error = target("config_history", &missing).unwrap_err().to_string();
    expect!["`initialize`: /nowhere/at/all.json: No such file or directory (os error 2)"]
        .assert_eq(&error);
}
