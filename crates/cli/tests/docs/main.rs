//! The reference pages in `docs/tools/`: every tool with its arguments, a real call and the answer.
//!
//! The calls stand in `calls.json` and are made against a real server on the bundled examples, in one
//! session. What came back is kept in `contracts/examples/`, and the pages are written from that and
//! from the tools' definitions. `cargo xtask docs` makes the calls and writes the pages anew; without
//! it, the calls are still made and must end as the examples say, and stale pages fail.

mod page;
mod session;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::Example;

/// Tools without an example, and why: what they need is not on every machine.
const WITHOUT: [(&str, &str); 1] = [("add_property", "needs a Solidity compiler")];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

fn definitions() -> Vec<Value> {
    let folder = std::fs::read_dir(repository().join("contracts")).expect("the goldens");
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(path).expect("a golden");
        serde_json::from_str(&text).expect("a golden is JSON")
    };
    paths.into_iter().map(read).collect()
}

fn examples() -> BTreeMap<String, Example> {
    let read = |tool: &Value| {
        let name = tool["name"].as_str().expect("a name");
        let text = std::fs::read_to_string(file(name)).ok()?;
        Some((name.to_owned(), Example::parse(&text)))
    };
    definitions().iter().filter_map(read).collect()
}

fn file(tool: &str) -> PathBuf {
    repository().join(format!("contracts/examples/{tool}.json"))
}

#[test]
fn the_examples_end_as_they_say_and_the_pages_are_fresh() {
    let made = session::run(&repository());
    if updating() {
        for (tool, example) in &made {
            std::fs::write(file(tool), example.text()).expect("an example can be written");
        }
    }
    let kept = examples();
    for (tool, example) in &made {
        let before =
            kept.get(tool).unwrap_or_else(|| panic!("{tool} has no example: cargo xtask docs"));
        assert_eq!(before.shape(), example.shape(), "{tool}: run `cargo xtask docs`");
    }
    for tool in definitions() {
        let name = tool["name"].as_str().expect("a name");
        let excused = WITHOUT.iter().any(|(excused, _)| *excused == name);
        assert!(excused || kept.contains_key(name), "{name} has no call in calls.json");
    }
    pages(&kept);
}

fn pages(examples: &BTreeMap<String, Example>) {
    let mut sets: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for tool in definitions() {
        sets.entry(tool["toolset"].as_str().expect("a toolset").to_owned()).or_default().push(tool);
    }
    for (set, tools) in sets {
        let path = repository().join(format!("docs/tools/{set}.md"));
        let page = page::write(&set, &tools, examples);
        if updating() {
            std::fs::write(&path, &page).expect("a page can be written");
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == page, "{} is stale: run `cargo xtask docs`", path.display());
    }
}
