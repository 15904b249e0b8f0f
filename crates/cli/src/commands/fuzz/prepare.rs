//! From arguments and settings to a target that is ready to be fuzzed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use proofstone_evm::artifact;
use proofstone_evm::campaign::{Record, Scheduled, disk};
use proofstone_evm::checks::Test;
use proofstone_evm::config::{Config, TestMode};
use proofstone_evm::input::Sequence;
use proofstone_evm::property::compile_property;
use proofstone_evm::settings::{Setting, apply, read_echidna_yaml};
use proofstone_evm::target::Target;

use super::{CampaignArgs, TargetArgs};
use crate::out::BadUsage;
use crate::settings::Settings;

/// Everything a campaign needs to start.
pub(super) struct Prepared {
    pub(super) target: Arc<Target>,
    pub(super) config: Config,
    pub(super) initial: Vec<Sequence>,
    pub(super) orders: Vec<Scheduled>,
    pub(super) warnings: Vec<String>,
}

/// Reads the configuration, loads and deploys the target, reads the corpus.
pub(super) fn prepare(args: &CampaignArgs, settings: &Settings) -> anyhow::Result<Prepared> {
    let mut warnings = Vec::new();
    let mut config = configuration(&args.target, settings, &mut warnings)?;
    flags(args, &mut config);
    let replayed = args.replay.as_deref().map(record).transpose()?;
    if let Some(started) = &replayed {
        started.apply(&mut config);
    }
    let mut chosen = args.target.clone();
    chosen.contract = chosen.contract.or_else(|| replayed.as_ref()?.contract.clone());
    let target = deploy(&chosen, &config, &mut warnings)?;
    if args.mcp.is_some() && config.corpus_dir.is_none() {
        let folder = proofstone_fuzz::own_folder(&settings.root.value, &target.contract().name);
        config.corpus_dir = Some(folder.map_err(|e| BadUsage(e.to_string()))?);
    }
    let compile = |text: &str, name: &str| {
        let (solc, cache) = (args.target.solc.as_deref(), cache_folder());
        compile_property(&target, &config, text, name, solc, cache.as_deref())
            .map_err(|e| e.to_string())
    };
    let replayed_orders = args.replay_commands.as_deref().map(|path| orders(path, compile));
    let orders = replayed_orders.transpose()?.unwrap_or_default();
    let mut initial = Vec::new();
    if let Some(folder) = &config.corpus_dir {
        let loaded = disk::load(folder, &target);
        warnings.extend(loaded.warnings);
        initial = loaded.sequences;
    }
    if let Some(started) = &replayed {
        initial = started.initial(&target);
    }
    let mut seen = HashSet::new();
    initial.retain(|sequence| seen.insert(sequence.clone()));
    Ok(Prepared { target, config, initial, orders, warnings })
}

fn record(path: &Path) -> anyhow::Result<Record> {
    Record::read(path).with_context(|| format!("cannot read the campaign in {}", path.display()))
}

fn orders(
    path: &Path,
    compile: impl Fn(&str, &str) -> Result<Test, String>,
) -> anyhow::Result<Vec<Scheduled>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let orders = proofstone_fuzz::command_log::orders(&text, compile);
    Ok(orders.map_err(|problem| BadUsage(format!("{}: {problem}", path.display())))?)
}

/// Defaults, then `proofstone.toml`, then the configuration file.
pub(super) fn configuration(
    args: &TargetArgs,
    settings: &Settings,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Config> {
    let mut config = settings_only(settings, warnings)?;
    if let Some(path) = &args.config {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let found = read_echidna_yaml(&text, &mut config)
            .map_err(|e| BadUsage(format!("{}: {e}", path.display())))?;
        warnings.extend(found.into_iter().map(|w| format!("{}: {w}", path.display())));
    }
    if let Some(mode) = &args.test_mode {
        config.test_mode = TestMode::parse(mode)
            .ok_or_else(|| BadUsage(format!("unknown test mode `{mode}`; say property, assertion, optimization, overflow, exploration or foundry")))?;
    }
    if !args.constructor_args.is_empty() {
        config.constructor_arguments.clone_from(&args.constructor_args);
    }
    config.corpus_dir = args.corpus.clone().or(config.corpus_dir);
    Ok(config)
}

/// Defaults, then `proofstone.toml`.
pub(crate) fn settings_only(
    settings: &Settings,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Config> {
    let mut config = Config::default();
    let table: toml::Table = settings.section("fuzz")?;
    for (name, value) in &table {
        let remarks =
            apply(&mut config, name, &of_toml(value)).map_err(|e| BadUsage(e.to_string()))?;
        warnings.extend(remarks.into_iter().map(|r| format!("proofstone.toml, [fuzz]: {r}")));
    }
    Ok(config)
}

fn of_toml(value: &toml::Value) -> Setting {
    match value {
        toml::Value::String(text) => Setting::Text(text.clone()),
        toml::Value::Boolean(flag) => Setting::Flag(*flag),
        toml::Value::Array(items) => Setting::List(items.iter().map(of_toml).collect()),
        other => Setting::Text(other.to_string()),
    }
}

fn flags(args: &CampaignArgs, config: &mut Config) {
    config.test_limit = args.test_limit.unwrap_or(config.test_limit);
    config.shrink_limit = args.shrink_limit.unwrap_or(config.shrink_limit);
    config.sequence_length = args.seq_len.unwrap_or(config.sequence_length).max(1);
    config.workers = args.workers.or(config.workers);
    config.seed = args.seed.or(config.seed);
    config.timeout = args.timeout.map(Duration::from_secs).or(config.timeout);
    config.all_contracts |= args.all_contracts;
    config.stop_on_fail |= args.stop_on_fail;
}

/// Loads and deploys. What is wrong with the target is the caller's to mend: exit code 2.
pub(super) fn deploy(
    args: &TargetArgs,
    config: &Config,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Arc<Target>> {
    let path = args.target.as_deref().unwrap_or(Path::new("."));
    let cache = cache_folder();
    let mut build = config.build.clone();
    build.solc = args.solc.clone().or(build.solc);
    let located =
        artifact::load_with(path, &build, cache.as_deref()).map_err(|e| BadUsage(e.to_string()))?;
    let target = Target::prepare(located.artifacts, args.contract.as_deref(), config)
        .map_err(|e| BadUsage(e.to_string()))?;
    warnings.extend(target.warnings.iter().cloned());
    Ok(Arc::new(target))
}

/// Compiler answers are kept in the user's cache folder.
fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("proofstone").join("solc"))
}
