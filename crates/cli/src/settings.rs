//! Settings and where each came from: `proofstone.toml` in the root, then the environment, then
//! flags; the later one wins.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::Deserialize;

use crate::out::BadUsage;

/// The name of the configuration file in the project root.
const FILE: &str = "proofstone.toml";

/// The flags that every command takes.
#[derive(Debug, Default, Args)]
pub(crate) struct Flags {
    /// The project: relative paths are relative to it, and nothing outside is read
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// What is logged on stderr: error, warn, info, debug, trace, or a filter such as
    /// `proofstone_gate=debug`
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) log: Option<String>,
    /// Read coverage reports only inside the project, also where a link or an absolute path leads out
    #[arg(long, global = true, env = "PROOFSTONE_JAIL_REPORTS")]
    pub(crate) jail_reports: bool,
}

/// Where a setting came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File(PathBuf),
    Environment(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// What `proofstone.toml` may hold. The toolsets read their own sections.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSettings {
    toolsets: Option<Vec<String>>,
    log: Option<String>,
    http: Option<String>,
    token: Option<String>,
    #[serde(default)]
    allowed_hosts: Option<Vec<String>>,
    #[serde(default)]
    allowed_origins: Option<Vec<String>>,
    #[serde(default)]
    coverage: toml::Table,
    #[serde(default)]
    context: toml::Table,
    #[serde(default)]
    patterns: toml::Table,
    #[serde(default)]
    fuzz: toml::Table,
    #[serde(default, rename = "mcp-test")]
    mcp_test: toml::Table,
}

/// Everything that can be set.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) root: Setting<PathBuf>,
    pub(crate) log: Setting<String>,
    pub(crate) toolsets: Setting<Vec<String>>,
    pub(crate) http: Setting<Option<String>>,
    pub(crate) token: Setting<Option<String>>,
    pub(crate) allowed_hosts: Setting<Vec<String>>,
    pub(crate) allowed_origins: Setting<Vec<String>>,
    pub(crate) jail_reports: bool,
    sections: Sections,
}

#[derive(Debug, Clone, Default)]
struct Sections {
    file: PathBuf,
    coverage: toml::Table,
    context: toml::Table,
    patterns: toml::Table,
    fuzz: toml::Table,
    mcp_test: toml::Table,
}

impl Settings {
    /// Reads the file and the environment, and lays the flags over them.
    pub(crate) fn load(flags: &Flags) -> anyhow::Result<Self> {
        let env = |name: &'static str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let root = root(flags, &env)?;
        let path = root.value.join(FILE);
        let file = read_file(&path)?;
        let from = Layers { path: &path, env: &env };
        Ok(Self {
            log: from.pick(
                "PROOFSTONE_LOG",
                file.log,
                flags.log.clone().map(|v| ("--log", v)),
                "warn".into(),
                text,
            ),
            toolsets: from.pick(
                "PROOFSTONE_TOOLSETS",
                file.toolsets,
                None,
                crate::toolsets::NAMES.iter().map(ToString::to_string).collect(),
                list,
            ),
            http: from.pick("PROOFSTONE_HTTP", file.http.map(Some), None, None, Some),
            token: from.pick("PROOFSTONE_TOKEN", file.token.map(Some), None, None, Some),
            allowed_hosts: from.pick(
                "PROOFSTONE_ALLOWED_HOSTS",
                file.allowed_hosts,
                None,
                Vec::new(),
                list,
            ),
            allowed_origins: from.pick(
                "PROOFSTONE_ALLOWED_ORIGINS",
                file.allowed_origins,
                None,
                Vec::new(),
                list,
            ),
            jail_reports: flags.jail_reports,
            sections: Sections {
                coverage: file.coverage,
                context: file.context,
                patterns: file.patterns,
                fuzz: file.fuzz,
                mcp_test: file.mcp_test,
                file: path,
            },
            root,
        })
    }

