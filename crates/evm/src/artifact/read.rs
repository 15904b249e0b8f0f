//! The artifact formats of Foundry, Hardhat, Truffle and solc itself (what `--combined-json` prints: [`combined`](super::combined)).

use super::combined::{is_combined, read_combined};
use super::{Artifacts, Contract, Immutable, Source, StorageLayout, UnlinkedCode, functions_of};
use alloy_json_abi::JsonAbi;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An artifact file could not be used.
#[derive(Debug, Error)]
pub enum ArtifactError {
    /// The file could not be opened.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not JSON.
    #[error("{path} is not JSON: {source}")]
    Json {
        /// The file.
        path: PathBuf,
        /// Where it went wrong.
        source: serde_json::Error,
    },
    /// The JSON is of no known layout.
    #[error(
        "{path} is no contract artifact: expected `abi` with `bytecode`, or solc's standard-JSON or combined-JSON output with `contracts`"
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// The compiler was not asked for the ABI.
    #[error(
        "{name} has no ABI: compile with it, as in `solc --combined-json abi,bin,bin-runtime,srcmap,srcmap-runtime,ast`"
    )]
    NoAbi {
        /// The contract.
        name: String,
    },
    /// The ABI is not one.
    #[error("the ABI of {name} cannot be read: {source}")]
    Abi {
        /// The contract.
        name: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// Reads one JSON file of any known layout into `artifacts`.
pub fn read_artifact_file(path: &Path, artifacts: &mut Artifacts) -> Result<(), ArtifactError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ArtifactError::Io { path: path.to_owned(), source })?;
    let json: Json = serde_json::from_str(&text)
        .map_err(|source| ArtifactError::Json { path: path.to_owned(), source })?;
    read_artifact(&json, path, artifacts)
}

/// Reads JSON of any known layout into `artifacts`; the path names what the JSON does not.
pub fn read_artifact(
    json: &Json,
    path: &Path,
    artifacts: &mut Artifacts,
) -> Result<(), ArtifactError> {
    if let Some(output) = json.get("output").filter(|o| o.get("contracts").is_some()) {
        // Hardhat's and Foundry's build-info wrap the compiler's input and output.
        return read_standard_json(output, json.get("input"), artifacts);
    }
    if json.get("contracts").is_some_and(is_combined) {
        return read_combined(json, artifacts);
    }
    if json.get("contracts").is_some() {
        return read_standard_json(json, json.get("input"), artifacts);
    }
    if json.get("abi").is_some() {
        return read_single(json, path, artifacts);
    }
    Err(ArtifactError::Unknown { path: path.to_owned() })
}

/// Reads solc's standard-JSON output; `input` supplies the sources' text when it is at hand.
pub fn read_standard_json(
    output: &Json,
    input: Option<&Json>,
    artifacts: &mut Artifacts,
) -> Result<(), ArtifactError> {
    for (path, source) in object(output.get("sources")) {
        let text = input.and_then(|i| i["sources"][path]["content"].as_str());
        artifacts.sources.push(Source {
            id: source.get("id").and_then(Json::as_i64).unwrap_or(-1),
            path: path.clone(),
            on_disk: None,
            text: text.map(str::to_owned),
            ast: source.get("ast").cloned(),
        });
    }
    for (file, contracts) in object(output.get("contracts")) {
        for (name, contract) in object(Some(contracts)) {
            let evm = &contract["evm"];
            let parts = Parts {
                name,
                file,
                abi: &contract["abi"],
                creation: &evm["bytecode"],
                runtime: &evm["deployedBytecode"],
                storage: contract.get("storageLayout"),
            };
            artifacts.contracts.push(parts.build()?);
        }
    }
    Ok(())
}

