//! The toolset: its name, its dialect and the one list of its tools.

use std::sync::Arc;

use proofstone_contract::{BoxFuture, Dialect, Entry, Tool, Toolset};

use crate::desk::{Desk, Options};
use crate::dialect::FuzzDialect;
use crate::tools;

/// The fuzzing toolset.
#[derive(Debug)]
pub struct Fuzz {
    desk: Arc<Desk>,
}

impl Fuzz {
    /// The name people choose it by.
    pub const NAME: &'static str = "fuzz";

    /// The toolset with these options.
    pub fn new(options: Options) -> Self {
        Self::on(Arc::new(Desk::new(options)))
    }

    /// The toolset over a desk that somebody else looks at too.
    pub fn on(desk: Arc<Desk>) -> Self {
        Self { desk }
    }
}

impl Toolset for Fuzz {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn summary(&self) -> &'static str {
        "what breaks it: fuzz a smart contract, watch and steer the campaign"
    }

    fn instructions(&self) -> &'static str {
        "start_campaign fuzzes a Solidity file, a project or a compiled artifact in the background; \
         campaign_status tells how it stands and can wait, list_failures shows each falsified property with \
         its shortest sequence, decoded, and a Foundry test. When coverage stops growing, why_not_reached \
         says what a line waits for; inject_transaction puts in a sequence that leads there and \
         prioritize_function gives nine calls of ten to a function. execute_sequence tries an idea without \
         touching the campaign, and add_property has it check one more thing. dump_lcov writes a report that the coverage tools read."
    }

    fn dialect(&self) -> &dyn Dialect {
        &FuzzDialect
    }

    fn tools(&self) -> Vec<Entry> {
        fn entry<T: Tool>(tool: T) -> Entry {
            Entry::new(tool, Fuzz::NAME, &FuzzDialect)
        }
        let desk = || Arc::clone(&self.desk);
        vec![
            entry(tools::start_campaign::StartCampaign(desk())),
            entry(tools::campaign_status::CampaignStatus(desk())),
            entry(tools::stop_campaign::StopCampaign(desk())),
            entry(tools::list_failures::ListFailures(desk())),
            entry(tools::read_logs::ReadLogs(desk())),
            entry(tools::show_coverage::ShowCoverage(desk())),
            entry(tools::dump_lcov::DumpLcov(desk())),
            entry(tools::get_corpus_size::GetCorpusSize(desk())),
            entry(tools::inspect_corpus_transactions::InspectCorpusTransactions(desk())),
            entry(tools::find_transaction_in_corpus::FindTransactionInCorpus(desk())),
            entry(tools::inject_transaction::InjectTransaction(desk())),
            entry(tools::prioritize_function::PrioritizeFunction(desk())),
            entry(tools::clear_priorities::ClearPriorities(desk())),
            entry(tools::execute_sequence::ExecuteSequence(desk())),
            entry(tools::why_not_reached::WhyNotReached(desk())),
            entry(tools::sample_function::SampleFunction(desk())),
            entry(tools::add_property::AddProperty(desk())),
        ]
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        let desk = Arc::clone(&self.desk);
        Box::pin(async move {
            let _ = tokio::task::spawn_blocking(move || desk.close()).await;
        })
    }
}
