//! What decides the course of a campaign, kept beside its corpus so that it can be repeated.

use super::disk;
use super::handle::Campaign;
use crate::config::{Config, TestMode};
use crate::input::Sequence;
use crate::target::Target;
use crate::told::{heed, told};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
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
    #[serde(default)]
    test_mode: Option<String>,
    #[serde(default)]
    all_contracts: bool,
    #[serde(default)]
    constructor_arguments: Vec<String>,
    /// All other settings that differ from the defaults, by the reference's names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    settings: Map<String, Json>,
    /// Calls it made, once it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    /// Seconds it took, once it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wall_seconds: Option<f64>,
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
            test_mode: Some(target.mode.name().to_owned()),
            all_contracts: config.all_contracts,
            constructor_arguments: config.constructor_arguments.clone(),
            settings: told(config),
            calls: None,
            wall_seconds: None,
            initial: initial.iter().map(|s| disk::to_json(s, &target.functions)).collect(),
        }
    }

    /// The record's file in a corpus folder.
    pub fn file(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// How the campaign ended, in a phrase.
    pub fn ending(&self) -> String {
        match (self.calls, self.wall_seconds) {
            (Some(calls), Some(seconds)) => {
                format!("the campaign ended after {calls} calls in {seconds:.1} s")
            }
            _ => "the campaign did not end in good order".to_owned(),
        }
    }

    /// Reads a record from its file or its corpus folder.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let file = if path.is_dir() { Self::file(path) } else { path.to_owned() };
        Ok(serde_json::from_str(&std::fs::read_to_string(file)?)?)
    }

    /// Sets what the record decides.
    pub fn apply(&self, config: &mut Config) {
        config.seed = self.seed;
        config.workers = Some(self.workers);
        config.test_limit = self.test_limit;
        config.shrink_limit = self.shrink_limit;
        config.sequence_length = self.sequence_length;
        let mode = self.test_mode.as_deref().and_then(TestMode::parse);
        config.test_mode = mode.unwrap_or(config.test_mode);
        config.all_contracts |= self.all_contracts;
        if !self.constructor_arguments.is_empty() {
            config.constructor_arguments.clone_from(&self.constructor_arguments);
        }
        heed(&self.settings, config);
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
        let snapshot = campaign.snapshot();
        let ended = Self {
            calls: Some(snapshot.calls),
            wall_seconds: Some(snapshot.elapsed.as_secs_f64()),
            ..self.clone()
        };
        ended.save(folder, campaign)
    }
}
