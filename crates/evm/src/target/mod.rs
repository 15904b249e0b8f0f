//! A contract made ready: deployed into a world, with the functions to call and the tests to check.

mod callables;
mod choose;
mod constructor;
mod declared;
mod error;
mod history;
mod stage;

pub(crate) use constructor::encoded_arguments;
pub use error::TargetError;
pub(crate) use stage::FOUNDRY_BALANCE;

use crate::abi::Function;
use crate::artifact::{Artifacts, Contract};
use crate::checks::Test;
use crate::config::{Config, TestMode};
use crate::input::Dictionary;
use crate::vm::{CodeLayout, Machine, Settings, World};
use choose::{choose, others_with_tests, resolve_mode};
use history::History;
use revm::primitives::{Address, U256};
use stage::Stage;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A function that transactions may call.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Index of the contract in the artifacts.
    pub contract: usize,
    /// The contract's name.
    pub contract_name: String,
    /// Where it lies. A contract that sequences create has no place yet: then this only tells it apart.
    pub address: Address,
    /// Whether sequences create the contract.
    pub created: bool,
    /// Whether it is a test that is called alone, in the state the target starts from.
    pub alone: bool,
    /// The function.
    pub function: Function,
}

/// A deployed target.
#[derive(Debug)]
pub struct Target {
    /// Everything the compiler left.
    pub artifacts: Arc<Artifacts>,
    /// Index of the target contract.
    pub contract: usize,
    /// Where the target contract lies.
    pub address: Address,
    /// Functions that transactions may call.
    pub functions: Vec<Callable>,
    /// Who sends transactions.
    pub senders: Vec<Address>,
    /// What is checked.
    pub tests: Vec<Arc<Test>>,
    /// The mode in force, with [`TestMode::Auto`] resolved.
    pub mode: TestMode,
    /// State after deployment.
    pub world: Arc<World>,
    /// Counters of all code.
    pub layout: Arc<CodeLayout>,
    /// Rules for machines.
    pub settings: Settings,
    /// Time and number of the block that sequences start in.
    pub start_block: (U256, U256),
    /// Contracts with a known ABI, by address.
    pub deployed: BTreeMap<Address, usize>,
    /// Contracts that sequences may create and then call, with the functions to call.
    pub children: BTreeMap<usize, Vec<usize>>,
    /// Libraries by the name that code refers to them by.
    pub libraries: BTreeMap<String, Address>,
    /// The values to start from.
    pub dictionary: Dictionary,
    /// What the user should know, in sentences.
    pub warnings: Vec<String>,
}

impl Target {
    /// Deploys a contract. Without a name, the last contract with code and tests is taken, as the
    /// reference does with a single file.
    pub fn prepare(
        artifacts: Artifacts,
        name: Option<&str>,
        config: &Config,
    ) -> Result<Self, TargetError> {
        let artifacts = Arc::new(artifacts);
        let index = choose(&artifacts, name, config)?;
        let contract = &artifacts.contracts[index];
        let mode = resolve_mode(contract, config);
        let history = config.initialize.as_deref().map(History::read).transpose()?;
        let mut stage = Stage::new(artifacts.clone(), config, mode, history.unwrap_or_default());
        stage.repeat_history()?;
        stage.deploy_extras()?;
        stage.deploy_target(index)?;
        stage.set_up(contract, mode)?;
        let mut target = stage.finish(index, mode)?;
        if name.is_none() {
            target.warnings.extend(others_with_tests(&artifacts, index, config));
        }
        Ok(target)
    }

    /// A machine that starts where the deployment ended. It shares no state with others, so that they do not
    /// slow each other down.
    pub fn machine(&self) -> Machine {
        let mut machine =
            Machine::new(Arc::new(self.world.apart()), self.layout.clone(), &self.settings);
        machine.start_at(self.start_block);
        machine
    }

    /// A machine that can record traces.
    pub fn tracing_machine(&self) -> Machine {
        let mut machine = Machine::tracing(self.world.clone(), self.layout.clone(), &self.settings);
        machine.start_at(self.start_block);
        machine
    }

    /// The target contract.
    pub fn contract(&self) -> &Contract {
        &self.artifacts.contracts[self.contract]
    }

    /// Functions of deployed contracts that no transaction calls directly, but that contracts may be
    /// asked to call.
    pub(crate) fn passed_on(&self) -> Vec<Function> {
        let known = |f: &Function| self.functions.iter().any(|c| c.function.selector == f.selector);
        let asked = |f: &Function| self.tests.iter().any(|t| t.selector == f.selector);
        let mut others: Vec<Function> = Vec::new();
        for index in self.deployed.values() {
            for function in &self.artifacts.contracts[*index].functions {
                if !known(function) && !asked(function) && !others.contains(function) {
                    others.push(function.clone());
                }
            }
        }
        others
    }

    /// The functions' ABI, in the order of [`Target::functions`].
    pub fn abi_functions(&self) -> Vec<Function> {
        self.functions.iter().map(|c| c.function.clone()).collect()
    }
}

/// Sentences about cheatcodes that were called and do not exist here, by name where an ABI tells.
pub(crate) fn unknown_cheats(machine: &Machine, artifacts: &Artifacts) -> Vec<String> {
    let unknown = &machine.probe().cheats.unknown;
    unknown.iter().map(|selector| name_cheat(selector, artifacts)).collect()
}

pub(crate) fn name_cheat(selector: &str, artifacts: &Artifacts) -> String {
    let functions = artifacts.contracts.iter().flat_map(|c| c.functions.iter());
    let named = functions
        .into_iter()
        .find(|f| revm::primitives::hex::encode_prefixed(f.selector) == selector);
    let name = named.map_or(selector, |f| f.signature.as_str());
    format!("the cheatcode {name} is not supported; calls to it revert")
}