    /// The same settings for another project.
    pub(crate) fn at(&self, root: &Path) -> Self {
        let root = Setting { value: root.to_owned(), origin: Origin::Default };
        Self { root, ..self.clone() }
    }

    /// A toolset's own section of the file, read into its options.
    pub(crate) fn section<T: for<'a> Deserialize<'a>>(&self, toolset: &str) -> anyhow::Result<T> {
        let table = match toolset {
            "coverage" => &self.sections.coverage,
            "context" => &self.sections.context,
            "patterns" => &self.sections.patterns,
            "fuzz" => &self.sections.fuzz,
            _ => &self.sections.mcp_test,
        };
        let said = || format!("{}: section [{toolset}]", self.sections.file.display());
        table.clone().try_into().with_context(said)
    }

    /// The settings as rows for `doctor`: name, value, origin.
    pub(crate) fn rows(&self) -> Vec<[String; 3]> {
        fn row<T>(name: &str, setting: &Setting<T>, shown: String) -> [String; 3] {
            [name.to_owned(), shown, setting.origin.to_string()]
        }
        let none = || "(none)".to_owned();
        let joined = |names: &[String]| if names.is_empty() { none() } else { names.join(",") };
        vec![
            row("root", &self.root, self.root.value.display().to_string()),
            row("log", &self.log, self.log.value.clone()),
            row("toolsets", &self.toolsets, joined(&self.toolsets.value)),
            row("http", &self.http, self.http.value.clone().unwrap_or_else(none)),
            row(
                "token",
                &self.token,
                self.token.value.as_ref().map_or_else(none, |_| "(set)".into()),
            ),
            row("allowed_hosts", &self.allowed_hosts, joined(&self.allowed_hosts.value)),
            row("allowed_origins", &self.allowed_origins, joined(&self.allowed_origins.value)),
        ]
    }
}

fn root(
    flags: &Flags,
    env: &impl Fn(&'static str) -> Option<String>,
) -> anyhow::Result<Setting<PathBuf>> {
    let (path, origin) = match (&flags.root, env("PROOFSTONE_ROOT")) {
        (Some(path), _) => (path.clone(), Origin::Flag("--root")),
        (None, Some(path)) => (path.into(), Origin::Environment("PROOFSTONE_ROOT")),
        (None, None) => (PathBuf::from("."), Origin::Default),
    };
    let value = path.canonicalize().map_err(|error| {
        BadUsage(format!(
            "the project root {} can't be opened: {error} (from {origin})",
            path.display()
        ))
    })?;
    if !value.is_dir() {
        let said =
            format!("the project root {} is not a directory (from {origin})", path.display());
        return Err(BadUsage(said).into());
    }
    Ok(Setting { value, origin })
}

fn read_file(path: &Path) -> anyhow::Result<FileSettings> {
    match std::fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text)
            .map_err(|error| BadUsage(format!("{} can't be used: {error}", path.display())).into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(FileSettings::default()),
        Err(error) => Err(error).with_context(|| format!("{} can't be read", path.display())),
    }
}

/// The layers under the flags.
struct Layers<'a, E> {
    path: &'a Path,
    env: &'a E,
}

impl<E: Fn(&'static str) -> Option<String>> Layers<'_, E> {
    fn pick<T>(
        &self,
        variable: &'static str,
        file: Option<T>,
        flag: Option<(&'static str, T)>,
        default: T,
        parse: fn(String) -> T,
    ) -> Setting<T> {
        if let Some((name, value)) = flag {
            return Setting { value, origin: Origin::Flag(name) };
        }
        if let Some(value) = (self.env)(variable) {
            return Setting { value: parse(value), origin: Origin::Environment(variable) };
        }
        match file {
            Some(value) => Setting { value, origin: Origin::File(self.path.to_owned()) },
            None => Setting { value: default, origin: Origin::Default },
        }
    }
}

fn text(value: String) -> String {
    value
}

fn list(value: String) -> Vec<String> {
    value.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}
