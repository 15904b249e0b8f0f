//! Every tool's definition stands in `contracts/<tool>.json`, so that a change of what clients are
//! told is seen in a diff. `cargo xtask goldens` writes them anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[test]
fn every_definition_is_as_it_was_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts");
    let tools = definitions();
    let update = std::env::var_os("UPDATE_GOLDENS").is_some();
    let mut expected = BTreeSet::new();
    for tool in &tools {
        let path = folder.join(format!("{}.json", tool["name"].as_str().expect("a name")));
        let now = format!("{tool:#}\n");
        if update {
            std::fs::write(&path, &now).expect("a golden can be written");
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            golden == now,
            "{} is not as reviewed: run `cargo xtask goldens` and look at the diff",
            path.display()
        );
        expected.insert(path);
    }
    for path in present(&folder) {
        if update && !expected.contains(&path) {
            std::fs::remove_file(&path).expect("a golden can be removed");
        }
        assert!(update || expected.contains(&path), "{} belongs to no tool", path.display());
    }
}

/// What every client accepts, over every tool: see docs/ARCHITECTURE.md.
#[test]
fn every_schema_is_one_that_clients_accept() {
    for tool in definitions() {
        let name = tool["name"].as_str().expect("a name").to_owned();
        for key in ["inputSchema", "outputSchema"] {
            let Some(schema) = tool.get(key) else { continue };
            assert_eq!(schema["type"], "object", "{name}: the root of {key} must be an object");
            walk(schema, &mut |key, value| {
                let fault = match (key, value) {
                    ("format", Value::String(format)) => {
                        !["date-time", "uri", "uuid", "date", "email"].contains(&format.as_str())
                    }
                    ("type", Value::Array(_))
                    | ("default", Value::Null)
                    | ("items" | "anyOf" | "oneOf" | "allOf", Value::Bool(_)) => true,
                    ("additionalProperties", Value::Bool(open)) => *open,
                    _ => false,
                };
                assert!(!fault, "{name}: clients reject {key}: {value}");
            });
        }
    }
}

fn walk(value: &Value, look: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                // Under these keys stand names of fields, and not keywords.
                if key != "properties" {
                    look(key, value);
                    walk(value, look);
                } else if let Value::Object(properties) = value {
                    for property in properties.values() {
                        assert!(!property.is_boolean(), "a boolean subschema");
                        walk(property, look);
                    }
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, look)),
        _ => {}
    }
}

fn definitions() -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .args(["tools", "--json"])
        .env("MCP_ENV", "local")
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the definitions are JSON")
}

fn present(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of the goldens is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "json")).collect()
}
