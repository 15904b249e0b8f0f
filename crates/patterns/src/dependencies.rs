//! The packages of a project in their versions, as its own files tell: lock files first, for they name what is really
//! used. A file that can't be read tells nothing, and a project that tells nothing excludes nothing.

use std::collections::HashMap;
use std::time::SystemTime;

use proofstone_jail::{Policy, Root};
use semver::Version;
use serde_json::Value;

use crate::scope::Scope;

/// The largest file that is read; lock files of large projects have some megabytes.
const LARGEST: u64 = 32 << 20;

type Reader = fn(&str, &mut Dependencies);

/// Files that name packages, those of one registry side by side, the exact ones first.
const FILES: [(&str, Reader); 9] = [
    ("package-lock.json", package_lock),
    ("package.json", package_json),
    ("Cargo.lock", toml_lock),
    ("Cargo.toml", cargo_toml),
    ("uv.lock", toml_lock),
    ("poetry.lock", toml_lock),
    ("pyproject.toml", pyproject),
    ("requirements.txt", requirements),
    ("go.mod", go_mod),
];

/// The packages of a project.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    /// By name; a version that is not known is none.
    versions: HashMap<String, Vec<Option<Version>>>,
    /// The files that were read.
    files: Vec<&'static str>,
}

/// The files as they are: what changes when one of them does.
pub(crate) type Stamps = Vec<(&'static str, u64, Option<SystemTime>)>;

/// When the files that name packages were last written.
pub(crate) fn stamps(root: &Root) -> Stamps {
    let stamp = |name: &'static str| root.facts(name).ok().map(|(size, time)| (name, size, time));
    FILES.iter().filter_map(|(name, _)| stamp(name)).collect()
}

/// Opens a project for reading what it depends on.
pub(crate) fn open(root: &std::path::Path) -> Option<Root> {
    Root::open(root, Policy::project().with_max_bytes(LARGEST)).ok()
}

impl Dependencies {
    /// Reads what a project says.
    pub(crate) fn of(root: &Root) -> Self {
        let mut found = Self::default();
        for (name, read) in FILES {
            let Ok(bytes) = root.read(name) else { continue };
            let before = found.versions.len();
            read(&String::from_utf8_lossy(&bytes), &mut found);
            if found.versions.len() > before {
                found.files.push(name);
            }
        }
        found
    }

    /// Why a pattern is not for this project, if it is not.
    pub(crate) fn exclude(&self, scope: &Scope) -> Option<String> {
        if scope.packages.is_empty() || self.files.is_empty() {
            return None;
        }
        let known = |name: &str| self.versions.get(&normal(name));
        let fits = scope.packages.iter().any(|needed| {
            known(&needed.name)
                .is_some_and(|versions| versions.iter().any(|v| needed.fits(v.as_ref())))
        });
        let has = scope.packages.iter().flat_map(|needed| {
            let versions = known(&needed.name).into_iter().flatten().flatten();
            versions.map(move |version| format!("{} {version}", needed.name))
        });
        let has: Vec<String> = has.collect();
        let has = if has.is_empty() { "neither".to_owned() } else { has.join(", ") };
        let written: Vec<&str> =
            scope.packages.iter().map(|needed| needed.written.as_str()).collect();
        (!fits).then(|| {
            format!(
                "it is for {}; the project has {has} ({})",
                written.join(" or "),
                self.files.join(", ")
            )
        })
    }

    fn add(&mut self, name: &str, version: Option<Version>) {
        let known = self.versions.entry(normal(name)).or_default();
        if !known.contains(&version) {
            known.push(version);
        }
    }

    /// Adds what a range at least asks for, unless a lock file has told better.
    fn add_range(&mut self, name: &str, range: &str) {
        if !self.versions.contains_key(&normal(name)) {
            let from = range.find(|letter: char| letter.is_ascii_digit());
            self.add(name, from.and_then(|from| lenient(&range[from..])));
        }
    }
}

/// Registries do not tell case, hyphens and underscores apart.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace('_', "-")
}

/// A version with as many numbers as it has: `2.31` is 2.31.0.
fn lenient(text: &str) -> Option<Version> {
    let end = text.find(|letter: char| !(letter.is_ascii_alphanumeric() || ".-+".contains(letter)));
    let text = &text[..end.unwrap_or(text.len())];
    Version::parse(text).ok().or_else(|| {
        let mut numbers = text.split(['.', '-', '+']).map(|number| number.parse::<u64>().ok());
        let major = numbers.next().flatten()?;
        let mut next = || numbers.next().flatten().unwrap_or(0);
        Some(Version::new(major, next(), next()))
    })
}

fn package_lock(text: &str, found: &mut Dependencies) {
    let Ok(json) = serde_json::from_str::<Value>(text) else { return };
    let version = |package: &Value| package["version"].as_str().and_then(lenient);
    for (path, package) in json["packages"].as_object().into_iter().flatten() {
        // What packages bring along for themselves is not the project's.
        let name = path.strip_prefix("node_modules/").filter(|n| !n.contains("node_modules/"));
        if let Some(name) = name {
            found.add(name, version(package));
        }
    }
    for (name, package) in json["dependencies"].as_object().into_iter().flatten() {
        found.add(name, version(package));
    }
}

fn package_json(text: &str, found: &mut Dependencies) {
    let Ok(json) = serde_json::from_str::<Value>(text) else { return };
    for part in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        for (name, range) in json[part].as_object().into_iter().flatten() {
            found.add_range(name, range.as_str().unwrap_or_default());
        }
    }
}

