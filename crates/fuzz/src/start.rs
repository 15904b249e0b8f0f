//! From what a caller wants fuzzed to a running campaign.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use proofstone_evm::artifact::{self, LoadError};
use proofstone_evm::campaign::{Campaign, Record, disk};
use proofstone_evm::config::{Config, TestMode};
use proofstone_evm::target::{Target, TargetError};
use thiserror::Error;

use crate::desk::Options;
use crate::place::{self, PlaceError};
use crate::run::Run;

/// Where the folders of campaigns lie, inside the root.
pub(crate) const OWN: &str = ".proofstone/fuzz";

/// What to fuzz, and how. What is not set stays as the desk's options say.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// A `.sol` file, an artifact, a project or a folder of them, inside the root.
    pub target: String,
    /// The contract, by name or `file:Name`.
    pub contract: Option<String>,
    /// What to look for.
    pub test_mode: Option<TestMode>,
    /// Calls after which the campaign ends.
    pub test_limit: Option<u64>,
    /// Time after which the campaign ends.
    pub timeout: Option<Duration>,
    /// Longest sequence.
    pub sequence_length: Option<usize>,
    /// Attempts at shrinking one counterexample.
    pub shrink_limit: Option<u64>,
    /// Seed of all chance.
    pub seed: Option<u64>,
    /// Threads.
    pub workers: Option<usize>,
    /// End at the first falsified test.
    pub stop_on_fail: bool,
    /// Call every deployed contract.
    pub all_contracts: bool,
    /// Arguments of the constructor, as text.
    pub constructor_arguments: Vec<String>,
    /// Where the corpus is kept, inside the root.
    pub corpus: Option<String>,
    /// Stop a campaign that is still running.
    pub replace: bool,
}

/// A campaign could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// One is running.
    #[error(
        "a campaign on {contract} is running; end it with stop_campaign, or say `replace: true` to end it and start this one"
    )]
    Running {
        /// What it fuzzes.
        contract: String,
    },
    /// The campaign belongs to somebody else.
    #[error(
        "this server steers the one campaign that was started on the command line; end that with stop_campaign and start another with `proofstone fuzz`, or start campaigns on `proofstone serve`"
    )]
    Held,
    /// A path can't be used.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The target can't be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The target can't be deployed.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The corpus folder can't be written.
    #[error("the corpus folder {folder} can't be written: {source}")]
    Corpus {
        /// Where.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Loads, deploys and starts.
pub(crate) fn start(plan: &Plan, root: &Path, options: &Options) -> Result<Arc<Run>, StartError> {
    let path = place::existing(root, &plan.target)?;
    let config = configuration(plan, options);
    let located = artifact::load_with(&path, &options.build(), options.cache.as_deref())?;
    let target = Target::prepare(located.artifacts, plan.contract.as_deref(), &config)?;
    let folder = corpus_folder(plan, root, &target)?;
    let shown = PathBuf::from(&plan.target);
    launch(shown, located.origin, Arc::new(target), config, folder)
}

/// Starts a campaign on a deployed target, from the corpus in its folder.
pub(crate) fn launch(
    path: PathBuf,
    origin: String,
    target: Arc<Target>,
    config: Config,
    folder: PathBuf,
) -> Result<Arc<Run>, StartError> {
    let failed = |source| StartError::Corpus { folder: folder.clone(), source };
    let loaded = disk::load(&folder, &target);
    let mut seen = HashSet::new();
    let mut initial = loaded.sequences;
    initial.retain(|sequence| seen.insert(sequence.clone()));
    let record = Record::new(&path, &target, &config, &initial);
    let reused = initial.len();
    let campaign = Arc::new(Campaign::start_with(target, config, initial));
    record.save(&folder, &campaign).map_err(failed)?;
    let run = Run::begin(campaign, record, folder.clone(), origin, reused).map_err(failed)?;
    let run = Arc::new(Run { warnings: loaded.warnings, ..run });
    run.save_at_end();
    Ok(run)
}

fn configuration(plan: &Plan, options: &Options) -> Config {
    let base = options.config.clone();
    Config {
        test_mode: plan.test_mode.unwrap_or(base.test_mode),
        test_limit: plan.test_limit.unwrap_or(base.test_limit),
        timeout: plan.timeout.or(base.timeout),
        sequence_length: plan.sequence_length.unwrap_or(base.sequence_length),
        shrink_limit: plan.shrink_limit.unwrap_or(base.shrink_limit),
        seed: plan.seed.or(base.seed),
        workers: plan.workers.or(base.workers),
        stop_on_fail: plan.stop_on_fail || base.stop_on_fail,
        all_contracts: plan.all_contracts || base.all_contracts,
        constructor_arguments: match plan.constructor_arguments.is_empty() {
            true => base.constructor_arguments.clone(),
            false => plan.constructor_arguments.clone(),
        },
        ..base
    }
}

/// The folder named, or one of the contract's own under `.proofstone/`, which git is told to ignore.
fn corpus_folder(plan: &Plan, root: &Path, target: &Target) -> Result<PathBuf, StartError> {
    if let Some(named) = &plan.corpus {
        return Ok(place::folder(root, named)?);
    }
    own_folder(root, &target.contract().name)
}

/// The folder where campaigns on a contract are kept if nobody names another.
pub fn own_folder(root: &Path, contract: &str) -> Result<PathBuf, StartError> {
    let ours = place::folder(root, ".proofstone")?;
    let ignore = ours.join(".gitignore");
    if !ignore.exists() {
        std::fs::write(&ignore, "*\n")
            .map_err(|source| StartError::Corpus { folder: ours.clone(), source })?;
    }
    Ok(place::folder(root, &format!("{OWN}/{contract}"))?)
}
