//! The demo is the first thing that anybody runs: it needs nothing installed and every step must hold.

use std::process::Command;

use serde_json::Value;

#[test]
fn every_step_of_the_demo_holds() {
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .args(["demo", "--json"])
        .current_dir(elsewhere.path())
        .env("HOME", elsewhere.path())
        .env("PATH", "")
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["failed"], serde_json::json!([]), "{report:#}");
    assert!(output.status.success());
    let calls = report["calls"].as_array().expect("calls");
    let called: Vec<&str> = calls.iter().filter_map(|call| call["tool"].as_str()).collect();
    for tool in
        ["context_search", "end_coverage_snapshot", "analyze_code", "list_failures", "check_server"]
    {
        assert!(called.contains(&tool), "{tool} is not shown: {called:?}");
    }
    let left: Vec<_> = std::fs::read_dir(elsewhere.path()).expect("the folder").flatten().collect();
    let left: Vec<_> =
        left.iter().map(|entry| entry.file_name()).filter(|name| name != ".cache").collect();
    assert!(left.is_empty(), "the demo leaves {left:?} behind");
}
