//! What decides the course of a campaign, kept beside its corpus so that it can be repeated.

use super::disk;
use super::handle::Campaign;
use crate::config::Config;
use crate::input::Sequence;
use crate::target::Target;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// The name of the file in the corpus folder.
const FILE: &str = "campaign.json";

/// Everything that decides the course of a campaign, but for the target's code.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// What was fuzzed.
    pub target: PathBuf,
    /// Which contract of it.
    pub contract: Option<String>,
    seed: Option<u64>,
    workers: usize,
    test_limit: u64,
    shrink_limit: u64,
    sequence_length: usize,
    /// The corpus it began with, in Echidna's format.
    initial: Vec<Json>,
}

impl Record {
    /// The record of a campaign that is about to start.
    pub fn new(path: &Path, target: &Target, config: &Config, initial: &[Sequence]) -> Self {
        Self {
            target: path.to_owned(),
            contract: Some(target.contract().name.clone()),
            seed: config.seed,
            workers: config.worker_count(),
            test_limit: config.test_limit,
            shrink_limit: config.shrink_limit,
            sequence_length: config.sequence_length,
            initial: initial.iter().map(|s| disk::to_json(s, &target.functions)).collect(),
        }
    }

    /// Reads a record from its file or its corpus folder.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        Ok(serde_json::from_str(&std::fs::read_to_string(file)?)?)
    }

    /// Sets what the record decides.
    pub fn apply(&self, config: &mut Config) {
        config.seed = self.seed;
        config.workers = Some(self.workers);
        config.test_limit = self.test_limit;
        config.shrink_limit = self.shrink_limit;
        config.sequence_length = self.sequence_length;
    }

    /// The sequences it began with.
    pub fn initial(&self, target: &Target) -> Vec<Sequence> {
        let read = self.initial.iter().map(|json| disk::from_json(json, &target.functions));
        read.filter_map(Result::ok).collect()
    }

    /// Keeps the record, with the seed that is in use.
    pub fn save(&self, folder: &Path, campaign: &Campaign) -> std::io::Result<()> {
        let known = Self { seed: Some(campaign.seed()), ..self.clone() };
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(FILE), serde_json::to_string_pretty(&known)?)
    }

    /// Keeps the record, the corpus and the counterexamples.
    pub fn save_all(&self, folder: &Path, campaign: &Campaign) -> std::io::Result<()> {
        let functions = &campaign.target().functions;
        disk::save_all(folder, campaign.corpus().entries().iter().map(AsRef::as_ref), functions)?;
        for failure in campaign.tests().iter().filter_map(|t| t.failure.as_ref()) {
            disk::save(folder, "reproducers", &failure.sequence, functions)?;
            disk::save(folder, "reproducers-unshrunk", &failure.found, functions)?;
        }
        self.save(folder, campaign)
    }
}
