//! A project in a page: what it is made of, its modules, and what is known about each.

use std::collections::BTreeMap;

use proofstone_jail::Root;

use crate::index::View;
use crate::language;
use crate::memory::{Discovery, DiscoveryKind};
use crate::module::{self, Role};

/// What a project is.
#[derive(Debug, Clone)]
pub struct Overview {
    /// Its folder's name, or what its manifest says.
    pub name: String,
    /// Files by language, most first.
    pub languages: Vec<(&'static str, usize)>,
    /// How it is built: the manifests found.
    pub manifests: Vec<String>,
    /// Its modules, largest first.
    pub modules: Vec<Module>,
    /// Files in all.
    pub files: usize,
}

/// A module.
#[derive(Debug, Clone)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// How many files it has.
    pub files: usize,
    /// Its most telling files, with their roles.
    pub key_files: Vec<(String, Role)>,
    /// What is known about it.
    pub discoveries: Vec<Discovery>,
}

impl Module {
    /// How many discoveries of a kind it has.
    pub fn count(&self, kind: DiscoveryKind) -> usize {
        self.discoveries.iter().filter(|d| d.kind == kind).count()
    }
}

/// Files that say how a project is built.
const MANIFESTS: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "CMakeLists.txt",
    "Makefile",
    "foundry.toml",
    "deno.json",
    "Package.swift",
];
/// Key files shown of a module.
const KEY_FILES: usize = 8;

/// Looks over the index and what was learned.
pub fn overview(root: &Root, view: &View, discoveries: Vec<Discovery>) -> Overview {
    let mut languages: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut modules: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in view.files() {
        *languages.entry(language::name_of(&file.path)).or_default() += 1;
        modules.entry(module::of(&file.path)).or_default().push(&file.path);
    }
    let mut about: BTreeMap<String, Vec<Discovery>> = BTreeMap::new();
    for discovery in discoveries {
        let named = discovery
            .module
            .clone()
            .or_else(|| discovery.anchor.as_ref().map(|a| module::of(&a.path)));
        let name = named.unwrap_or_default();
        modules.entry(name.clone()).or_default();
        about.entry(name).or_default().push(discovery);
    }
    let mut shown: Vec<Module> = modules
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, files)| Module {
            files: files.len(),
            key_files: key_files(&files),
            discoveries: about.remove(&name).unwrap_or_default(),
            name,
        })
        .collect();
    shown.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    let mut languages: Vec<(&'static str, usize)> = languages.into_iter().collect();
    languages.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let manifests = MANIFESTS
        .iter()
        .filter(|name| view.file_number(name).is_some())
        .map(|name| (*name).to_owned())
        .collect();
    let name = root
        .path()
        .file_name()
        .map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned());
    Overview { name, languages, manifests, modules: shown, files: view.files().len() }
}

fn key_files(files: &[&str]) -> Vec<(String, Role)> {
    let mut files: Vec<(String, Role)> =
        files.iter().map(|path| ((*path).to_owned(), Role::of(path))).collect();
    let place = |role: Role| {
        [Role::Entry, Role::Core, Role::Config, Role::Test].iter().position(|r| *r == role)
    };
    files.sort_by_key(|(path, role)| (place(*role), path.matches('/').count(), path.clone()));
    files.truncate(KEY_FILES);
    files
}
