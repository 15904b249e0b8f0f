//! What `solc --combined-json` prints: contracts by `file:Name`, their parts as plain hex strings.

use super::read::{ArtifactError, Parts};
use super::{Artifacts, Source};
use serde_json::{Value as Json, json};
use std::borrow::Cow;

/// Whether the contracts of a JSON file are laid out in this way.
pub(super) fn is_combined(contracts: &Json) -> bool {
    let mut all = contracts.as_object().into_iter().flatten();
    all.any(|(name, contract)| name.contains(':') && contract["bin"].is_string())
}

/// Reads the whole output.
pub(super) fn read_combined(output: &Json, artifacts: &mut Artifacts) -> Result<(), ArtifactError> {
    // The place in this list is the number that source maps use.
    let list = output["sourceList"].as_array().into_iter().flatten().filter_map(Json::as_str);
    artifacts.sources.extend(list.enumerate().map(|(id, path)| Source {
        id: i64::try_from(id).unwrap_or(-1),
        path: path.to_owned(),
        on_disk: None,
        text: None,
        ast: tree_of(&output["sources"][path]),
    }));
    for (qualified, contract) in output["contracts"].as_object().into_iter().flatten() {
        let (file, name) = qualified.rsplit_once(':').unwrap_or(("", qualified));
        let abi = unpacked(&contract["abi"], name)?;
        let parts = Parts {
            name,
            file,
            abi: &abi,
            creation: &json!({ "object": contract["bin"], "sourceMap": contract["srcmap"] }),
            runtime: &json!({ "object": contract["bin-runtime"], "sourceMap": contract["srcmap-runtime"] }),
            storage: contract.get("storage-layout"),
        };
        artifacts.contracts.push(parts.build()?);
    }
    Ok(())
}

/// Compilers before 0.8 put the ABI's JSON into a string.
fn unpacked<'a>(abi: &'a Json, name: &str) -> Result<Cow<'a, Json>, ArtifactError> {
    match abi {
        Json::String(text) => serde_json::from_str(text)
            .map(Cow::Owned)
            .map_err(|source| ArtifactError::Abi { name: name.to_owned(), source }),
        Json::Null => Err(ArtifactError::NoAbi { name: name.to_owned() }),
        other => Ok(Cow::Borrowed(other)),
    }
}

/// The syntax tree, unless it is of the kind that compilers wrote before 0.4.12.
fn tree_of(source: &Json) -> Option<Json> {
    source.get("AST").filter(|tree| tree.get("nodeType").is_some()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::read_artifact;
    use expect_test::{Expect, expect};
    use std::path::Path;

    fn check(output: &Json, expected: Expect) {
        let mut artifacts = Artifacts::default();
        let read = read_artifact(output, Path::new("combined.json"), &mut artifacts);
        let mut told: Vec<_> = artifacts
            .contracts
            .iter()
            .map(|c| {
                let signatures: Vec<_> = c.functions.iter().map(|f| &*f.signature).collect();
                format!("{} {signatures:?} deployable: {}\n", c.qualified_name(), c.is_deployable())
            })
            .collect();
        told.extend(
            artifacts
                .sources
                .iter()
                .map(|s| format!("{} {} tree: {}\n", s.id, s.path, s.ast.is_some())),
        );
        told.extend(read.err().map(|error| format!("{error}\n")));
        expected.assert_eq(&told.concat());
    }

    fn output(abi: &Json) -> Json {
        json!({
            "contracts": { "src/a.sol:A": { "abi": abi, "bin": "6001", "bin-runtime": "6002", "srcmap": "0:1:1" } },
            "sourceList": ["lib.sol", "src/a.sol"],
            "sources": { "src/a.sol": { "AST": { "nodeType": "SourceUnit" } }, "lib.sol": { "AST": { "children": [] } } },
            "version": "0.8.24",
        })
    }

    #[test]
    fn every_compilers_combined_output_is_read() {
        let abi = json!([{ "type": "function", "name": "f", "inputs": [], "outputs": [], "stateMutability": "view" }]);
        let read = expect![[r#"
            src/a.sol:A ["f()"] deployable: true
            0 lib.sol tree: false
            1 src/a.sol tree: true
        "#]];
        check(&output(&abi), read);
        let in_a_string = Json::String(abi.to_string());
        check(
            &output(&in_a_string),
            expect![[r#"
            src/a.sol:A ["f()"] deployable: true
            0 lib.sol tree: false
            1 src/a.sol tree: true
        "#]],
        );
        check(
            &output(&Json::Null),
            expect![[r#"
            0 lib.sol tree: false
            1 src/a.sol tree: true
            A has no ABI: compile with it, as in `solc --combined-json abi,bin,bin-runtime,srcmap,srcmap-runtime,ast`
        "#]],
        );
        check(
            &output(&Json::String("[".to_owned())),
            expect![[r#"
            0 lib.sol tree: false
            1 src/a.sol tree: true
            the ABI of A cannot be read: EOF while parsing a list at line 1 column 1
        "#]],
        );
    }
}
