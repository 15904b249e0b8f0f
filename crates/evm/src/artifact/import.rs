//! Follows `import` lines so that the compiler gets every file it will ask for.
//!
//! The same input goes to a native solc and to solc in node, which can't read files by itself.

use super::Build;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Source files by the name the compiler will know them by.
#[derive(Debug, Default)]
pub(super) struct SourceSet {
    /// Where each lies, if it is a file, and its text.
    pub(super) files: BTreeMap<String, (Option<PathBuf>, String)>,
    /// The project's own.
    pub(super) remappings: Vec<(String, String)>,
    /// Those that were asked for.
    asked: Vec<(String, String)>,
    include: Vec<PathBuf>,
    root: PathBuf,
}

impl SourceSet {
    /// Reads the given files and everything they import. A missing import is left for the compiler
    /// to report in its own words.
    pub(super) fn gather(root: &Path, entries: &[PathBuf], build: &Build) -> std::io::Result<Self> {
        let mut set = Self {
            root: root.to_owned(),
            remappings: remappings(root),
            asked: build.remapped().collect(),
            include: build.include.clone(),
            ..Self::default()
        };
        for entry in entries {
            let text = std::fs::read_to_string(entry)?;
            let name = set.name_of(entry);
            set.add(&name, entry, text);
        }
        Ok(set)
    }

    /// Adds a text that is no file, unless there is one of this name.
    pub(super) fn put(&mut self, name: &str, text: &str) {
        self.files.entry(name.to_owned()).or_insert_with(|| (None, text.to_owned()));
    }

    fn add(&mut self, name: &str, path: &Path, text: String) {
        if self.files.contains_key(name) {
            return;
        }
        let imports = imports_in(&text);
        self.files.insert(name.to_owned(), (Some(path.to_owned()), text));
        for import in imports {
            if let Some((name, path)) = self.resolve(name, path, &import)
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                self.add(&name, &path, text);
            }
        }
    }

    /// The compiler's rule: relative imports are relative to the importing file's name, others are
    /// remapped and then looked up in the root and in `node_modules` and `lib` above it.
    fn resolve(&self, from_name: &str, from: &Path, import: &str) -> Option<(String, PathBuf)> {
        if import.starts_with("./") || import.starts_with("../") {
            let path = normal(&from.parent()?.join(import));
            let folder = from_name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let name = normal(&Path::new(folder).join(import));
            return Some((name.to_str()?.to_owned(), path));
        }
        let name = self
            .remappings
            .iter()
            .chain(&self.asked)
            .filter(|(prefix, _)| import.starts_with(prefix.as_str()))
            .max_by_key(|(prefix, _)| prefix.len())
            .map_or_else(|| import.to_owned(), |(p, t)| format!("{t}{}", &import[p.len()..]));
        let mut folders = vec![self.root.clone()];
        folders.extend(self.include.iter().cloned());
        // A remapping's target may be relative to where the program runs.
        folders.push(PathBuf::new());
        folders.extend(self.root.ancestors().map(|a| a.join("node_modules")));
        folders.extend(self.root.ancestors().map(|a| a.join("lib")));
        folders.extend(from.parent().map(Path::to_owned));
        let path = folders.into_iter().map(|f| f.join(&name)).find(|p| p.is_file())?;
        Some((name, path))
    }

    fn name_of(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        relative.to_string_lossy().replace('\\', "/")
    }
}

/// Foundry's remappings: `prefix=target` lines of `remappings.txt`, the list in `foundry.toml`, and for
/// every folder below `lib` what Foundry would think of by itself.
fn remappings(root: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root.join("remappings.txt")).unwrap_or_default();
    let toml = std::fs::read_to_string(root.join("foundry.toml")).unwrap_or_default();
    let mut found: Vec<(String, String)> = text
        .lines()
        .chain(listed_remappings(&toml))
        .filter_map(|line| line.trim().split_once('='))
        .map(|(prefix, target)| (prefix.to_owned(), target.to_owned()))
        .collect();
    for (prefix, target) in library_remappings(root) {
        if !found.iter().any(|(p, _)| *p == prefix) {
            found.push((prefix, target));
        }
    }
    found
}

/// The quoted items of `remappings = [ … ]`.
fn listed_remappings(toml: &str) -> impl Iterator<Item = &str> {
    let setting = toml.lines().position(|line| {
        line.trim_start().strip_prefix("remappings").is_some_and(|r| r.trim().starts_with('='))
    });
    let skipped = setting
        .map_or(toml.len(), |line| toml.split_inclusive('\n').take(line).map(str::len).sum());
    let rest = &toml[skipped..];
    let list = &rest[..rest.find(']').unwrap_or(rest.len())];
    list.split(['"', '\'']).skip(1).step_by(2)
}

fn library_remappings(root: &Path) -> Vec<(String, String)> {
    let mut libraries: Vec<_> = std::fs::read_dir(root.join("lib"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    libraries.sort();
    let mapped = libraries.into_iter().map(|name| {
        let inner = ["src", "contracts"]
            .into_iter()
            .find(|inner| root.join("lib").join(&name).join(inner).is_dir());
        let target = inner.map_or(format!("lib/{name}/"), |inner| format!("lib/{name}/{inner}/"));
        (format!("{name}/"), target)
    });
    mapped.collect()
}

/// The paths of `import "x";`, `import "x" as y;`, `import {a} from "x";` and `import * as y from "x";`.
fn imports_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for statement in without_comments(text).split(';') {
        let statement = statement.trim_start();
        if !statement.starts_with("import") {
            // The statement may follow a closing brace on the same stretch.
            let Some(at) = statement.find("\nimport") else { continue };
            found.extend(quoted(&statement[at..]));
            continue;
        }
        found.extend(quoted(statement));
    }
    found
}

fn quoted(text: &str) -> Option<String> {
    let open = text.find(['"', '\''])?;
    let quote = text[open..].chars().next()?;
    let rest = &text[open + 1..];
    Some(rest[..rest.find(quote)?].to_owned())
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        out.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("//") {
            rest[at..].find('\n').unwrap_or(rest.len() - at)
        } else {
            rest[at + 2..].find("*/").map_or(rest.len() - at, |end| end + 4)
        };
        rest = &rest[at + end..];
    }
    out.push_str(rest);
    out
}

fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_import_is_seen() {
        let text = "// import \"no\";\npragma solidity ^0.8.0;\nimport \"./a.sol\";\nimport {B} from '../b.sol'; /* import \"no2\"; */ import * as C from \"lib/c.sol\";\ncontract X { string s = \"http://x\"; }\nimport \"d.sol\" as D;";
        assert_eq!(imports_in(text), ["./a.sol", "../b.sol", "lib/c.sol", "d.sol"]);
    }
}
