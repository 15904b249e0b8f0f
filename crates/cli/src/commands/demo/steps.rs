//! The steps of the demo: each calls tools, shows what matters of the answers, and says what must hold.

use serde_json::{Value, json};

use super::project::{self, CHANGE};
use super::tour::{Held, Tour, expect};

/// One step.
pub(super) struct Step {
    pub(super) title: &'static str,
    pub(super) why: &'static str,
    pub(super) run: fn(&mut Tour) -> Held,
}

/// All steps, in order.
pub(super) const STEPS: &[Step] = &[
    Step {
        title: "What does the code say?",
        why: "An answer from the code itself, with the place, instead of a guess.",
        run: context,
    },
    Step {
        title: "What is tested, and what did the change lose?",
        why: "A percentage says that something was lost; this says which lines, and why.",
        run: coverage,
    },
    Step {
        title: "How should it be written?",
        why: "The rule that belongs to the pattern runs on the code; its own examples are its tests.",
        run: patterns,
    },
    Step {
        title: "What breaks it?",
        why: "A few calls that break the contract's own promise, and a test that fails until it is mended.",
        run: fuzz,
    },
    Step {
        title: "Does this tool server do what it claims?",
        why: "Every claim is tried on the wire, and each finding comes with the frames that prove it.",
        run: mcp_test,
    },
];

fn context(tour: &mut Tour) -> Held {
    let query = "where is the tax rounded";
    let found = tour.call("context_search", json!({ "query": query, "limit": 3 }))?;
    let results = found["results"].as_array().cloned().unwrap_or_default();
    for result in &results {
        let (file, line) = (text(&result["file"]), &result["startLine"]);
        tour.show(&format!(
            "{file}:{line}  {}  score {}",
            text(&result["symbol"]),
            result["score"]
        ));
    }
    let best = results.first().map(|result| text(&result["file"]).to_owned()).unwrap_or_default();
    expect(best == "src/prices.ts", "the rounding of the tax is found in src/prices.ts")?;
    let arguments = json!({ "path": "src/checkout.ts", "includeDeps": true });
    let file = tour.call("read_file", arguments)?;
    let dependencies = file["dependencies"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> =
        dependencies.iter().map(|dependency| text(&dependency["path"])).collect();
    tour.show(&format!("{} lines, imports {}", file["file"]["lines"], names.join(", ")));
    expect(names.contains(&"src/cart.ts"), "checkout imports the cart")
}

fn coverage(tour: &mut Tour) -> Held {
    let before = json!({ "lcovPath": "coverage/before.info" });
    let overall = tour.call("get_overall_coverage", before.clone())?;
    let snapshot = tour.call("start_coverage_snapshot", before)?;
    tour.show(&format!(
        "overall {} %; now the checkout is changed and the tests run again",
        overall["overall"]
    ));
    project::change(tour.root()).map_err(|error| error.to_string())?;
    let after = json!({ "snapshotId": snapshot["snapshotId"], "lcovPath": "coverage/after.info" });
    let change = tour.call("end_coverage_snapshot", after.clone())?;
    let lost = &change["fileChanges"]["src/checkout.ts"];
    tour.show(&format!("overall {} points, src/checkout.ts {lost}", change["overallChange"]));
    expect(lost.as_f64().unwrap_or_default() < 0.0, "the change costs checkout coverage")?;
    let patch = json!({ "lcovPath": "coverage/after.info", "diff": CHANGE });
    let patch = tour.call("get_patch_coverage", patch)?;
    let range = &patch["files"][0]["uncovered"][0];
    tour.show(&format!(
        "{} % of the changed lines run; lines {}-{} never do",
        patch["percent"], range["start"], range["end"]
    ));
    let explained = tour.call("explain_coverage_change", after)?;
    let lost = &explained["files"][0]["lostCoverage"][0];
    tour.show(&format!(
        "lines {}-{} lost their test although nobody touched them",
        lost["start"], lost["end"]
    ));
    expect(
        range["start"] == 16 && lost["start"] == 25,
        "both the untested and the lost lines are named",
    )
}

fn patterns(tour: &mut Tour) -> Held {
    let question = "a payment failed and nobody noticed the promise";
    let found =
        tour.call("search_patterns", json!({ "q": question, "limit": 3, "format": "json" }))?;
    let total = &found["metadata"]["totalCount"];
    tour.show(&format!("{total} patterns match, the first: {}", text(&found["patterns"][0]["id"])));
    let checked = tour.call("analyze_code", json!({ "paths": ["src"] }))?;
    let finding = &checked["findings"][0];
    let (file, line) = (text(&finding["file"]), &finding["range"]["startLine"]);
    tour.show(&format!("{file}:{line}  {}", text(&finding["message"])));
    expect(
        text(&finding["patternId"]) == "ts-no-swallowed-rejection",
        "the swallowed rejection is found",
    )
}

fn fuzz(tour: &mut Tour) -> Held {
    let plan =
        json!({ "target": "artifacts/Vault.json", "seed": 1, "workers": 1, "testLimit": 20_000 });
    let started = tour.call("start_campaign", plan)?;
    let functions = started["functions"].as_array().map(Vec::len).unwrap_or_default();
    tour.show(&format!("{}: {functions} functions are called", text(&started["contract"])));
    let status = tour.call("campaign_status", json!({ "waitSeconds": 120 }))?;
    tour.show(text(&status["message"]));
    let failures = tour.call("list_failures", json!({ "trace": false }))?;
    let failure = &failures["failures"][0];
    tour.show(&format!("{} is false after", text(&failure["property"])));
    for step in failure["sequence"].as_array().into_iter().flatten() {
        let change = &step["changes"][0];
        let (name, before, after) = (&change["variable"], &change["before"], &change["after"]);
        let changed = format!("{} {} -> {}", text(name), text(before), text(after));
        tour.show(&format!("  {}   {changed}", text(&step["call"])));
    }
    let test =
        text(&failure["foundryTest"]).lines().skip_while(|line| !line.contains("function test_"));
    for line in test.take(6) {
        tour.show(&format!("| {line}"));
    }
    let calls = failure["sequence"].as_array().map(Vec::len).unwrap_or_default();
    let found = failure["property"] == "echidna_shares_are_backed" && failure["shrunk"] == true;
    expect(found && calls == 2, "the fault in the vault's books is shown in two calls")
}

fn mcp_test(tour: &mut Tour) -> Held {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = json!({ "command": program, "args": ["serve", "--root", tour.root()] });
    let opened = tour.call("connect_to_server", target)?;
    let info = &opened["connection"];
    tour.show(&format!(
        "{} {}, revision {}",
        text(&info["server_info"]["name"]),
        text(&info["server_info"]["version"]),
        text(&info["protocol_version"])
    ));
    let listed = tour.call("list_tools", json!({}))?;
    tour.show(&format!("{} tools", listed["metadata"]["total_tools"]));
    let checked = tour.call("check_server", json!({}))?;
    let run = checked["checks"].as_array().map(Vec::len).unwrap_or_default();
    tour.show(&format!(
        "{run} checks, {} tools called, {} errors, {} warnings",
        checked["totals"]["tools_called"],
        checked["totals"]["errors"],
        checked["totals"]["warnings"]
    ));
    tour.call("disconnect", json!({}))?;
    expect(checked["conforms"] == true, "our own server keeps to the protocol")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
