//! The place where the one campaign stands that all sessions watch and steer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use proofstone_evm::artifact::Build;
use proofstone_evm::config::Config;

use crate::run::Run;
use crate::saved;
use crate::start::{Plan, StartError, start};

/// What every campaign starts from.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Settings that a plan does not name.
    pub config: Config,
    /// The compiler to use, if not the one that is found.
    pub solc: Option<PathBuf>,
    /// Where compilers' answers are kept.
    pub cache: Option<PathBuf>,
}

impl Options {
    /// How source is compiled.
    pub(crate) fn build(&self) -> Build {
        let build = self.config.build.clone();
        Build { solc: self.solc.clone().or(build.solc), ..build }
    }
}

/// Holds the campaign: the running one, or the last one.
#[derive(Debug, Default)]
pub struct Desk {
    options: Options,
    current: Mutex<Option<Arc<Run>>>,
    /// The campaign is somebody else's: it is steered here, not replaced.
    held: bool,
    /// One start at a time: the campaign that a start replaces is stopped first.
    starting: Mutex<()>,
}

impl Desk {
    /// A desk without a campaign.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// A desk for the campaign that somebody else has started and will end.
    pub fn holding(options: Options, run: Arc<Run>) -> Self {
        Self { options, current: Mutex::new(Some(run)), held: true, ..Self::default() }
    }

    /// What campaigns start from.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The campaign, if one was started.
    pub fn current(&self) -> Option<Arc<Run>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The campaign, or the one that was saved last in the root.
    pub fn current_or_saved(&self, root: &Path) -> Result<Option<Arc<Run>>, StartError> {
        if let Some(run) = self.current() {
            return Ok(Some(run));
        }
        let _one = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = self.current() {
            return Ok(Some(run));
        }
        let Some(folder) = saved::latest(root) else { return Ok(None) };
        let run = saved::restore(root, folder, &self.options)?;
        self.put(run.clone());
        Ok(Some(run))
    }

    /// Starts a campaign. One that is still running is only stopped if the plan says so.
    pub fn start(&self, plan: &Plan, root: &Path) -> Result<Arc<Run>, StartError> {
        if self.held {
            return Err(StartError::Held);
        }
        let _one = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = self.current().filter(|run| !run.campaign().is_finished()) {
            if !plan.replace {
                return Err(StartError::Running { contract: running.contract().to_owned() });
            }
            running.end();
        }
        let run = start(plan, root, &self.options)?;
        self.put(run.clone());
        Ok(run)
    }

    /// Puts a campaign on the desk.
    pub fn put(&self, run: Arc<Run>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
    }

    /// Ends the campaign and keeps what it found.
    pub fn close(&self) {
        if let Some(run) = self.current().filter(|_| !self.held) {
            run.end();
        }
    }
}
