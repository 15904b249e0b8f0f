//! `proofstone tools`: the contracts being served.

use std::process::ExitCode;

use proofstone_gate::Registry;

use crate::fit::terminal_width;
use crate::out::{self, BOLD, DIM, styled};
use crate::settings::Settings;
use crate::table::{Align, Table};
use crate::toolsets;

/// List the tools and their contracts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The toolsets to list, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    toolsets: Option<Vec<String>>,
    /// Print the full contracts as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let names = args.toolsets.as_ref().unwrap_or(&settings.toolsets.value);
    let registry = Registry::new(toolsets::make(names, settings)?)?;
    if args.json {
        let contracts: Vec<_> = registry.descriptors().map(|tool| tool.contract()).collect();
        out::json(&contracts)?;
        return Ok(ExitCode::SUCCESS);
    }
    for set in registry.toolsets() {
        out::line(format!("{}  {}", styled(BOLD, set.name()), styled(DIM, set.summary())));
        let mut table = Table::new(&[
            ("tool", Align::Left),
            ("changes", Align::Left),
            ("what it does", Align::Left),
        ])
        .flexible(2);
        for tool in registry.descriptors().filter(|tool| tool.toolset == set.name()) {
            let changes = match (tool.effect.read_only, tool.effect.destructive) {
                (true, _) => "no",
                (false, false) => "adds",
                (false, true) => "yes",
            };
            table.row(vec![tool.name.into(), changes.into(), tool.title.into()]);
        }
        out::line(table.render(terminal_width()));
        out::line("");
    }
    Ok(ExitCode::SUCCESS)
}
