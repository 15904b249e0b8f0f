//! The tools, one file each. The first nine are the contract's; what they share stands in `answers`.

pub(crate) mod clear_priorities;
pub(crate) mod dump_lcov;
pub(crate) mod find_transaction_in_corpus;
pub(crate) mod get_corpus_size;
pub(crate) mod inject_transaction;
pub(crate) mod inspect_corpus_transactions;
pub(crate) mod prioritize_function;
pub(crate) mod read_logs;
pub(crate) mod show_coverage;

pub(crate) mod add_property;
pub(crate) mod campaign_status;
pub(crate) mod execute_sequence;
pub(crate) mod list_failures;
pub(crate) mod sample_function;
pub(crate) mod start_campaign;
pub(crate) mod stop_campaign;
pub(crate) mod why_not_reached;
