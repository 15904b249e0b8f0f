//! The campaign that was saved last, read back: a server that ends takes its campaign with it, and the next
//! one still answers from what was kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proofstone_evm::artifact;
use proofstone_evm::campaign::{Campaign, Record, disk};
use proofstone_evm::config::Config;
use proofstone_evm::target::Target;

use crate::command_log::CommandLog;
use crate::desk::Options;
use crate::place;
use crate::run::Run;
use crate::start::{OWN, StartError};

/// The folder of the campaign that was written last.
pub(crate) fn latest(root: &Path) -> Option<PathBuf> {
    let folders = std::fs::read_dir(root.join(OWN)).ok()?.flatten().map(|entry| entry.path());
    let written = |folder: &PathBuf| Record::file(folder).metadata().ok()?.modified().ok();
    let dated = folders.filter_map(|folder| Some((written(&folder)?, folder)));
    dated.max().map(|(_, folder)| folder)
}

/// Deploys the target again and replays the saved corpus. No call is made beyond that.
pub(crate) fn restore(
    root: &Path,
    folder: PathBuf,
    options: &Options,
) -> Result<Arc<Run>, StartError> {
    let failed = |source| StartError::Corpus { folder: folder.clone(), source };
    let record = Record::read(&folder).map_err(failed)?;
    let path = place::existing(root, &record.target.to_string_lossy())?;
    let mut config = options.config.clone();
    record.apply(&mut config);
    let config = Config { test_limit: 0, workers: Some(1), timeout: None, ..config };
    let located = artifact::load_with(&path, &options.build(), options.cache.as_deref())?;
    let target = Target::prepare(located.artifacts, record.contract.as_deref(), &config)?;
    let loaded = disk::load(&folder, &target);
    let mut sequences = loaded.sequences;
    // Counterexamples are short: what they falsify must be found by them, not by longer ones.
    sequences.sort_by_key(Vec::len);
    let reused = sequences.len();
    let campaign = Arc::new(Campaign::start_with(Arc::new(target), config, sequences));
    campaign.wait();
    let commands = CommandLog::reopen(&folder).map_err(failed)?;
    let mut warnings = loaded.warnings;
    warnings.push(format!(
        "restored from {}: {}; the figures here are those of its corpus, replayed",
        folder.display(),
        record.ending()
    ));
    let run = Run::over(campaign, record, folder.clone(), commands, located.origin, reused);
    Ok(Arc::new(Run { warnings, restored: true, ..run }))
}
