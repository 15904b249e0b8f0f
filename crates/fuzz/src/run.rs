//! A campaign with its folder: what it found is kept there, and what was asked of it is written down there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use proofstone_evm::campaign::{Campaign, InjectError, Injection, Prioritized, Record};
use proofstone_evm::{Address, U256};
use serde_json::json;

use crate::command_log::CommandLog;

/// A campaign that tools watch and steer.
#[derive(Debug)]
pub struct Run {
    pub(crate) campaign: Campaign,
    pub(crate) record: Record,
    pub(crate) folder: PathBuf,
    pub(crate) commands: CommandLog,
    pub(crate) started: Timestamp,
    pub(crate) origin: String,
    /// Sequences of an earlier campaign that this one began with.
    pub(crate) reused: usize,
    pub(crate) warnings: Vec<String>,
}

impl Run {
    /// The campaign itself.
    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    /// The contract that is fuzzed.
    pub fn contract(&self) -> &str {
        &self.campaign.target().contract().name
    }

    /// Where the corpus and the log of commands are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What a person should know about this campaign.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.iter().cloned().chain(self.campaign.warnings()).collect()
    }

    /// Keeps the corpus once the campaign is over, whoever ends it.
    pub(crate) fn save_at_end(self: &Arc<Self>) {
        let run = self.clone();
        std::thread::spawn(move || {
            run.campaign.wait();
            run.save();
        });
    }

    fn save(&self) {
        // The corpus is a convenience of the next campaign; the answers of this one don't need it.
        let _ = self.record.save_all(&self.folder, &self.campaign);
    }

    /// Stops the campaign, waits until it is over and keeps what it found.
    pub(crate) fn end(&self) {
        self.campaign.stop();
        self.campaign.wait();
        self.save();
    }

    /// Has every worker run a sequence and keep it.
    pub fn inject(
        &self,
        calls: &[String],
        sender: Address,
        value: U256,
    ) -> Result<Injection, InjectError> {
        let args = json!({
            "sequence": calls, "sender": format!("{sender:#x}"), "value": value.to_string()
        });
        self.commands.note("inject_transaction", args, || {
            let done = self.campaign.inject(calls, sender, value);
            let noted = done.as_ref().map(|injection| injection.epoch).map_err(ToString::to_string);
            (noted, done)
        })
    }

    /// Gives nine calls of ten to a function, and to those that have been named before.
    pub fn prioritize(&self, signature: &str) -> Prioritized {
        let args = json!({ "functionSignature": signature });
        self.commands.note("prioritize_function", args, || {
            let done = self.campaign.prioritize(signature);
            (Ok(done.epoch), done)
        })
    }

    /// Makes all functions equal again. Returns how many were in the set.
    pub fn clear_priorities(&self) -> usize {
        self.commands.note("clear_priorities", json!({}), || {
            let (cleared, epoch) = self.campaign.clear_priorities();
            (Ok(epoch), cleared)
        })
    }

    /// Stops the campaign soon.
    pub fn stop(&self) {
        self.commands.note("stop_campaign", json!({}), || {
            let epoch = self.campaign.next_epoch();
            self.campaign.stop();
            (Ok(epoch), ())
        });
    }
}