fn toml_lock(text: &str, found: &mut Dependencies) {
    let Ok(table) = text.parse::<toml::Table>() else { return };
    let packages = table.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    for package in packages {
        let field = |name: &str| package.get(name).and_then(toml::Value::as_str);
        if let Some(name) = field("name") {
            found.add(name, field("version").and_then(lenient));
        }
    }
}

fn cargo_toml(text: &str, found: &mut Dependencies) {
    let Ok(table) = text.parse::<toml::Table>() else { return };
    let workspace = table.get("workspace").and_then(toml::Value::as_table);
    for table in [Some(&table), workspace].into_iter().flatten() {
        for part in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, wanted) in
                table.get(part).and_then(toml::Value::as_table).into_iter().flatten()
            {
                let range = wanted.as_str().or_else(|| wanted.get("version")?.as_str());
                let name = wanted.get("package").and_then(toml::Value::as_str).unwrap_or(name);
                found.add_range(name, range.unwrap_or_default());
            }
        }
    }
}

fn pyproject(text: &str, found: &mut Dependencies) {
    let Ok(table) = text.parse::<toml::Table>() else { return };
    let project = table.get("project");
    let listed = project.and_then(|project| project.get("dependencies")?.as_array());
    for wanted in listed.into_iter().flatten().filter_map(toml::Value::as_str) {
        requirements(wanted, found);
    }
    let poetry =
        table.get("tool").and_then(|tool| tool.get("poetry")?.get("dependencies")?.as_table());
    for (name, wanted) in poetry.into_iter().flatten() {
        let range = wanted.as_str().or_else(|| wanted.get("version")?.as_str());
        found.add_range(name, range.unwrap_or_default());
    }
}

fn requirements(text: &str, found: &mut Dependencies) {
    for line in text.lines().map(|line| line.split(['#', ';']).next().unwrap_or_default().trim()) {
        let is_name = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        let end = line.find(|letter| !is_name(letter)).unwrap_or(line.len());
        if end > 0 && !line.starts_with('-') {
            found.add_range(&line[..end], &line[end..]);
        }
    }
}

fn go_mod(text: &str, found: &mut Dependencies) {
    for line in text.lines() {
        let line = line.trim().trim_start_matches("require ").trim_start_matches('(').trim();
        if let Some((name, version)) = line.split_once(" v").filter(|(name, _)| !name.contains(' '))
        {
            found.add(name, lenient(version));
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(name: &str, text: &str, expected: Expect) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(name), text).expect("the file is written");
        let found = Dependencies::of(&open(folder.path()).expect("a root"));
        let mut said: Vec<String> = found
            .versions
            .iter()
            .flat_map(|(name, versions)| versions.iter().map(move |version| (name, version)))
            .map(|(name, version)| match version {
                Some(version) => format!("{name} {version}"),
                None => format!("{name} ?"),
            })
            .collect();
        said.sort();
        expected.assert_eq(&said.join(", "));
    }

    #[test]
    fn the_files_of_the_registries_are_read() {
        check(
            "package-lock.json",
            r#"{"packages":{"":{"version":"9.0.0"},"node_modules/effect":{"version":"3.1.4"},"node_modules/effect/node_modules/left":{"version":"1.0.0"},"node_modules/@a/b":{"version":"2.0.0-rc.1"}}}"#,
            expect!["@a/b 2.0.0-rc.1, effect 3.1.4"],
        );
        check(
            "package.json",
            r#"{"dependencies":{"react":"^18.2","x":"workspace:*"}}"#,
            expect!["react 18.2.0, x ?"],
        );
        check(
            "Cargo.lock",
            "[[package]]\nname = \"serde_json\"\nversion = \"1.0.140\"\n",
            expect!["serde-json 1.0.140"],
        );
        check(
            "Cargo.toml",
            "[dependencies]\ntokio = { version = \"1\" }\nanyhow = \"1.0.9\"\n",
            expect!["anyhow 1.0.9, tokio 1.0.0"],
        );
        check(
            "pyproject.toml",
            "[project]\ndependencies = [\"requests[socks]>=2.31\", \"Flask\"]\n",
            expect!["flask ?, requests 2.31.0"],
        );
        check(
            "requirements.txt",
            "-r base.txt\n# c\npydantic==2.4 ; python_version > '3'\n",
            expect!["pydantic 2.4.0"],
        );
        check(
            "go.mod",
            "module example.com/a\ngo 1.22\nrequire (\n\tgolang.org/x/sync v0.7.0 // indirect\n)\n",
            expect!["golang.org/x/sync 0.7.0"],
        );
        check("package.json", "{ not json", expect![""]);
    }

    #[test]
    fn what_the_project_has_decides() {
        let scope = |packages: &str| Scope::read(&json!({ "packages": [packages] })).0;
        let mut project = Dependencies::default();
        assert_eq!(project.exclude(&scope("effect@^3")), None, "nothing is known");
        project.add("effect", lenient("2.4.0"));
        project.files.push("package.json");
        let said = |packages: &str| project.exclude(&scope(packages)).unwrap_or_default();
        expect!["it is for effect@^3; the project has effect 2.4.0 (package.json)"]
            .assert_eq(&said("effect@^3"));
        expect!["it is for react; the project has neither (package.json)"]
            .assert_eq(&said("react"));
        expect![""].assert_eq(&said("effect@^2"));
    }

    proptest! {
        #[test]
        fn no_file_is_too_strange(text in ".{0,200}") {
            let mut found = Dependencies::default();
            for (_, read) in FILES {
                read(&text, &mut found);
            }
        }
    }
}
