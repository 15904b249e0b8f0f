//! `proofstone fuzz minimize`: the smallest part of a corpus that reaches the same.

use std::process::ExitCode;

use proofstone_evm::campaign::{disk, minimize};

use super::{TargetArgs, prepare};
use crate::out::{self, BadUsage};
use crate::settings::Settings;

/// Moves what is not needed from `coverage/` to `unneeded/`: nothing is deleted.
pub(super) fn run(args: &TargetArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut warnings = Vec::new();
    let config = prepare::configuration(args, settings, &mut warnings)?;
    let folder = config
        .corpus_dir
        .clone()
        .ok_or_else(|| BadUsage("name the corpus with --corpus DIR".to_owned()))?;
    let target = prepare::deploy(args, &config, &mut warnings)?;
    let loaded = disk::load(&folder, &target);
    for warning in warnings.iter().chain(&loaded.warnings) {
        out::note(format!("{} {warning}", out::styled(out::WARN, "warning:")));
    }
    let kept = minimize(&target, &config, &loaded.sequences);
    for (index, sequence) in loaded.sequences.iter().enumerate() {
        if !kept.contains(&index) {
            let path = disk::save(&folder, "coverage", sequence, &target.functions)?;
            std::fs::create_dir_all(folder.join("unneeded"))?;
            if let Some(name) = path.file_name() {
                std::fs::rename(&path, folder.join("unneeded").join(name))?;
            }
        }
    }
    out::line(format!("kept {} of {} sequences", kept.len(), loaded.sequences.len()));
    Ok(ExitCode::SUCCESS)
}
