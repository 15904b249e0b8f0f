//! `proofstone mcp-test`: tries another MCP server, for people and for CI.

mod call;
mod check;
mod list;
mod reports;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use proofstone_mcptest::{HttpTarget, Opening, REVISIONS, StdioTarget, Target};
use serde_json::Value;

use crate::out::BadUsage;
use crate::settings::Settings;

/// Does this MCP server do what it claims: list, call, check.
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
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    proofstone_server::logs::start(&settings.log.value);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match &args.job {
            Job::Check(args) => check::run(args).await,
            Job::List(args) => list::run(args).await,
            Job::Call(args) => call::run(args).await,
        }
    })
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
    server: Vec<String>,
}

impl Server {
    fn target(&self) -> anyhow::Result<Target> {
        let first = self.server.first().map(String::as_str).unwrap_or_default();
        if !first.starts_with("http://") && !first.starts_with("https://") {
            return Ok(Target::Stdio(StdioTarget {
                command: first.to_owned(),
                args: self.server[1..].to_vec(),
                env: pairs(&self.env, '=')?,
                cwd: None,
            }));
        }
        let target = HttpTarget { url: first.to_owned(), headers: pairs(&self.headers, ':')? };
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

fn pairs(given: &[String], between: char) -> anyhow::Result<BTreeMap<String, String>> {
    given
        .iter()
        .map(|pair| match pair.split_once(between) {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(BadUsage(format!("`{pair}` is not NAME{between}VALUE")).into()),
        })
        .collect()
}
