//! The toolsets, by name: the one place that knows all of them.

use std::path::PathBuf;
use std::sync::Arc;

use proofstone_contract::Toolset;

use crate::out::BadUsage;
use crate::settings::Settings;

/// The toolsets that are served unless others are named.
pub(crate) const NAMES: &[&str] = &[
    // One a line, in the order they are served.
    "coverage", "context", "patterns", "fuzz", "mcp-test",
];

/// A toolset that is served only when it is named: the fixtures of the protocol's conformance suite.
const HIDDEN: &str = "conformance";

/// Makes the named toolsets, in the order of [`NAMES`] whatever the order asked for.
pub(crate) fn make(names: &[String], settings: &Settings) -> anyhow::Result<Vec<Arc<dyn Toolset>>> {
    if let Some(unknown) = names.iter().find(|n| !NAMES.contains(&n.as_str()) && *n != HIDDEN) {
        let known = NAMES.join(", ");
        return Err(
            BadUsage(format!("there is no toolset `{unknown}`; the toolsets are {known}")).into()
        );
    }
    let mut made = Vec::new();
    for name in NAMES.iter().chain([&HIDDEN]).filter(|name| names.iter().any(|n| n == *name)) {
        made.push(one(name, settings)?);
    }
    Ok(made)
}

fn one(name: &str, settings: &Settings) -> anyhow::Result<Arc<dyn Toolset>> {
    Ok(match name {
        "coverage" => Arc::new(coverage(settings)?),
        "context" => Arc::new(context(settings)?),
        "patterns" => Arc::new(proofstone_patterns::Patterns::new(patterns(settings)?)),
        "fuzz" => Arc::new(proofstone_fuzz::Fuzz::new(fuzz(settings)?)),
        "mcp-test" => Arc::new(proofstone_mcptest::McpTest::default()),
        HIDDEN => Arc::new(proofstone_server::conformance::Conformance::default()),
        other => anyhow::bail!("the toolset `{other}` is not part of this build"),
    })
}

/// The section `[coverage]` of the settings file.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CoverageSection {
    /// Read reports only beneath the project root.
    jail_reports: bool,
}

fn coverage(settings: &Settings) -> anyhow::Result<proofstone_coverage::Coverage> {
    let CoverageSection { jail_reports } = settings.section("coverage")?;
    let jail_reports = jail_reports || settings.jail_reports;
    let options = proofstone_coverage::Options { jail_reports, ..Default::default() };
    Ok(proofstone_coverage::Coverage::new(options))
}

/// The section `[context]` of the settings file.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ContextSection {
    /// An endpoint that makes vectors.
    embeddings: Option<proofstone_context::embed::EndpointOptions>,
}

/// The section `[fuzz]` of the settings file, and where compilers' answers are kept.
pub(crate) fn fuzz(settings: &Settings) -> anyhow::Result<proofstone_fuzz::Options> {
    let config = crate::commands::fuzz::prepare::settings_only(settings, &mut Vec::new())?;
    let cache = Some(crate::cache::folder().join("solc"));
    Ok(proofstone_fuzz::Options { config, solc: None, cache })
}

/// The toolset `context` of the project.
pub(crate) fn context(settings: &Settings) -> anyhow::Result<proofstone_context::Context> {
    let ContextSection { embeddings } = settings.section("context")?;
    let options = proofstone_context::Options { cache: crate::cache::folder(), embeddings };
    Ok(proofstone_context::Context::open(&settings.root.value, options)?)
}

/// The section `[patterns]` of the settings file.
#[derive(Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PatternsSection {
    /// The user's folder of patterns.
    folder: Option<PathBuf>,
    /// Serve the starter library too.
    built_in: bool,
}

impl Default for PatternsSection {
    fn default() -> Self {
        Self { folder: None, built_in: true }
    }
}

/// The options of the toolset `patterns`.
pub(crate) fn patterns(settings: &Settings) -> anyhow::Result<proofstone_patterns::Options> {
    let PatternsSection { folder, built_in } = settings.section("patterns")?;
    Ok(proofstone_patterns::Options {
        user: user_patterns().or(folder),
        without_built_in: !built_in,
        surroundings: proofstone_patterns::Surroundings::of_process(),
        ..Default::default()
    })
}

/// The user's own patterns: `PROOFSTONE_PATTERNS`, or a folder beside other programs' settings.
fn user_patterns() -> Option<PathBuf> {
    let config = set("XDG_CONFIG_HOME").or_else(|| home().map(|home| home.join(".config")));
    set("PROOFSTONE_PATTERNS").or_else(|| {
        config.map(|folder| folder.join("proofstone/patterns")).filter(|folder| folder.is_dir())
    })
}

/// A variable that names a folder.
fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn home() -> Option<PathBuf> {
    set("HOME").or_else(|| set("USERPROFILE"))
}
