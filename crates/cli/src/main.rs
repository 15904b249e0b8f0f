//! The `proofstone` command line: arguments, tables, progress. It joins the toolsets with the server
//! and holds no domain knowledge of its own.
//!
//! stdout carries the answer or the protocol and nothing else; everything said beside it goes to
//! stderr. Exit codes: 0 it held, 1 it did not (a failed check, a tool's failure), 2 bad usage.

mod commands;
mod fit;
mod out;
mod settings;
mod table;
mod toolsets;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;
use crate::settings::{Flags, Settings};

/// Ground truth for coding agents: what is tested, what the code says, how it should be written,
/// what breaks it, and whether a tool server does what it claims.
#[derive(Debug, Parser)]
#[command(name = "proofstone", version, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    // A scan's child process: no settings, no arguments, only its pipes.
    if std::env::args().nth(1).as_deref() == Some(proofstone_patterns::scan::CHILD_COMMAND) {
        let served = proofstone_patterns::scan::serve(
            std::io::BufReader::new(std::io::stdin()),
            std::io::stdout(),
        );
        return ExitCode::from(u8::from(served.is_err()));
    }
    let Cli { flags, command } = Cli::parse();
    let outcome = Settings::load(&flags).and_then(|settings| command.run(&settings));
    let outcome = outcome.and_then(|code| out::complete().map(|()| code));
    proofstone_server::logs::finish();
    outcome.unwrap_or_else(|error| {
        out::error(&error);
        ExitCode::from(if error.is::<out::BadUsage>() { 2 } else { 1 })
    })
}
