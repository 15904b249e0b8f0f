//! How a campaign is run. The defaults are the reference's.

use crate::artifact::Build;
use revm::primitives::{Address, U256, address};
use std::path::PathBuf;
use std::time::Duration;

/// What kind of failure a campaign looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestMode {
    /// Properties by prefix; Foundry tests when the contract has no property but has those.
    #[default]
    Auto,
    /// Boolean properties by prefix.
    Property,
    /// Failed assertions in any function.
    Assertion,
    /// The largest value of an `int256` function.
    Optimization,
    /// Arithmetic panics.
    Overflow,
    /// No tests: only coverage.
    Exploration,
    /// Foundry's `invariant_*` and `test*` functions.
    Foundry,
}

impl TestMode {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Property => "property",
            Self::Assertion => "assertion",
            Self::Optimization => "optimization",
            Self::Overflow => "overflow",
            Self::Exploration => "exploration",
            Self::Foundry => "foundry",
        }
    }

    /// The mode with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "property" => Self::Property,
            "assertion" => Self::Assertion,
            "optimization" | "optimisation" => Self::Optimization,
            "overflow" => Self::Overflow,
            "exploration" => Self::Exploration,
            "foundry" | "dapptest" | "stateless" => Self::Foundry,
            _ => return None,
        })
    }
}

/// How coverage is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageFormat {
    /// The source with the number of hits before each line.
    Text,
    /// A page for people.
    Html,
    /// For other programs.
    Lcov,
}

impl CoverageFormat {
    /// The name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Self::Text => "covered.txt",
            Self::Html => "covered.html",
            Self::Lcov => "covered.lcov",
        }
    }
}

/// The settings of a campaign.
#[derive(Clone, Debug)]
pub struct Config {
    /// What to look for.
    pub test_mode: TestMode,
    /// Calls after which the campaign ends.
    pub test_limit: u64,
    /// Longest sequence.
    pub sequence_length: usize,
    /// Sequences tried while shrinking one failure.
    pub shrink_limit: u64,
    /// Share of values taken from the dictionary.
    pub dictionary_share: f64,
    /// Threads; none means one per core, at most four.
    pub workers: Option<usize>,
    /// Seed of all chance; none means one is drawn and reported.
    pub seed: Option<u64>,
    /// Wall-clock limit.
    pub timeout: Option<Duration>,
    /// End at the first falsified test.
    pub stop_on_fail: bool,
    /// Prefix of property names.
    pub prefix: String,
    /// Who sends transactions.
    pub senders: Vec<Address>,
    /// Who deploys.
    pub deployer: Address,
    /// Who calls properties.
    pub property_sender: Address,
    /// Where the target contract lies.
    pub contract_address: Address,
    /// Ether of the senders at the start.
    pub sender_balance: U256,
    /// Ether sent to the constructor.
    pub contract_balance: U256,
    /// Largest code size.
    pub code_size_limit: usize,
    /// Gas of a property call.
    pub property_gas: u64,
    /// Gas of a transaction.
    pub transaction_gas: u64,
    /// Highest gas price.
    pub max_gas_price: u64,
    /// Longest wait before a transaction, in seconds.
    pub max_time_delay: u64,
    /// Longest wait before a transaction, in blocks.
    pub max_block_delay: u64,
    /// Most ether sent with a transaction.
    pub max_value: U256,
    /// Time of the first block.
    pub timestamp: u64,
    /// Number of the first block.
    pub block_number: u64,
    /// The chain's number.
    pub chain_id: u64,
    /// Functions by name or signature, or `Contract.function(types)`.
    pub filter_functions: Vec<String>,
    /// Whether the filter excludes (or else: only these are called).
    pub filter_excludes: bool,
    /// Leave out functions that cannot change state.
    pub exclude_views: bool,
    /// Call every deployed contract with a known ABI, not only the target.
    pub all_contracts: bool,
    /// Constructor arguments of the target, as text.
    pub constructor_arguments: Vec<String>,
    /// Contracts to deploy before the target: address and name.
    pub deploy_contracts: Vec<(Address, String)>,
    /// Runtime or creation code to deploy before the target: address and hex.
    pub deploy_bytecodes: Vec<(Address, String)>,
    /// Where the corpus is kept.
    pub corpus_dir: Option<PathBuf>,
    /// Reports of coverage to leave behind, beside the corpus or in the folder below.
    pub coverage_formats: Vec<CoverageFormat>,
    /// Where reports of coverage go, if not beside the corpus.
    pub coverage_dir: Option<PathBuf>,
    /// Globs of files that reports of coverage leave out.
    pub coverage_excludes: Vec<String>,
    /// Keep the dearest call of every function.
    pub estimate_gas: bool,
    /// A record of transactions that are made before anything is deployed.
    pub initialize: Option<PathBuf>,
    /// Let contracts run programs through `vm.ffi`.
    pub allow_ffi: bool,
    /// Check too that nothing destroys itself.
    pub test_destruction: bool,
    /// How source is compiled.
    pub build: Build,
}

impl Default for Config {
    fn default() -> Self {
        let sender = |n: u64| Address::from_word(U256::from(n).into());
        Self {
            test_mode: TestMode::Auto,
            test_limit: 50_000,
            sequence_length: 100,
            shrink_limit: 5_000,
            dictionary_share: 0.4,
            workers: None,
            seed: None,
            timeout: None,
            stop_on_fail: false,
            prefix: "echidna_".to_owned(),
            senders: vec![sender(0x10000), sender(0x20000), sender(0x30000)],
            deployer: sender(0x30000),
            property_sender: sender(0x10000),
            contract_address: address!("00a329c0648769a73afac7f9381e08fb43dbea72"),
            sender_balance: U256::from(0xffff_ffffu64),
            contract_balance: U256::ZERO,
            code_size_limit: 0xffff_ffff,
            property_gas: 12_500_000,
            transaction_gas: 12_500_000,
            max_gas_price: 0,
            max_time_delay: 604_800,
            max_block_delay: 60_480,
            max_value: U256::from(100_000_000_000_000_000_000u128),
            timestamp: 1_524_785_992,
            block_number: 4_370_000,
            chain_id: 1,
            filter_functions: Vec::new(),
            filter_excludes: true,
            exclude_views: false,
            all_contracts: false,
            constructor_arguments: Vec::new(),
            deploy_contracts: Vec::new(),
            deploy_bytecodes: Vec::new(),
            corpus_dir: None,
            coverage_formats: Vec::new(),
            coverage_dir: None,
            coverage_excludes: Vec::new(),
            estimate_gas: false,
            initialize: None,
            allow_ffi: false,
            test_destruction: false,
            build: Build::default(),
        }
    }
}

impl Config {
    /// The number of threads to use.
    pub fn worker_count(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.workers.unwrap_or_else(|| cores.min(4)).max(1)
    }
}
