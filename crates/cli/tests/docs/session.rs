//! The calls, made against a real server in one session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use proofstone_testkit::Session;
use serde_json::{Value, json};

/// How the project's folder and our program are named on the pages.
const PROJECT: &str = "/your/project";
const PROGRAM: &str = "proofstone";

/// One call and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    pub(crate) arguments: Value,
    pub(crate) failed: bool,
    pub(crate) answer: Value,
}

impl Example {
    pub(crate) fn parse(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).expect("an example is JSON");
        Self {
            arguments: value["arguments"].clone(),
            failed: value["failed"] == true,
            answer: value["answer"].clone(),
        }
    }

    pub(crate) fn text(&self) -> String {
        let Self { arguments, failed, answer } = self;
        format!("{:#}\n", json!({ "arguments": arguments, "failed": failed, "answer": answer }))
    }

    /// What must not change from run to run: how it ended, and the fields of the answer.
    pub(crate) fn shape(&self) -> (bool, BTreeSet<&str>) {
        let fields = self.answer.as_object();
        (self.failed, fields.into_iter().flatten().map(|(name, _)| name.as_str()).collect())
    }
}

/// Makes all calls on a copy of the examples; the first call of each tool is its example.
pub(crate) fn run(repository: &Path) -> BTreeMap<String, Example> {
    let scratch = tempfile::tempdir().expect("a folder");
    let project = scratch.path().canonicalize().expect("the folder").join("shop");
    prepare(repository, &project);
    let binary = env!("CARGO_BIN_EXE_proofstone");
    let mut server = Command::new(binary);
    server.arg("serve").arg("--root").arg(&project).env("MCP_ENV", "local");
    server.env("PROOFSTONE_CACHE", scratch.path().join("cache")).env("TMPDIR", scratch.path());
    server.current_dir(&project);
    let mut session = Session::open(&mut server);
    let change = std::fs::read_to_string(repository.join("examples/shop/change.diff"));
    let mut kept = BTreeMap::from([
        ("binary".to_owned(), Value::from(binary)),
        ("change".to_owned(), change.expect("the change").into()),
    ]);
    let calls: Vec<Value> =
        serde_json::from_str(include_str!("calls.json")).expect("the calls are JSON");
    let mut made = BTreeMap::new();
    for call in calls {
        let tool = call["tool"].as_str().expect("a tool");
        let arguments = filled(call["arguments"].clone(), &kept);
        let answer = session.call(tool, arguments.clone());
        let result = &answer["result"];
        assert!(result.is_object(), "{tool}: {answer}");
        let said = match &result["structuredContent"] {
            Value::Null => result["content"][0]["text"].clone(),
            structured => structured.clone(),
        };
        let failed = result["isError"] == true;
        assert!(!failed, "{tool} {arguments} failed: {said:#}");
        for (name, place) in call["keep"].as_object().into_iter().flatten() {
            let value = said.pointer(place.as_str().expect("a place"));
            let value = value.unwrap_or_else(|| panic!("{tool} has no {place} in {said:#}"));
            kept.insert(name.clone(), value.clone());
        }
        let named = |value: Value| renamed(value, &project.to_string_lossy(), binary);
        let example = Example { arguments: named(arguments), failed, answer: named(said) };
        made.entry(tool.to_owned()).or_insert(example);
    }
    made
}

/// The shop with the vault beside it, and a report that names its tests.
fn prepare(repository: &Path, project: &Path) {
    let copy = |from: &str, to: &Path| {
        let copied = Command::new("cp").arg("-r").arg(repository.join(from)).arg(to).status();
        assert!(copied.expect("cp runs").success(), "{from} can't be copied");
    };
    copy("examples/shop", project);
    let _ = std::fs::remove_dir_all(project.join(".context"));
    copy("examples/vault", &project.join("vault"));
    let tests = "TN:cart\nSF:src/cart.ts\nDA:7,1\nDA:8,1\nDA:9,1\nend_of_record\n\
                 TN:checkout\nSF:src/cart.ts\nDA:7,1\nDA:9,1\nend_of_record\n";
    std::fs::write(project.join("coverage/tests.info"), tests).expect("a report");
}

/// The arguments with what earlier calls gave.
fn filled(value: Value, kept: &BTreeMap<String, Value>) -> Value {
    each(value, &|text| text.strip_prefix('$').and_then(|name| kept.get(name)).cloned())
}

/// What differs from machine to machine, under names that don't.
fn renamed(value: Value, project: &str, binary: &str) -> Value {
    each(value, &|text| Some(text.replace(binary, PROGRAM).replace(project, PROJECT).into()))
}

fn each(value: Value, change: &impl Fn(&str) -> Option<Value>) -> Value {
    match value {
        Value::String(text) => change(&text).unwrap_or(Value::String(text)),
        Value::Array(items) => items.into_iter().map(|item| each(item, change)).collect(),
        Value::Object(fields) => Value::Object(
            fields.into_iter().map(|(name, value)| (name, each(value, change))).collect(),
        ),
        other => other,
    }
}
