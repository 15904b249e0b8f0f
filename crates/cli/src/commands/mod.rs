//! The commands, one file each.

mod call;
mod completions;
mod conformance_client;
mod console;
mod context;
mod coverage;
mod demo;
mod doctor;
pub(crate) mod fuzz;
mod init;
mod man;
mod mcp_test;
mod patterns;
mod serve;
mod tools;

use std::process::ExitCode;

use clap::Subcommand;

use crate::settings::Settings;

/// What `proofstone` can be asked to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what Proofstone does, on bundled examples
    Demo(demo::Args),
    /// Serve the tools over MCP, on stdio or HTTP
    Serve(serve::Args),
    /// Open the web console of a project
    Console(console::Args),
    /// List the tools and their contracts
    Tools(tools::Args),
    /// Does this MCP server do what it claims: list, call, check
    McpTest(Box<mcp_test::Args>),
    /// Run as the client of the conformance suite
    #[command(name = "__conformance-client", hide = true)]
    ConformanceClient(conformance_client::Args),
    /// Call one tool and print its answer as JSON
    Call(call::Args),
    /// What is tested: totals, files, uncovered lines, changes, merging, HTML
    Coverage(coverage::Args),
    /// Search, map and remember a project
    Context(context::Args),
    /// How code should be written: search the patterns, run their rules
    Patterns(patterns::Args),
    /// Connect a client: write its configuration
    Init(init::Args),
    /// Fuzz a smart contract: find calls that break its properties
    Fuzz(Box<fuzz::Args>),
    /// Say what works here, what is missing and how to mend it
    Doctor(doctor::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Print the manual page
    Man(man::Args),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        match self {
            Self::Demo(args) => demo::run(&args, settings),
            Self::Serve(args) => serve::run(args, settings),
            Self::Console(args) => console::run(args, settings),
            Self::Tools(args) => tools::run(&args, settings),
            Self::Call(args) => call::run(args, settings),
            Self::Coverage(args) => coverage::run(&args, settings),
            Self::Context(args) => context::run(args, settings),
            Self::Patterns(args) => patterns::run(&args, settings),
            Self::Init(args) => init::run(&args, settings),
            Self::Fuzz(args) => fuzz::run(*args, settings),
            Self::Doctor(args) => doctor::run(&args, settings),
            Self::Completions(args) => completions::run(&args),
            Self::McpTest(args) => mcp_test::run(&args, settings),
            Self::ConformanceClient(args) => conformance_client::run(&args),
            Self::Man(args) => man::run(&args),
        }
    }
}
