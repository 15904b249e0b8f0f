//! `proofstone mcp-test`: tries another MCP server, for people and for CI.

mod call;
mod check;
mod diff;
mod fuzz;
mod html;
mod lint;
mod list;
mod load;
mod login;
mod record;
mod replay;
mod reports;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use proofstone_mcptest::connection::Connection;
use proofstone_mcptest::diff::{Change, Class};
use proofstone_mcptest::oauth::Trouble;
use proofstone_mcptest::recording::Replay;
use proofstone_mcptest::{Fault, HttpTarget, Opening, REVISIONS, StdioTarget, Target};
use serde_json::Value;

use crate::commands::serve::stop_on_signal;
use crate::out::{self, BAD, BadUsage, DIM, GOOD, WARN, styled};
use crate::settings::Settings;

/// Does this MCP server do what it claims: list, call, check, compare, record, fuzz, load.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    job: Job,
}

#[derive(Debug, clap::Subcommand)]
enum Job {
    /// Check a server against the rules of the protocol
    Check(check::Args),
    /// List a server's tools, resources and prompts
    List(list::Args),
    /// Call one tool of a server
    Call(call::Args),
    /// Compare a server with its lock file, or write one
    Diff(diff::Args),
    /// Write a session with a server to a file
    Record(record::Args),
    /// Have a recorded session again and show what differs
    Replay(replay::Args),
    /// Call a tool with many inputs made from its schema
    Fuzz(fuzz::Args),
    /// Measure how many calls a server answers
    Load(load::Args),
    /// Look a server's surface over for what is hard for a model
    Lint(lint::Args),
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    proofstone_server::logs::start(&settings.log.value);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let done = runtime.block_on(async {
        let stop = stop_on_signal()?;
        tokio::select! {
            done = job(&args.job) => done,
            () = stop.cancelled() => bail!("interrupted; the server under test was ended"),
        }
    });
    // A server that was interrupted ends here, with everything it started.
    drop(runtime);
    done.map_err(|error| match error.downcast_ref() {
        Some(Fault::Http { status: 401, .. }) => error.context(
            "the server wants authorization: give --oauth, or --header 'Authorization: Bearer TOKEN'",
        ),
        _ => error,
    })
}

async fn job(job: &Job) -> anyhow::Result<ExitCode> {
    match job {
        Job::Check(args) => check::run(args).await,
        Job::List(args) => list::run(args).await,
        Job::Call(args) => call::run(args).await,
        Job::Diff(args) => diff::run(args).await,
        Job::Record(args) => record::run(args).await,
        Job::Replay(args) => replay::run(args).await,
        Job::Fuzz(args) => fuzz::run(args).await,
        Job::Load(args) => load::run(args).await,
        Job::Lint(args) => lint::run(args).await,
    }
}

/// The server to try.
#[derive(Debug, clap::Args)]
struct Server {
    /// A header of every HTTP request
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// A variable of the server's environment
    #[arg(long = "env", value_name = "NAME=VALUE")]
    env: Vec<String>,
    #[command(flatten)]
    login: login::SignIn,
    /// The protocol revision to speak [default: the newest that both know]
    #[arg(long, value_name = "REVISION")]
    protocol: Option<String>,
    /// The client capabilities to advertise, as JSON
    #[arg(long, value_name = "JSON")]
    capabilities: Option<String>,
    /// How long the server may take to answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    timeout: f64,
    /// Use the old HTTP with server-sent events [default: if the address ends with /sse]
    #[arg(long)]
    sse: bool,
    /// The server's address, or the command that starts it
    #[arg(required = true, trailing_var_arg = true, value_name = "URL-OR-COMMAND")]
    words: Vec<String>,
}

impl Server {
    /// Opens a connection; it is for the caller to close.
    async fn connect(&self) -> anyhow::Result<Connection> {
        Ok(Connection::open("cli", self.enter().await?, self.opening()?).await?)
    }

    /// The target, after signing in where that is wanted.
    async fn enter(&self) -> anyhow::Result<Target> {
        let target = self.target()?;
        if let Target::Http(HttpTarget { access: Some(access), .. }) = &target {
            match Connection::open("login", target.clone(), self.opening()?).await {
                Err(Fault::Authorization(Trouble::Person { url, redirect_uri })) => {
                    login::sign_in(access, &url, &redirect_uri).await?;
                }
                opened => drop(opened?.client.close().await),
            }
        }
        Ok(target)
    }

    fn target(&self) -> anyhow::Result<Target> {
        let first = self.words.first().map(String::as_str).unwrap_or_default();
        if !first.starts_with("http://") && !first.starts_with("https://") {
            return Ok(Target::Stdio(StdioTarget {
                command: first.to_owned(),
                args: self.words[1..].to_vec(),
                env: pairs(&self.env, '=')?,
                cwd: None,
            }));
        }
        let (url, headers) = (first.to_owned(), pairs(&self.headers, ':')?);
        let target = HttpTarget { url, headers, access: self.login.access() };
        let old = self.sse || first.trim_end_matches('/').ends_with("/sse");
        Ok(if old { Target::Sse(target) } else { Target::Http(target) })
    }

    fn opening(&self) -> anyhow::Result<Opening> {
        if let Some(revision) = &self.protocol
            && !REVISIONS.contains(&revision.as_str())
        {
            let known = REVISIONS.join(", ");
            return Err(BadUsage(format!(
                "`{revision}` is no protocol revision; there are {known}"
            ))
            .into());
        }
        let capabilities = match &self.capabilities {
            Some(text) => serde_json::from_str::<Value>(text)
                .map_err(|error| BadUsage(format!("the capabilities are not JSON: {error}")))?,
            None => serde_json::json!({}),
        };
        let patience = Duration::try_from_secs_f64(self.timeout)
            .map_err(|error| BadUsage(format!("--timeout {}: {error}", self.timeout)))?;
        let answers = Vec::new();
        Ok(Opening { revision: self.protocol.clone(), capabilities, patience, answers })
    }
}

/// A change of a surface as a line.
fn change(change: &Change) -> String {
    let mark = match change.class {
        Class::Suspicious => styled(BAD, "suspicious"),
        Class::Breaking => styled(BAD, "breaking  "),
        Class::Widening => styled(GOOD, "widening  "),
        Class::Wording => styled(DIM, "wording   "),
    };
    format!("{mark} {}{} {}", change.subject, styled(DIM, &change.place), change.message)
}

/// What differs between a recorded session and the same again.
fn show_replay(replayed: &Replay) {
    replayed.surface.iter().for_each(|changed| out::line(change(changed)));
    for exchange in &replayed.exchanges {
        let mark = if exchange.same { styled(GOOD, "same  ") } else { styled(WARN, "differs") };
        out::line(format!("{mark} {} {}", exchange.method, exchange.name));
        for difference in &exchange.differences {
            let shown = |value: &Option<Value>| {
                let text = value.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
                text.chars().take(100).collect::<String>()
            };
            let (before, after) = (shown(&difference.before), shown(&difference.after));
            out::line(format!("        {} {before} -> {after}", styled(DIM, &difference.place)));
        }
    }
}

fn pairs(given: &[String], between: char) -> anyhow::Result<BTreeMap<String, String>> {
    given
        .iter()
        .map(|pair| match pair.split_once(between) {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(BadUsage(format!("`{pair}` is not NAME{between}VALUE")).into()),
        })
        .collect()
}
