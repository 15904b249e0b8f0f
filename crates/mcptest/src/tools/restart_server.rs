//! `restart_server`: the edit-build-test loop, while the agent's own session stays up.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff_contract::Changed;
use super::{ConnectionInfo, Timing, Watch, connected, described, failure, replay};
use crate::Surface;
use crate::connection::{Connection, Connections};
use crate::recording::Recording;

/// What to do between the old and the new server.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Program and arguments that build the server, run in the project root while the old one still
    /// runs; if it fails, the old one stays
    #[serde(default)]
    build: Vec<String>,
    /// How many of the last calls, reads and prompts are replayed on the new server
    #[serde(default = "five")]
    #[schemars(range(min = 0, max = 200))]
    replay_last: usize,
    /// Name of the connection, if it was given one on connecting
    connection: Option<String>,
}

fn five() -> usize {
    5
}

/// The new server, and what differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// Whether surface and answers are the same as before
    same: bool,
    /// Changes of the surface, the worst first
    surface: Vec<Changed>,
    /// The replayed exchanges: method, name, same, differences with their places
    #[schemars(extend("items" = { "type": "object" }))]
    exchanges: Vec<Value>,
    metadata: Timing,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct RestartServer(pub(crate) Arc<Connections>);

impl Tool for RestartServer {
    const NAME: &'static str = "restart_server";
    const TITLE: &'static str = "Restart the server under test";
    const DESCRIPTION: &'static str = "For the edit-build-test loop: builds the server if told how, ends \
        the one that runs, starts it again with the same command (or connects to the same url again), \
        replays the last calls and gives the differences in surface and answers. Your own session stays \
        up.";
    const EFFECT: Effect = Effect::CHANGES.in_open_world();
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_mins(15));
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let old = connected(&self.0, input.connection.as_deref())?;
        build(&input.build, cx).await?;
        // A server that has crashed can't be asked; its calls are replayed all the same.
        let before = Surface::of(&old).await.ok();
        old.client.close().await;
        let opened = Connection::open(&old.name, old.target.clone(), old.opening.clone()).await;
        let new = Arc::new(opened.map_err(|fault| described(&fault, "connection_failed"))?);
        self.0.put(Arc::clone(&new));
        let watch = Watch::start(&new);
        let now = || async { Surface::of(&new).await.map_err(|fault| failure(&fault, &new)) };
        let surface = match before {
            Some(before) => before,
            None => now().await?,
        };
        let recording = Recording::with(surface, &old).newest(input.replay_last);
        let replayed = recording.replay(&new, &[]).await;
        let replayed = replayed.map_err(|fault| failure(&fault, &new))?;
        let replay::Output { success, connection, same, surface, exchanges, metadata } =
            replay::shown(&new, &replayed, watch.timing(Vec::new()));
        Ok(Output { success, connection, same, surface, exchanges, metadata }.into())
    }
}

/// Builds the server; what the build said is in the failure.
async fn build(command: &[String], cx: &CallCx) -> Result<(), Failure> {
    let [program, arguments @ ..] = command else { return Ok(()) };
    let mut build = tokio::process::Command::new(program);
    build.args(arguments).current_dir(cx.root()).stdin(Stdio::null()).kill_on_drop(true);
    let failed = |said: String| {
        Failure::refused("execution_error", said).hint("mend the build; the old server still runs")
    };
    let output = build
        .output()
        .await
        .map_err(|error| failed(format!("`{program}` can't be run: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let tail = |bytes: &[u8]| crate::fault::last_lines(&String::from_utf8_lossy(bytes));
    Err(failed(format!("the build failed ({})", output.status))
        .detail("stderr", tail(&output.stderr))
        .detail("stdout", tail(&output.stdout)))
}
