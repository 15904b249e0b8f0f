//! `proofstone man`: the manual page, in roff.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::Cli;

/// Print the manual page.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write the pages of all commands into this folder instead
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let command = Cli::command();
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)?;
        clap_mangen::generate_to(command, folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    crate::out::line(String::from_utf8(page)?);
    Ok(ExitCode::SUCCESS)
}