fn read_single(json: &Json, path: &Path, artifacts: &mut Artifacts) -> Result<(), ArtifactError> {
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("Contract");
    // Foundry adds the compiler version to a second artifact of the same contract: `A.0.8.20.json`.
    let stem = stem.split('.').next().unwrap_or(stem);
    let name = json["contractName"].as_str().unwrap_or(stem);
    let file = source_path(json, path);
    // Hardhat and Truffle keep hex strings where Foundry has objects: make them alike.
    let wrap = |code: &Json, map: &Json, links: &Json| match code {
        Json::String(hex) => serde_json::json!({
            "object": hex, "sourceMap": map, "linkReferences": links,
        }),
        other => other.clone(),
    };
    let creation = wrap(&json["bytecode"], &json["sourceMap"], &json["linkReferences"]);
    let runtime = wrap(
        &json["deployedBytecode"],
        &json["deployedSourceMap"],
        &json["deployedLinkReferences"],
    );
    let parts = Parts {
        name,
        file: &file,
        abi: &json["abi"],
        creation: &creation,
        runtime: &runtime,
        storage: json.get("storageLayout"),
    };
    artifacts.contracts.push(parts.build()?);
    let id = json.get("id").and_then(Json::as_i64).or_else(|| source_id_in_ast(&json["ast"]));
    if let Some(id) = id {
        artifacts.sources.push(Source {
            id,
            path: file,
            on_disk: None,
            text: json["source"].as_str().map(str::to_owned),
            ast: json.get("ast").filter(|a| a.is_object()).cloned(),
        });
    }
    Ok(())
}

/// Where an artifact says its source is, or the artifact's folder (`Token.sol/Token.json`).
fn source_path(json: &Json, path: &Path) -> String {
    let from_metadata = || {
        let metadata = match &json["metadata"] {
            Json::String(text) => serde_json::from_str::<Json>(text).ok()?,
            other => other.clone(),
        };
        metadata["settings"]["compilationTarget"].as_object()?.keys().next().cloned()
    };
    let text = |key: &str| json[key].as_str().map(str::to_owned);
    json["ast"]["absolutePath"]
        .as_str()
        .map(str::to_owned)
        .or_else(|| text("sourceName"))
        .or_else(|| text("sourcePath"))
        .or_else(from_metadata)
        .or_else(|| path.parent()?.file_name()?.to_str().map(str::to_owned))
        .unwrap_or_default()
}

/// The last number of a node's `src` (`start:length:file`) is the file's number.
fn source_id_in_ast(ast: &Json) -> Option<i64> {
    ast["src"].as_str()?.rsplit(':').next()?.parse().ok()
}

/// The pieces of one contract, wherever its layout keeps them.
pub(super) struct Parts<'a> {
    pub(super) name: &'a str,
    pub(super) file: &'a str,
    pub(super) abi: &'a Json,
    pub(super) creation: &'a Json,
    pub(super) runtime: &'a Json,
    pub(super) storage: Option<&'a Json>,
}

impl Parts<'_> {
    pub(super) fn build(self) -> Result<Contract, ArtifactError> {
        let abi: JsonAbi = serde_json::from_value(self.abi.clone())
            .map_err(|source| ArtifactError::Abi { name: self.name.to_owned(), source })?;
        Ok(Contract {
            name: self.name.to_owned(),
            file: self.file.to_owned(),
            functions: functions_of(&abi),
            abi,
            creation: code(self.creation),
            runtime: code(self.runtime),
            creation_map: source_map(self.creation),
            runtime_map: source_map(self.runtime),
            immutables: immutables(self.runtime),
            storage: self.storage.and_then(StorageLayout::read),
        })
    }
}

fn code(json: &Json) -> UnlinkedCode {
    UnlinkedCode::new(json["object"].as_str().unwrap_or(""), links(&json["linkReferences"]))
}

fn source_map(json: &Json) -> Option<String> {
    json["sourceMap"].as_str().filter(|m| !m.is_empty()).map(str::to_owned)
}

fn links(json: &Json) -> BTreeMap<String, Vec<usize>> {
    let mut links = BTreeMap::new();
    for (file, libraries) in object(Some(json)) {
        for (name, places) in object(Some(libraries)) {
            let offsets = places.as_array().into_iter().flatten();
            let offsets = offsets.filter_map(|p| p["start"].as_u64().map(|s| s as usize));
            links.insert(format!("{file}:{name}"), offsets.collect());
        }
    }
    links
}

fn immutables(json: &Json) -> Vec<Immutable> {
    let variables = object(json.get("immutableReferences"));
    let places = variables.flat_map(|(id, places)| {
        let variable = id.parse().unwrap_or_default();
        places.as_array().into_iter().flatten().map(move |place| (variable, place))
    });
    places
        .filter_map(|(variable, place)| {
            let number = |name: &str| place[name].as_u64().map(|n| n as usize);
            Some(Immutable { variable, start: number("start")?, length: number("length")? })
        })
        .collect()
}

fn object(json: Option<&Json>) -> impl Iterator<Item = (&String, &Json)> {
    json.and_then(Json::as_object).into_iter().flatten()
}
