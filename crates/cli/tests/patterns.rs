//! `proofstone patterns` as a person and as CI see it, and scans that must not take the program down.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

fn run(root: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .arg("--root")
        .arg(root)
        .args(arguments)
        .env_remove("PROOFSTONE_PATTERNS")
        .env("XDG_CONFIG_HOME", root)
        .output()
        .expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn shop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop")
}

fn call(root: &Path, tool: &str, arguments: &Value) -> Value {
    let file = root.join("arguments.json");
    std::fs::write(&file, arguments.to_string()).expect("written");
    let output = run(root, &["call", tool, &format!("@{}", file.display())]);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("not JSON: {}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn check_finds_the_swallowed_rejection_of_the_example() {
    let output = run(&shop(), &["patterns", "check", "src"]);
    let said = text(&output.stdout);
    assert!(
        said.contains("src/checkout.ts:28:3: error This rejection is swallowed"),
        "{said}{}",
        text(&output.stderr)
    );
    assert!(said.contains("pattern ts-no-swallowed-rejection"));
    assert_eq!(output.status.code(), Some(1));
    assert!(!said.contains('\u{1b}'), "no colours without a terminal");
}

#[test]
fn check_speaks_sarif_and_github() {
    let output = run(&shop(), &["patterns", "check", "src", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&output.stdout).expect("SARIF is JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(
        (&log["version"], &result["ruleId"], &result["level"]),
        (&json!("2.1.0"), &json!("ts-empty-catch-callback"), &json!("error"))
    );
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 28);
    let output = run(&shop(), &["patterns", "check", "src", "--format", "github"]);
    assert!(text(&output.stdout).starts_with(
        "::error file=src/checkout.ts,line=28,col=3,endLine=28,title=ts-empty-catch-callback::"
    ));
}

#[test]
fn the_starter_library_has_nothing_to_lint() {
    let empty = tempfile::tempdir().expect("a folder");
    let output = run(empty.path(), &["patterns", "lint", "--strict"]);
    assert!(text(&output.stdout).ends_with("nothing wrong\n"), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn search_show_new_and_import_work_on_a_project() {
    let project = tempfile::tempdir().expect("a folder");
    let found = run(
        project.path(),
        &["patterns", "search", "payment", "failed", "but", "receipt", "--json"],
    );
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    assert_eq!(found["patterns"][0]["id"], "ts-no-swallowed-rejection");
    let shown = run(project.path(), &["patterns", "show", "retry-with-backof"]);
    assert!(
        text(&shown.stderr).contains("did you mean retry-with-backoff"),
        "{}",
        text(&shown.stderr)
    );
    let made = run(project.path(), &["patterns", "new", "our-way", "--category", "style"]);
    assert_eq!(text(&made.stdout), ".patterns/style/our-way.md\n");
    assert_eq!(run(project.path(), &["patterns", "show", "our-way"]).status.code(), Some(0));
    let hub = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(hub.path().join("core")).expect("a folder");
    let mdx = "---\nid: from-hub\ntitle: From the hub\nskillLevel: beginner\nsummary: S\nrule:\n  description: R\n---\n## Good Example\n```typescript\nlet a = 1;\n```\n";
    std::fs::write(hub.path().join("core/from-hub.mdx"), mdx).expect("written");
    std::fs::write(hub.path().join("bad.mdx"), "no front matter").expect("written");
    let imported = run(project.path(), &["patterns", "import", &hub.path().display().to_string()]);
    assert_eq!(text(&imported.stdout), "1 patterns imported, 0 kept, 1 refused\n");
    assert_eq!(run(project.path(), &["patterns", "show", "from-hub"]).status.code(), Some(0));
}

#[test]
fn a_pattern_for_other_packages_is_left_out_and_named() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path().join(".patterns");
    std::fs::create_dir(&folder).expect("a new folder");
    let file = "---\nid: schemas\ntitle: Quuxed schemas\nsummary: s\nappliesTo: { packages: [\"effect@^3\"] }\n---\n## Guideline\nDo.\n";
    std::fs::write(folder.join("schemas.md"), file).expect("written");
    let asked = || run(project.path(), &["patterns", "search", "quuxed schemas"]);
    assert!(text(&asked().stdout).contains("Quuxed schemas"), "{:?}", asked());
    std::fs::write(project.path().join("package.json"), r#"{"dependencies":{"effect":"~2.4.1"}}"#)
        .expect("written");
    let output = asked();
    assert!(!text(&output.stdout).contains("Quuxed schemas"), "{output:?}");
    let said = "schemas is left out: it is for effect@^3; the project has effect 2.4.1";
    assert!(text(&output.stderr).contains(said), "{output:?}");
}

#[test]
fn code_that_would_overflow_the_parser_is_refused_and_the_rest_is_scanned() {
    let project = tempfile::tempdir().expect("a folder");
    for code in ["{a:".repeat(200_000), "f(".repeat(20_000) + &")".repeat(20_000)] {
        let answer = call(
            project.path(),
            "analyze_code",
            &json!({ "code": code, "language": "typescript" }),
        );
        assert!(
            answer["skipped"][0]["reason"].as_str().expect("a reason").contains("nested more than"),
            "{answer}"
        );
        assert_eq!(answer["filesScanned"], 0);
    }
}

#[test]
fn a_parser_that_dies_or_dawdles_takes_only_its_file_with_it() {
    let project = tempfile::tempdir().expect("a folder");
    let write = |name: &str, code: String| {
        std::fs::write(project.path().join(name), code).expect("written");
    };
    // No brackets to count: deep all the same.
    write("a.ts", format!("x = {}y;", "!".repeat(400_000)));
    write("b.ts", "eval(x);\n".to_owned());
    let answer = call(project.path(), "analyze_code", &json!({ "paths": ["."] }));
    assert_eq!(answer["findings"][0]["ruleId"], "ts-eval", "{answer}");
    let scanned = answer["filesScanned"].as_u64().expect("a count");
    let skipped = answer["skipped"].as_array().expect("a list").len() as u64;
    assert_eq!(scanned + skipped, 2, "every file is accounted for");
}

#[test]
fn a_fix_is_shown_with_proof_and_written_only_when_told_to() {
    let project = tempfile::tempdir().expect("a folder");
    let code = "import yaml\nfirst = yaml.load(a)\nsecond = yaml.load(b)\n";
    std::fs::write(project.path().join("a.py"), code).expect("written");
    let dry = call(
        project.path(),
        "apply_fix",
        &json!({ "rule": "py-yaml-load", "path": "a.py", "line": 3 }),
    );
    assert_eq!(
        (&dry["kind"], &dry["applied"], &dry["written"]),
        (&json!("fixResult:v1"), &json!(1), &json!(false))
    );
    assert_eq!(
        dry["proof"],
        json!({ "parses": true, "findingGone": true, "newFindings": [], "idempotent": true, "holds": true })
    );
    assert!(
        dry["diff"]
            .as_str()
            .expect("a diff")
            .contains("-second = yaml.load(b)\n+second = yaml.safe_load(b)\n")
    );
    assert_eq!(std::fs::read_to_string(project.path().join("a.py")).expect("there"), code);
    let wet = call(
        project.path(),
        "apply_fix",
        &json!({ "rule": "py-yaml-load", "path": "a.py", "dryRun": false }),
    );
    assert_eq!((&wet["applied"], &wet["written"]), (&json!(2), &json!(true)));
    assert_eq!(
        std::fs::read_to_string(project.path().join("a.py")).expect("there"),
        code.replace("yaml.load", "yaml.safe_load")
    );
    let again =
        call(project.path(), "apply_fix", &json!({ "rule": "py-yaml-load", "path": "a.py" }));
    assert_eq!(again["code"], "NOTHING_TO_FIX");
    let outside =
        call(project.path(), "apply_fix", &json!({ "rule": "py-yaml-load", "path": "../a.py" }));
    assert_eq!(outside["code"], "PATH_REFUSED");
}

#[test]
fn a_diff_is_answered_with_the_patterns_its_added_lines_break() {
    let project = tempfile::tempdir().expect("a folder");
    let diff = "--- a/pay.ts\n+++ b/pay.ts\n@@ -1,2 +1,3 @@\n old.catch(() => {});\n+charge(total).catch(() => {});\n done();\n";
    let answer = call(project.path(), "suggest_patterns", &json!({ "diff": diff }));
    let first = &answer["suggestions"][0];
    assert_eq!(
        (&first["pattern"]["id"], &first["because"]),
        (&json!("ts-no-swallowed-rejection"), &json!("anti-pattern"))
    );
    let findings = first["findings"].as_array().expect("findings");
    assert_eq!(
        (findings.len(), &findings[0]["range"]["startLine"]),
        (1, &json!(2)),
        "only the added line"
    );
    let refused = call(project.path(), "suggest_patterns", &json!({ "diff": "hello" }));
    assert_eq!(refused["code"], "VALIDATION_ERROR");
}
