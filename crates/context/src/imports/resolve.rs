//! Which files of the project an import means.

use std::collections::BTreeSet;

use proofstone_jail::{EntryKind, Root};

use super::typescript;
use super::written::Import;
use crate::language::Language as L;

/// What became of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Files of the project.
    Files(Vec<String>),
    /// A package from outside, by name.
    External(String),
    /// It looks like the project's own, and nothing is there.
    Missing,
}

/// Resolves one import of the file at `path`.
pub fn resolve(root: &Root, language: L, path: &str, text: &str, import: &Import) -> Resolved {
    let from = Importer { root, folder: folder_of(path), path };
    match language {
        L::TypeScript | L::Tsx | L::JavaScript => typescript::resolve(&from, &import.target),
        L::Python => python(&from, &import.target, import.kind == "member"),
        L::Rust => rust(&from, import),
        L::Go => go(&from, &import.target),
        L::Java => java(&from, text, &import.target),
        L::C | L::Cpp => include(&from, import),
        L::Solidity => solidity(&from, &import.target),
        _ => Resolved::Missing,
    }
}

/// The file that imports.
pub(super) struct Importer<'a> {
    pub(super) root: &'a Root,
    pub(super) folder: &'a str,
    path: &'a str,
}

impl Importer<'_> {
    /// The first of these that is a file.
    pub(super) fn first(&self, candidates: impl IntoIterator<Item = String>) -> Option<Resolved> {
        let found = candidates.into_iter().find(|path| self.root.is_file(path))?;
        Some(Resolved::Files(vec![found]))
    }

    pub(super) fn read(&self, path: &str) -> Option<String> {
        String::from_utf8(self.root.read(path).ok()?).ok()
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins and tidies a relative path; `None` when it leaves the root.
pub(super) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in folder.split('/').chain(relative.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// A folder and the ones above it, up to the root's own `""`.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| {
        if folder.is_empty() { None } else { Some(folder_of(folder)) }
    })
}

fn python(from: &Importer<'_>, target: &str, member: bool) -> Resolved {
    let dots = target.len() - target.trim_start_matches('.').len();
    let name = target.trim_start_matches('.').replace('.', "/");
    let files = |base: String| {
        let base = base.trim_matches('/').to_owned();
        if base.is_empty() {
            vec!["__init__.py".to_owned()]
        } else {
            vec![format!("{base}.py"), format!("{base}/__init__.py"), format!("{base}.pyi")]
        }
    };
    if dots > 0 {
        let Some(package) = upwards(from.folder).nth(dots - 1) else { return Resolved::Missing };
        let found = join(package, &name).and_then(|base| from.first(files(base)));
        // `from .x import y`: y may be a file or a name inside x, which the module's own entry covers.
        return found.unwrap_or(if member {
            Resolved::Files(Vec::new())
        } else {
            Resolved::Missing
        });
    }
    let places =
        upwards(from.folder).map(str::to_owned).chain(["src".to_owned(), "lib".to_owned()]);
    let found = places.into_iter().find_map(|place| from.first(files(format!("{place}/{name}"))));
    let outside = || {
        if member {
            Resolved::Files(Vec::new())
        } else {
            Resolved::External(target.split('.').next().unwrap_or(target).to_owned())
        }
    };
    found
        .filter(|found| *found != Resolved::Files(vec![from.path.to_owned()]))
        .unwrap_or_else(outside)
}

fn rust(from: &Importer<'_>, import: &Import) -> Resolved {
    let stem = from.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or("");
    let is_folder_file = matches!(stem, "mod" | "lib" | "main");
    let own =
        if is_folder_file { from.folder.to_owned() } else { format!("{}/{stem}", from.folder) };
    let own = own.trim_matches('/');
    if import.kind == "module" {
        return rust_module(from, own, &[&import.target]).unwrap_or(Resolved::Missing);
    }
    let names: Vec<&str> =
        import.target.split("::").filter(|n| !n.is_empty() && *n != "*").collect();
    match names.split_first() {
        Some((&"crate", rest)) => match crate_folder(from) {
            Some(folder) => rust_path(from, &folder, rest),
            None => Resolved::Missing,
        },
        Some((&"self", rest)) => rust_path(from, own, rest),
        Some((&"super", rest)) => {
            let ups = 1 + rest.iter().take_while(|n| **n == "super").count();
            let Some(folder) = upwards(own).nth(ups) else { return Resolved::Missing };
            rust_path(from, folder, &rest[ups - 1..])
        }
        Some((first, rest)) => match rust_module(from, own, &[first]) {
            Some(_) => rust_path(from, own, &names),
            None => workspace_crate(from, first, rest),
        },
        None => Resolved::Missing,
    }
}

/// The file of the longest part of a path that is a module; the rest are names inside it.
fn rust_path(from: &Importer<'_>, folder: &str, names: &[&str]) -> Resolved {
    for length in (1..=names.len()).rev() {
        if let Some(found) = rust_module(from, folder, &names[..length]) {
            return found;
        }
    }
    let own = [
        format!("{folder}/mod.rs"),
        format!("{folder}.rs"),
        format!("{folder}/lib.rs"),
        format!("{folder}/main.rs"),
    ];
    let own = own.into_iter().map(|path| path.trim_start_matches('/').to_owned());
    from.first(own).unwrap_or(Resolved::Missing)
}

fn rust_module(from: &Importer<'_>, folder: &str, names: &[&str]) -> Option<Resolved> {
    let base = join(folder, &names.join("/").replace("r#", ""))?;
    from.first([format!("{base}.rs"), format!("{base}/mod.rs")])
}

