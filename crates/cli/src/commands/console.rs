//! `proofstone console`: the web console of a project, opened in the browser.

use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use proofstone_contract::Toolset;
use proofstone_server::Serving;
use proofstone_server::http::{Bound, HttpOptions};

use super::serve;
use crate::out;
use crate::settings::Settings;
use crate::toolsets;

/// Open the web console of a project.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to listen; clients can connect at /mcp meanwhile
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    http: String,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    proofstone_server::logs::start(&settings.log.value);
    let sets = toolsets::make(&settings.toolsets.value, settings)?;
    let serving = serve::serving(&sets, true, settings)?;
    let options = HttpOptions {
        address: args.http,
        token: settings.token.value.clone(),
        allowed_hosts: settings.allowed_hosts.value.clone(),
        allowed_origins: settings.allowed_origins.value.clone(),
        stateless: false,
    };
    serve::runtime(true)?.block_on(show(serving, options, args.no_open, &sets))?;
    Ok(ExitCode::SUCCESS)
}

async fn show(
    serving: Arc<Serving>,
    options: HttpOptions,
    no_open: bool,
    sets: &[Arc<dyn Toolset>],
) -> anyhow::Result<()> {
    let stop = serve::stop_on_signal()?;
    let asked_for_token = options.token.is_some();
    let bound = Bound::bind(options).await?;
    serve::announce(&bound, asked_for_token);
    let address = format!("http://{}/", bound.address());
    if no_open || !open(&address) {
        out::note(format!("open {address} in a browser; Ctrl-C ends it"));
    }
    bound.serve(serving, stop).await?;
    serve::shut_down(sets).await;
    Ok(())
}

/// Asks the system to open an address; whether it could be asked.
fn open(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = Stdio::null;
    let mut opener = Command::new(program);
    opener.args(arguments).arg(address).stdin(quiet()).stdout(quiet()).stderr(quiet());
    opener.spawn().is_ok()
}
