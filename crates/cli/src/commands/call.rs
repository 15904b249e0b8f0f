//! `proofstone call`: one call through the same gate as every other.

use std::io::Read;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use proofstone_contract::CallCx;
use proofstone_gate::{Gate, OutputPolicy};
use serde_json::Value;

use crate::commands::serve::stop_on_signal;
use crate::out::{self, BadUsage};
use crate::settings::Settings;
use crate::toolsets;

/// Call one tool and print its answer as JSON.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The tool's name, as `proofstone tools` lists it
    tool: String,
    /// The arguments: JSON, @FILE to read them from a file, or - to read them from stdin
    #[arg(default_value = "{}")]
    arguments: String,
}

pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    proofstone_server::logs::start(&settings.log.value);
    let arguments = arguments(&args.arguments)?;
    let sets = toolsets::make(&settings.toolsets.value, settings)?;
    let gate = Gate::new(sets.clone(), OutputPolicy::default())?;
    let cx = CallCx::builder(&settings.root.value).session("command line").time(HOUR).build();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let stop = stop_on_signal()?;
        let outcome = tokio::select! {
            outcome = gate.call(&args.tool, arguments, &cx) => Some(outcome),
            () = stop.cancelled() => None,
        };
        for set in &sets {
            set.shutdown().await;
        }
        anyhow::Ok(outcome)
    });
    // A call that was interrupted may still compute; what it started is ended here.
    runtime.shutdown_timeout(SECOND);
    let outcome = outcome?.context("interrupted before the tool answered")?;
    let outcome = outcome.map_err(|unknown| {
        BadUsage(unknown.to_string().replace("tools/list names", "`proofstone tools` names"))
    })?;
    let rendered = outcome.rendered;
    match &rendered.structured {
        Some(answer) => out::json(answer)?,
        None => out::line(rendered.text()),
    }
    Ok(if rendered.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

const HOUR: Duration = Duration::from_hours(1);
const SECOND: Duration = Duration::from_secs(1);

fn arguments(given: &str) -> anyhow::Result<Value> {
    let text = match given.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| format!("the arguments can't be read from {path}"))?,
        None if given == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("stdin can't be read")?;
            text
        }
        None => given.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        BadUsage(format!("the arguments are not JSON: {error}; give an object such as '{{\"path\": \"src/main.rs\"}}'")).into()
    })
}