/// The folder of the crate's root module: the nearest above with a `lib.rs` or `main.rs`.
fn crate_folder(from: &Importer<'_>) -> Option<String> {
    let has_root = |folder: &&str| {
        ["lib.rs", "main.rs"]
            .iter()
            .any(|name| from.root.is_file(format!("{folder}/{name}").trim_start_matches('/')))
    };
    upwards(from.folder).find(has_root).map(str::to_owned)
}

/// Another crate of the same workspace, or one from outside.
fn workspace_crate(from: &Importer<'_>, name: &str, rest: &[&str]) -> Resolved {
    let external = || Resolved::External(name.to_owned());
    let wanted = name.replace('_', "-");
    for place in ["crates", "packages", "libs", ""] {
        let Ok(entries) = from.root.entries(if place.is_empty() { "." } else { place }) else {
            continue;
        };
        for entry in entries.into_iter().filter(|e| e.kind == EntryKind::Folder) {
            let folder = format!("{place}/{}", entry.name);
            let folder = folder.trim_start_matches('/');
            if (entry.name.replace('_', "-") == wanted
                || package_name(from, folder).is_some_and(|n| n.replace('_', "-") == wanted))
                && from.root.is_file(&format!("{folder}/src/lib.rs"))
            {
                return rust_path(from, &format!("{folder}/src"), rest);
            }
        }
    }
    external()
}

fn package_name(from: &Importer<'_>, folder: &str) -> Option<String> {
    let manifest = from.read(&format!("{folder}/Cargo.toml"))?;
    let line = manifest.lines().find(|line| line.trim_start().starts_with("name"))?;
    Some(line.split_once('=')?.1.trim().trim_matches('"').to_owned())
}

fn go(from: &Importer<'_>, target: &str) -> Resolved {
    for folder in upwards(from.folder) {
        let Some(manifest) = from.read(format!("{folder}/go.mod").trim_start_matches('/')) else {
            continue;
        };
        let module =
            manifest.lines().find_map(|line| line.strip_prefix("module ")).map_or("", str::trim);
        let Some(rest) =
            target.strip_prefix(module).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        else {
            break;
        };
        let Some(package) = join(folder, rest) else { return Resolved::Missing };
        let files = files_with(from.root, &package, |name| {
            ends_in(name, "go") && !name.ends_with("_test.go")
        });
        return if files.is_empty() { Resolved::Missing } else { Resolved::Files(files) };
    }
    Resolved::External(target.to_owned())
}

fn ends_in(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found == ending)
}

fn files_with(root: &Root, folder: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = root.entries(if folder.is_empty() { "." } else { folder }).unwrap_or_default();
    let files = entries.into_iter().filter(|e| e.kind == EntryKind::File && wanted(&e.name));
    files.map(|e| format!("{folder}/{}", e.name).trim_start_matches('/').to_owned()).collect()
}

fn java(from: &Importer<'_>, text: &str, target: &str) -> Resolved {
    let package = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("package "))
        .map_or("", |p| p.trim_end_matches([';', ' ']));
    let package = package.replace('.', "/");
    let own = from.folder.strip_suffix(&package).map(|source| source.trim_end_matches('/'));
    let mut sources: BTreeSet<&str> = ["src/main/java", "src/test/java", "src", ""].into();
    sources.extend(own);
    let names: Vec<&str> = target.split('.').collect();
    for source in sources {
        if names.last() == Some(&"*") {
            let folder = join(source, &names[..names.len() - 1].join("/")).unwrap_or_default();
            let files = files_with(from.root, &folder, |name| ends_in(name, "java"));
            if !files.is_empty() {
                return Resolved::Files(files);
            }
            continue;
        }
        // `a.b.C.D` may be a class inside C, or a static member of it.
        for length in (1..=names.len()).rev() {
            let found = join(source, &names[..length].join("/"))
                .and_then(|base| from.first([format!("{base}.java")]));
            if let Some(found) = found {
                return found;
            }
        }
    }
    Resolved::External(target.to_owned())
}

fn include(from: &Importer<'_>, import: &Import) -> Resolved {
    let beside = if import.system { None } else { join(from.folder, &import.target) };
    let places = upwards(from.folder).flat_map(|folder| {
        ["", "include", "src", "lib", "inc"].map(|place| format!("{folder}/{place}"))
    });
    let elsewhere = places.filter_map(|place| join(&place, &import.target));
    let outside = || {
        if import.system { Resolved::External(import.target.clone()) } else { Resolved::Missing }
    };
    from.first(beside.into_iter().chain(elsewhere)).unwrap_or_else(outside)
}

fn solidity(from: &Importer<'_>, target: &str) -> Resolved {
    if target.starts_with('.') {
        return join(from.folder, target)
            .and_then(|path| from.first([path]))
            .unwrap_or(Resolved::Missing);
    }
    let remapped = upwards(from.folder).find_map(|folder| {
        let table = from.read(format!("{folder}/remappings.txt").trim_start_matches('/'))?;
        let rules = table.lines().filter_map(|line| line.split_once('='));
        let rules =
            rules.map(|(prefix, place)| (prefix.rsplit(':').next().unwrap_or(prefix), place));
        let (prefix, place) = rules
            .filter(|(prefix, _)| target.starts_with(prefix))
            .max_by_key(|(prefix, _)| prefix.len())?;
        join(folder, &format!("{place}/{}", &target[prefix.len()..]))
    });
    let places = ["", "src", "contracts", "lib"]
        .map(|place| format!("{place}/{target}").trim_start_matches('/').to_owned());
    let external = || {
        Resolved::External(
            target
                .split('/')
                .take(if target.starts_with('@') { 2 } else { 1 })
                .collect::<Vec<_>>()
                .join("/"),
        )
    };
    from.first(remapped.into_iter().chain(places)).unwrap_or_else(external)
}
