//! What keeps the workspace in shape: the arrows between crates, the size of files, and rules that no
//! compiler checks. A rule that fails here says what to do about it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which of our crates each crate may depend on. A new arrow is a decision about the design: change
/// docs/ARCHITECTURE.md with it.
const ARROWS: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("gate", &["contract"]),
    ("jail", &[]),
    ("lcov", &[]),
    ("evm", &[]),
    ("embed", &[]),
    ("coverage", &["contract", "jail", "lcov"]),
    ("patterns", &["contract", "jail", "embed"]),
    ("context", &["contract", "jail", "embed"]),
    ("fuzz", &["contract", "jail", "lcov", "evm"]),
    ("mcptest", &["contract", "jail"]),
    ("console", &["contract", "gate"]),
    ("server", &["contract", "gate", "console"]),
    ("testkit", &["contract", "gate"]),
    (
        "proofstone",
        &[
            "contract", "gate", "server", "jail", "lcov", "coverage", "patterns", "context", "evm",
            "fuzz", "mcptest",
        ],
    ),
    ("xtask", &[]),
];

/// A file longer than this is more than one subject.
const LONGEST_FILE: usize = 900;

/// Crates that may speak to the protocol's library.
const KNOW_MCP: &[&str] = &["server", "mcptest"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the workspace is there")
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

/// Our crates with the names of what they depend on outside their tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let names = |package: &Value| {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .map(|dependency| short(dependency["name"].as_str().expect("a name")))
            .collect::<BTreeSet<_>>()
    };
    packages
        .iter()
        .map(|package| (short(package["name"].as_str().expect("a name")), names(package)))
        .collect()
}

fn short(name: &str) -> String {
    name.strip_prefix("proofstone-").unwrap_or(name).to_owned()
}

#[test]
fn arrows_point_down_only() {
    let ours: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for (name, dependencies) in dependencies() {
        let allowed = ours.get(name.as_str()).unwrap_or_else(|| {
            panic!("the crate `{name}` is not in the design: add it to ARROWS and to docs/ARCHITECTURE.md")
        });
        for dependency in dependencies.iter().filter(|d| ours.contains_key(d.as_str())) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "`{name}` must not depend on `{dependency}`: docs/ARCHITECTURE.md says why"
            );
        }
    }
}

#[test]
fn only_the_server_and_the_tester_know_the_protocol() {
    for (name, dependencies) in dependencies() {
        let knows = dependencies.contains("rmcp");
        assert!(!knows || KNOW_MCP.contains(&name.as_str()), "`{name}` must not depend on rmcp");
    }
}

#[test]
fn files_are_one_subject_long() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        let file = path.display();
        assert!(lines <= LONGEST_FILE, "{file} has {lines} lines: split it by subject");
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for (path, text) in sources() {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let told = first.starts_with("//!") || first.starts_with("#!");
        assert!(told, "{} must begin with a //! paragraph", path.display());
    }
}

#[test]
fn lints_are_expected_and_never_allowed() {
    for (path, text) in sources() {
        let allowed = text.lines().position(|line| {
            let line = line.trim_start();
            line.starts_with("#[allow(") || line.starts_with("#![allow(")
        });
        assert!(
            allowed.is_none(),
            "{}:{}: write #[expect(lint, reason = \"…\")] instead",
            path.display(),
            allowed.unwrap_or(0) + 1
        );
    }
}

#[test]
fn nothing_in_the_tree_names_a_place_outside_it() {
    let outside = ["work", "root", "farm"].map(|folder| format!("/{folder}/[a-z.]"));
    let output = Command::new("git")
        .args([
            "grep",
            "-nIE",
            &outside.join("|"),
            "--",
            ".",
            ":!crates/testkit/tests/tidy.rs",
            ":!*.lock",
        ])
        .current_dir(root())
        .output()
        .expect("git runs");
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: Vec<&str> = found.lines().take(5).collect();
    assert!(found.is_empty(), "paths of one machine in the tree:\n{}", found.join("\n"));
}

/// The Rust files of the workspace, with their text.
fn sources() -> Vec<(PathBuf, String)> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "--", "crates", "xtask"])
        .current_dir(root())
        .output()
        .expect("git runs");
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let rust =
        listed.lines().map(PathBuf::from).filter(|p| p.extension().is_some_and(|e| e == "rs"));
    rust.filter_map(|path| Some((path.clone(), std::fs::read_to_string(root().join(path)).ok()?)))
        .collect()
}
