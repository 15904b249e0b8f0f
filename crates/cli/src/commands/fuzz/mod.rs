//! `proofstone fuzz`: fuzz a smart contract from the command line.

mod minimize;
pub(crate) mod prepare;
mod progress;
mod save;
mod steering;
mod summary;
#[cfg(feature = "tui")]
mod view;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Subcommand;
use proofstone_evm::campaign::{Campaign, Record};

use crate::out::{self, BadUsage};
use crate::settings::Settings;

/// Arguments of `proofstone fuzz`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Job>,
    #[command(flatten)]
    campaign: CampaignArgs,
}

#[derive(Debug, Subcommand)]
enum Job {
    /// Keep only the sequences of a corpus that are needed to reach what it reaches
    Minimize(TargetArgs),
}

/// What to fuzz and under which settings.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TargetArgs {
    /// A .sol file, a compiled artifact, a project or a folder of them
    #[arg(required = true)]
    target: Option<PathBuf>,
    /// The contract to fuzz, by name or `file:Name`
    #[arg(long)]
    contract: Option<String>,
    /// Echidna's configuration file (YAML)
    #[arg(long)]
    config: Option<PathBuf>,
    /// What to look for: property, assertion, optimization, overflow, exploration, foundry
    #[arg(long)]
    test_mode: Option<String>,
    /// Where the corpus is read from and kept
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The compiler: an executable, or the folder of an npm `solc` package
    #[arg(long)]
    solc: Option<PathBuf>,
    /// Arguments of the constructor, in order
    #[arg(long, num_args = 1.., value_delimiter = ' ')]
    constructor_args: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct CampaignArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Calls after which the campaign ends
    #[arg(long)]
    test_limit: Option<u64>,
    /// Sequences tried to shrink one counterexample
    #[arg(long)]
    shrink_limit: Option<u64>,
    /// Longest sequence
    #[arg(long)]
    seq_len: Option<usize>,
    /// Threads
    #[arg(long)]
    workers: Option<usize>,
    /// Seed of all chance: the same seed finds the same things
    #[arg(long)]
    seed: Option<u64>,
    /// Seconds after which the campaign ends
    #[arg(long)]
    timeout: Option<u64>,
    /// Call every deployed contract, not only the target
    #[arg(long)]
    all_contracts: bool,
    /// End at the first falsified test
    #[arg(long)]
    stop_on_fail: bool,
    /// Write an LCOV report here when the campaign ends
    #[arg(long)]
    lcov: Option<PathBuf>,
    /// Write an HTML coverage report here when the campaign ends
    #[arg(long)]
    html: Option<PathBuf>,
    /// Write a Foundry test for every counterexample into this folder
    #[arg(long)]
    reproducers: Option<PathBuf>,
    /// Repeat a campaign saved in a corpus folder (campaign.json)
    #[arg(long)]
    replay: Option<PathBuf>,
    /// Repeat what was asked of the campaign while it ran (mcp-commands.jsonl)
    #[arg(long, value_name = "FILE")]
    replay_commands: Option<PathBuf>,
    /// Let agents watch and steer over MCP while the campaign runs; the log of what they ask lies beside
    /// the corpus
    #[arg(
        long,
        value_name = "HOST:PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = steering::ADDRESS
    )]
    mcp: Option<String>,
    /// Print events as JSON lines, and the summary as the last line
    #[arg(long)]
    json: bool,
    /// Plain progress lines even on a terminal
    #[arg(long)]
    plain: bool,
}

/// Runs the command. Exit code 1: a test was falsified.
pub(crate) fn run(args: Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    match args.command {
        Some(Job::Minimize(target)) => minimize::run(&target, settings),
        None => fuzz(&args.campaign, settings),
    }
}

fn fuzz(args: &CampaignArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let prepared = prepare::prepare(args, settings)?;
    for warning in &prepared.warnings {
        out::note(format!("{} {warning}", out::styled(out::WARN, "warning:")));
    }
    // An address that can't be had is said before anything runs.
    let door = args.mcp.as_deref().map(|address| steering::Door::open(address, settings));
    let door = door.transpose()?;
    let corpus_dir = prepared.config.corpus_dir.clone();
    let path = args.target.target.clone().unwrap_or_default();
    let record = Record::new(&path, &prepared.target, &prepared.config, &prepared.initial);
    let reused = prepared.initial.len();
    let campaign = Campaign::start_scheduled(
        prepared.target,
        prepared.config,
        prepared.initial,
        &prepared.orders,
    );
    let campaign = Arc::new(campaign.map_err(|e| BadUsage(format!("the commands: {e}")))?);
    stop_on_interrupt(campaign.clone());
    let started = steering::Started {
        campaign: campaign.clone(),
        record: record.clone(),
        reused,
        solc: args.target.solc.clone(),
        folder: corpus_dir.clone(),
    };
    let server = door.map(|door| door.let_in(started, settings)).transpose()?;
    progress::watch(&campaign, args, server.as_ref());
    campaign.wait();
    if let Some(folder) = &corpus_dir {
        let said = || format!("cannot write the corpus in {}", folder.display());
        record.save_all(folder, &campaign).with_context(said)?;
    }
    save::write_reports(&campaign, args)?;
    if let Some(server) = server {
        server.close();
    }
    for warning in campaign.warnings() {
        if !prepared.warnings.contains(&warning) {
            out::note(format!("{} {warning}", out::styled(out::WARN, "warning:")));
        }
    }
    let summary = summary::Summary::of(&campaign);
    if args.json {
        out::line(serde_json::to_string(&summary)?);
    } else {
        summary::print(&campaign, &summary);
    }
    Ok(ExitCode::from(u8::from(summary.any_falsified())))
}

/// The first Ctrl-C ends the campaign in good order; what was found is kept and shown.
fn stop_on_interrupt(campaign: Arc<Campaign>) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime
            && runtime.block_on(tokio::signal::ctrl_c()).is_ok()
        {
            campaign.stop();
        }
    });
}
