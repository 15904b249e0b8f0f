//! `proofstone serve`: the toolsets over MCP.

use std::process::ExitCode;
use std::sync::Arc;

use proofstone_contract::Toolset;
use proofstone_gate::{Gate, OutputPolicy};
use proofstone_server::http::{Bound, HttpOptions};
use proofstone_server::{Serving, serve_stdio};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::out;
use crate::settings::Settings;
use crate::toolsets;

/// How many of the last calls the console can show.
const REMEMBERED_CALLS: usize = 1000;

/// Serve the tools over MCP, on stdio or HTTP.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The toolsets to serve, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    toolsets: Option<Vec<String>>,
    /// Listen on this address: streamable HTTP at /mcp and the console at /, instead of stdio
    #[arg(long, value_name = "HOST:PORT")]
    http: Option<String>,
    /// The bearer token that HTTP requests must carry; one is made if the address is not loopback
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Keep no HTTP sessions, also for clients of the older protocol revisions
    #[arg(long)]
    stateless: bool,
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    proofstone_server::logs::start(&settings.log.value);
    let names = args.toolsets.as_ref().unwrap_or(&settings.toolsets.value);
    let sets = toolsets::make(names, settings)?;
    let http = args.http.or_else(|| settings.http.value.clone()).map(|address| HttpOptions {
        address,
        token: args.token.or_else(|| settings.token.value.clone()),
        allowed_hosts: settings.allowed_hosts.value.clone(),
        allowed_origins: settings.allowed_origins.value.clone(),
        stateless: args.stateless,
    });
    let serving = serving(&sets, http.is_some(), settings)?;
    runtime(http.is_some())?.block_on(serve(serving, http, &sets))?;
    Ok(ExitCode::SUCCESS)
}

/// What is served; where a console shows them, the last calls are remembered.
pub(super) fn serving(
    sets: &[Arc<dyn Toolset>],
    console: bool,
    settings: &Settings,
) -> anyhow::Result<Arc<Serving>> {
    let gate = Gate::new(sets.to_vec(), OutputPolicy::default())?;
    let gate = if console { gate.remembering(REMEMBERED_CALLS) } else { gate };
    Ok(Arc::new(Serving::new(gate, settings.root.value.clone())))
}

/// One thread serves stdio fastest: nothing has to be handed between cores, and tools that keep a
/// core busy run on threads of their own.
pub(super) fn runtime(many: bool) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match many {
        true => tokio::runtime::Builder::new_multi_thread(),
        false => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build()
}

async fn serve(
    serving: Arc<Serving>,
    http: Option<HttpOptions>,
    sets: &[Arc<dyn Toolset>],
) -> anyhow::Result<()> {
    let stop = stop_on_signal()?;
    match http {
        None => serve_stdio(serving, stop).await?,
        Some(options) => {
            let asked_for_token = options.token.is_some();
            let bound = Bound::bind(options).await?;
            announce(&bound, asked_for_token);
            bound.serve(serving, stop).await?;
        }
    }
    shut_down(sets).await;
    Ok(())
}

pub(super) async fn shut_down(sets: &[Arc<dyn Toolset>]) {
    for set in sets {
        set.shutdown().await;
    }
}

pub(super) fn announce(bound: &Bound, asked_for_token: bool) {
    let address = bound.address();
    out::note(format!("serving MCP at http://{address}/mcp and the console at http://{address}/"));
    if let (Some(token), false) = (bound.token(), asked_for_token) {
        out::note(format!("this address can be reached from outside; the token is {token}"));
    }
}

/// A token that fires on SIGTERM or Ctrl-C. A second signal ends the program at once.
pub(super) fn stop_on_signal() -> std::io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let fired = stop.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
            if fired.is_cancelled() {
                end_now();
            }
            fired.cancel();
        }
    });
    Ok(stop)
}

#[expect(clippy::exit, reason = "a second signal asks for exactly that")]
fn end_now() {
    std::process::exit(130);
}
