//! `get_project_overview`: a project in a page.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::from_what_is_ready;
use crate::memory::{DiscoveryKind, Filter};
use crate::module::Role;
use crate::overview::{Module, Overview, overview};
use crate::project::{Project, leaving_time};
use crate::tracker::Event;

/// How much of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    /// Maximum number of modules to return
    #[serde(default = "default_modules")]
    #[schemars(range(min = 1, max = 500))]
    max_modules: u32,
}

fn default_modules() -> u32 {
    30
}

/// The project.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// Its name
    name: String,
    /// Files that can be searched and read
    files: usize,
    /// Files by language, most first
    languages: Vec<ShownLanguage>,
    /// The files that say how it is built
    manifests: Vec<String>,
    /// Its modules, largest first
    modules: Vec<ShownModule>,
    /// Modules that are not shown
    modules_left_out: usize,
}

/// A language.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownLanguage {
    /// Its name
    name: &'static str,
    /// How many files
    files: usize,
}

/// A module.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShownModule {
    /// Its name
    name: String,
    /// How many files it has
    files: usize,
    /// Its most telling files
    key_files: Vec<ShownKeyFile>,
    /// Patterns known about it
    patterns: usize,
    /// Rules known about it
    rules: usize,
    /// Decisions known about it
    decisions: usize,
    /// Issues known about it
    issues: usize,
}

/// A file of a module.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownKeyFile {
    /// Path relative to the project root
    path: String,
    /// entry, config, core or test
    role: &'static str,
}

/// The tool.
pub(super) struct GetProjectOverview(pub(super) Arc<Project>);

impl Tool for GetProjectOverview {
    const NAME: &'static str = "get_project_overview";
    const TITLE: &'static str = "The project in a page";
    const DESCRIPTION: &'static str = "The project in a page: languages, how it is built, its modules with their key files, and how much is known about each.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_secs(20));

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        project.track(Event::Called);
        let (overview, ready) = cx
            .blocking(move |stop| {
                let (index, ready) = project.fresh_index(leaving_time(stop.deadline()), &|_| {})?;
                let known = project
                    .memory()
                    .and_then(|memory| memory.discoveries(project.root(), &Filter::default()));
                let overview = overview(project.root(), &index.view(), known.unwrap_or_default());
                Ok::<_, Failure>((overview, ready))
            })
            .await??;
        let output = Output::new(overview, input.max_modules as usize);
        Ok(from_what_is_ready(output, ready))
    }
}

impl Output {
    fn new(overview: Overview, max_modules: usize) -> Self {
        let modules_left_out = overview.modules.len().saturating_sub(max_modules);
        Self {
            name: overview.name,
            files: overview.files,
            languages: overview
                .languages
                .into_iter()
                .map(|(name, files)| ShownLanguage { name, files })
                .collect(),
            manifests: overview.manifests,
            modules: overview
                .modules
                .into_iter()
                .take(max_modules)
                .map(ShownModule::from)
                .collect(),
            modules_left_out,
        }
    }
}

impl From<Module> for ShownModule {
    fn from(m: Module) -> Self {
        let key =
            |(path, role): &(String, Role)| ShownKeyFile { path: path.clone(), role: role.name() };
        Self {
            files: m.files,
            key_files: m.key_files.iter().map(key).collect(),
            patterns: m.count(DiscoveryKind::Pattern),
            rules: m.count(DiscoveryKind::Rule),
            decisions: m.count(DiscoveryKind::Decision),
            issues: m.count(DiscoveryKind::Issue),
            name: m.name,
        }
    }
}
