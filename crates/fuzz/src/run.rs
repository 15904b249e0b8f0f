//! A campaign with its folder: what it found is kept there, and what was asked of it is written down there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use proofstone_evm::campaign::{
    AddTestError, Addition, Campaign, Checked, InjectError, Injection, Prioritized, Record,
};
use proofstone_evm::property::{PropertyError, compile_property};
use proofstone_evm::{Address, U256};
use serde_json::json;
use thiserror::Error;

use crate::command_log::CommandLog;
use crate::desk::Options;

/// A campaign that tools watch and steer.
#[derive(Debug)]
pub struct Run {
    pub(crate) campaign: Arc<Campaign>,
    pub(crate) record: Record,
    pub(crate) folder: PathBuf,
    pub(crate) commands: CommandLog,
    pub(crate) started: Timestamp,
    pub(crate) origin: String,
    /// Sequences of an earlier campaign that this one began with.
    pub(crate) reused: usize,
    pub(crate) warnings: Vec<String>,
    /// Read back from its folder: nothing of it is written again.
    pub(crate) restored: bool,
}

/// A property that joined the campaign.
#[derive(Debug)]
pub struct AddedProperty {
    /// The test's name.
    pub name: String,
    /// From when on the workers check it.
    pub addition: Addition,
    /// What it was checked against.
    pub checked: Checked,
}

/// A property could not be added.
#[derive(Debug, Error)]
pub enum AddPropertyError {
    /// It is none, or could not be compiled.
    #[error(transparent)]
    Property(#[from] PropertyError),
    /// The campaign has one of this name.
    #[error(transparent)]
    Test(#[from] AddTestError),
}

impl Run {
    /// A campaign that was just started, with its log of commands begun.
    pub fn begin(
        campaign: Arc<Campaign>,
        record: Record,
        folder: PathBuf,
        origin: String,
        reused: usize,
    ) -> std::io::Result<Self> {
        let commands = CommandLog::begin(&folder)?;
        Ok(Self::over(campaign, record, folder, commands, origin, reused))
    }

    pub(crate) fn over(
        campaign: Arc<Campaign>,
        record: Record,
        folder: PathBuf,
        commands: CommandLog,
        origin: String,
        reused: usize,
    ) -> Self {
        let started = Timestamp::now();
        let (warnings, restored) = (Vec::new(), false);
        Self { campaign, record, folder, commands, started, origin, reused, warnings, restored }
    }

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

    /// What was asked of it.
    pub fn commands(&self) -> &CommandLog {
        &self.commands
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
        if self.restored {
            return;
        }
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

    /// Compiles a property, has the workers check it from now on, and checks it against the corpus.
    pub fn add_property(
        &self,
        text: &str,
        name: Option<&str>,
        options: &Options,
    ) -> Result<AddedProperty, AddPropertyError> {
        let campaign = &self.campaign;
        let name = name.map_or_else(|| self.free_name(), str::to_owned);
        let (solc, cache) = (options.solc.as_deref(), options.cache.as_deref());
        let test = compile_property(campaign.target(), campaign.config(), text, &name, solc, cache);
        let args = json!({ "property": text, "name": name });
        // Compiling and replaying take their time: only the order itself keeps others waiting.
        let addition = self.commands.note("add_property", args, || {
            let done = test
                .map_err(AddPropertyError::from)
                .and_then(|test| Ok((test.name.clone(), campaign.add_test(test)?)));
            let noted = done.as_ref().map(|(_, added)| added.epoch).map_err(ToString::to_string);
            (noted, done)
        });
        let (name, addition) = addition?;
        Ok(AddedProperty { name, addition, checked: campaign.check_corpus(addition.test) })
    }

    fn free_name(&self) -> String {
        let mut names = (1u32..).map(|number| format!("added_{number}"));
        names.find(|name| !self.campaign.has_test(name)).unwrap_or_default()
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
