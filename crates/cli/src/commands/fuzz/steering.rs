//! MCP beside a campaign that a person started: agents come and go, the campaign stays.

use std::path::PathBuf;
use std::sync::Arc;

use proofstone_contract::Toolset;
use proofstone_evm::campaign::{Campaign, Record};
use proofstone_fuzz::{Desk, Fuzz, Run};
use proofstone_gate::{Gate, OutputPolicy};
use proofstone_server::Serving;
use proofstone_server::http::{Bound, HttpOptions};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::out::{self, BadUsage};
use crate::settings::Settings;
use crate::toolsets;

/// Where agents come in if nobody says otherwise.
pub(super) const ADDRESS: &str = "127.0.0.1:8733";

/// An address that is listened on and not yet served.
pub(super) struct Door {
    runtime: Runtime,
    bound: Bound,
    given_token: bool,
}

/// A campaign as the command line started it.
pub(super) struct Started {
    pub(super) campaign: Arc<Campaign>,
    pub(super) record: Record,
    /// Sequences it began with.
    pub(super) reused: usize,
    /// The compiler it was asked to use, which added properties are compiled with too.
    pub(super) solc: Option<PathBuf>,
    /// Where it is kept, if it is.
    pub(super) folder: Option<PathBuf>,
}

/// Agents are let in.
pub(super) struct Server {
    runtime: Runtime,
    stop: CancellationToken,
    run: Arc<Run>,
    url: String,
    /// The token that was made for an address that others can reach.
    token: Option<String>,
}

impl Door {
    /// Listens on an address.
    pub(super) fn open(address: &str, settings: &Settings) -> anyhow::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let token = settings.token.value.clone();
        let given_token = token.is_some();
        let options = HttpOptions {
            address: address.to_owned(),
            token,
            allowed_hosts: settings.allowed_hosts.value.clone(),
            allowed_origins: settings.allowed_origins.value.clone(),
            stateless: false,
        };
        let bound = runtime.block_on(Bound::bind(options));
        let bound =
            bound.map_err(|e| BadUsage(format!("{e}; say another with --mcp=HOST:PORT")))?;
        Ok(Self { runtime, bound, given_token })
    }

    /// Serves the fuzzing tools over a campaign.
    pub(super) fn let_in(self, started: Started, settings: &Settings) -> anyhow::Result<Server> {
        let Started { campaign, record, reused, solc, folder } = started;
        let folder = folder.unwrap_or_else(|| settings.root.value.clone());
        let origin = "the command line".to_owned();
        let run = Arc::new(Run::begin(campaign, record, folder, origin, reused)?);
        let options = proofstone_fuzz::Options { solc, ..toolsets::fuzz(settings)? };
        let desk = Arc::new(Desk::holding(options, run.clone()));
        let sets: Vec<Arc<dyn Toolset>> = vec![Arc::new(Fuzz::on(desk))];
        let gate = Gate::new(sets, OutputPolicy::default())?;
        let serving = Arc::new(Serving::new(gate, settings.root.value.clone()));
        let url = format!("http://{}/mcp", self.bound.address());
        let token = self.bound.token().filter(|_| !self.given_token).map(str::to_owned);
        let stop = CancellationToken::new();
        self.runtime.spawn(self.bound.serve(serving, stop.clone()));
        Ok(Server { runtime: self.runtime, stop, run, url, token })
    }
}

impl Server {
    /// Where agents come in.
    #[cfg(feature = "tui")]
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// What agents asked for last, newest first.
    #[cfg(feature = "tui")]
    pub(super) fn orders(&self) -> Vec<String> {
        self.run.commands().recent()
    }

    /// Says where, and with which token if one had to be made.
    pub(super) fn announce(&self) {
        out::note(format!("serving MCP at {}", self.url));
        if let Some(token) = &self.token {
            out::note(format!("this address can be reached from outside; the token is {token}"));
        }
        out::note(format!("what is asked is logged in {}", self.run.commands().path().display()));
    }

    /// Lets the calls under way finish.
    pub(super) fn close(self) {
        self.stop.cancel();
        self.runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    }
}
