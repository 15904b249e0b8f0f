//! What a campaign leaves behind: the corpus, the counterexamples, the reports and how to repeat it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofstone_evm::campaign::{Campaign, disk};
use proofstone_evm::config::Config;
use proofstone_evm::input::Sequence;
use proofstone_evm::target::Target;
use serde::{Deserialize, Serialize};

use super::CampaignArgs;
use super::prepare::Prepared;

/// What decides the course of a campaign, so that it can be repeated.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Started {
    target: PathBuf,
    contract: Option<String>,
    seed: Option<u64>,
    workers: usize,
    test_limit: u64,
    shrink_limit: u64,
    sequence_length: usize,
    /// The corpus it began with, in Echidna's format.
    initial: Vec<serde_json::Value>,
}

impl Started {
    pub(super) fn new(args: &CampaignArgs, prepared: &Prepared) -> Self {
        let functions = &prepared.target.functions;
        Self {
            target: args.target.target.clone().unwrap_or_default(),
            contract: Some(prepared.target.contract().name.clone()),
            seed: prepared.config.seed,
            workers: prepared.config.worker_count(),
            test_limit: prepared.config.test_limit,
            shrink_limit: prepared.config.shrink_limit,
            sequence_length: prepared.config.sequence_length,
            initial: prepared.initial.iter().map(|s| disk::to_json(s, functions)).collect(),
        }
    }

    /// Reads a saved campaign from its file or its corpus folder.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let file = if path.is_dir() { path.join("campaign.json") } else { path.to_owned() };
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is no saved campaign", file.display()))
    }

    pub(super) fn apply(&self, config: &mut Config) {
        config.seed = self.seed;
        config.workers = Some(self.workers);
        config.test_limit = self.test_limit;
        config.shrink_limit = self.shrink_limit;
        config.sequence_length = self.sequence_length;
    }

    pub(super) fn initial(&self, target: &Target) -> Vec<Sequence> {
        let read = self.initial.iter().map(|json| disk::from_json(json, &target.functions));
        read.filter_map(Result::ok).collect()
    }
}

/// Keeps the corpus, the counterexamples and how to repeat the campaign.
pub(super) fn save(folder: &Path, campaign: &Campaign, started: &Started) -> anyhow::Result<()> {
    let functions = &campaign.target().functions;
    let said = || format!("cannot write the corpus in {}", folder.display());
    let corpus = campaign.corpus();
    disk::save_all(folder, corpus.entries().iter().map(AsRef::as_ref), functions)
        .with_context(said)?;
    for failure in campaign.tests().iter().filter_map(|t| t.failure.as_ref()) {
        disk::save(folder, "reproducers", &failure.sequence, functions).with_context(said)?;
        disk::save(folder, "reproducers-unshrunk", &failure.found, functions).with_context(said)?;
    }
    let started = Started {
        seed: Some(campaign.seed()),
        initial: started.initial.clone(),
        target: started.target.clone(),
        contract: started.contract.clone(),
        ..*started
    };
    let text = serde_json::to_string_pretty(&started)?;
    std::fs::create_dir_all(folder).with_context(said)?;
    std::fs::write(folder.join("campaign.json"), text).with_context(said)
}

/// Writes the reports that were asked for.
pub(super) fn write_reports(campaign: &Campaign, args: &CampaignArgs) -> anyhow::Result<()> {
    let write = |path: &Path, text: String| {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    if let Some(path) = &args.lcov {
        write(path, campaign.coverage().lcov())?;
    }
    if let Some(path) = &args.html {
        write(path, campaign.coverage().html())?;
    }
    if let Some(folder) = &args.reproducers {
        std::fs::create_dir_all(folder)?;
        for test in campaign.tests() {
            if let Some(failure) = &test.failure {
                let name: String =
                    test.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                write(&folder.join(format!("{name}.t.sol")), campaign.foundry_test(failure))?;
            }
        }
    }
    Ok(())
}
