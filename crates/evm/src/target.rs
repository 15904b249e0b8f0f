//! A contract made ready: deployed into a world, with the functions to call and the tests to check.

use crate::abi::{AbiType, Argument, Function, Mutability, Value, encode, parse_call};
use crate::artifact::{Artifacts, Contract, LinkError};
use crate::checks::{Test, find_tests};
use crate::config::{Config, TestMode};
use crate::input::Dictionary;
use crate::reason::explain;
use crate::vm::{CHEAT_ADDRESS, CodeLayout, Machine, Message, Outcome, Settings, World};
use revm::bytecode::Bytecode;
use revm::primitives::{Address, B256, Bytes, U256};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// Gas for deployment and `setUp()`: as good as unlimited.
const DEPLOY_GAS: u64 = 1 << 40;
/// Where the first library goes; the next ones follow.
const FIRST_LIBRARY: u64 = 0xff;

/// A function that transactions may call.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Index of the contract in the artifacts.
    pub contract: usize,
    /// The contract's name.
    pub contract_name: String,
    /// Where it lies.
    pub address: Address,
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
    /// Libraries by the name that code refers to them by.
    pub libraries: BTreeMap<String, Address>,
    /// The values to start from.
    pub dictionary: Dictionary,
    /// What the user should know, in sentences.
    pub warnings: Vec<String>,
}

/// A target could not be made ready.
#[derive(Debug, Error)]
pub enum TargetError {
    /// No contract of this name.
    #[error("no contract `{name}` here; there are: {known}")]
    NoSuchContract {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Several contracts have this name.
    #[error("`{name}` is ambiguous: say one of {choices}")]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// The qualified names.
        choices: String,
    },
    /// There is nothing to deploy.
    #[error(
        "no contract with code here; found only interfaces, libraries or abstract contracts: {0}"
    )]
    NothingToDeploy(String),
    /// The chosen contract has no code.
    #[error(
        "`{0}` has no bytecode: it is abstract or an interface; fuzz a contract that implements it"
    )]
    Abstract(String),
    /// Linking failed.
    #[error("`{contract}` cannot be deployed: {source}")]
    Link {
        /// The contract.
        contract: String,
        /// What is missing.
        source: LinkError,
    },
    /// The constructor did not return.
    #[error("the constructor of `{contract}` failed: {reason}")]
    Constructor {
        /// The contract.
        contract: String,
        /// Why.
        reason: String,
    },
    /// The code is too large.
    #[error(
        "`{contract}` is too large: its code has {size} bytes, the limit is {limit} (raise `codeSize`)"
    )]
    TooLarge {
        /// The contract.
        contract: String,
        /// Size of its runtime code.
        size: usize,
        /// The limit in force.
        limit: usize,
    },
    /// `setUp()` did not return.
    #[error("`setUp()` of `{contract}` failed: {reason}")]
    SetUp {
        /// The contract.
        contract: String,
        /// Why.
        reason: String,
    },
    /// Constructor arguments are missing or wrong.
    #[error("the constructor of `{contract}` takes ({expected}): {problem}")]
    ConstructorArguments {
        /// The contract.
        contract: String,
        /// The parameter types.
        expected: String,
        /// What is wrong.
        problem: String,
    },
    /// A property takes arguments.
    #[error("the property `{0}` takes arguments; a property must take none")]
    PropertyWithArguments(String),
    /// Nothing to check.
    #[error(
        "`{contract}` has no test: no function starts with `{prefix}`, `invariant_` or `test`; if it uses assert(), set the test mode to assertion"
    )]
    NoTests {
        /// The contract.
        contract: String,
        /// The prefix in force.
        prefix: String,
    },
    /// Configured code cannot be deployed.
    #[error("cannot deploy the configured code at {address}: {problem}")]
    ExtraCode {
        /// Where it should go.
        address: Address,
        /// What is wrong.
        problem: String,
    },
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
        let mut stage = Stage::new(artifacts.clone(), config);
        stage.deploy_extras()?;
        stage.deploy_target(index)?;
        let contract = &artifacts.contracts[index];
        let mode = resolve_mode(contract, config);
        stage.set_up(contract, mode)?;
        stage.finish(index, mode)
    }

    /// A machine that starts where the deployment ended.
    pub fn machine(&self) -> Machine {
        let mut machine = Machine::new(self.world.clone(), self.layout.clone(), &self.settings);
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

    /// The functions' ABI, in the order of [`Target::functions`].
    pub fn abi_functions(&self) -> Vec<Function> {
        self.functions.iter().map(|c| c.function.clone()).collect()
    }
}

fn choose(
    artifacts: &Artifacts,
    name: Option<&str>,
    config: &Config,
) -> Result<usize, TargetError> {
    let contracts = &artifacts.contracts;
    if let Some(name) = name {
        let matching: Vec<_> = (0..contracts.len())
            .filter(|i| contracts[*i].name == name || contracts[*i].qualified_name() == name)
            .collect();
        return match matching.as_slice() {
            [] => {
                Err(TargetError::NoSuchContract { name: name.to_owned(), known: names(contracts) })
            }
            [one] if !contracts[*one].is_deployable() => {
                Err(TargetError::Abstract(contracts[*one].name.clone()))
            }
            [one] => Ok(*one),
            several => Err(TargetError::Ambiguous {
                name: name.to_owned(),
                choices: several
                    .iter()
                    .map(|i| contracts[*i].qualified_name())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        };
    }
    let deployable: Vec<_> =
        (0..contracts.len()).filter(|i| contracts[*i].is_deployable()).collect();
    let tested = |i: &&usize| has_tests(&contracts[**i], config);
    let chosen = deployable.iter().rev().find(tested).or_else(|| deployable.first());
    chosen.copied().ok_or_else(|| TargetError::NothingToDeploy(names(contracts)))
}

fn has_tests(contract: &Contract, config: &Config) -> bool {
    contract
        .functions
        .iter()
        .any(|f| f.name.starts_with(&config.prefix) || crate::checks::is_foundry_test(&f.name))
}

fn names(contracts: &[Contract]) -> String {
    contracts.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Properties win; Foundry's tests are looked at when there are none.
fn resolve_mode(contract: &Contract, config: &Config) -> TestMode {
    if config.test_mode != TestMode::Auto {
        return config.test_mode;
    }
    let property = |f: &Function| f.name.starts_with(&config.prefix);
    let foundry = |f: &Function| crate::checks::is_foundry_test(&f.name);
    if !contract.functions.iter().any(property) && contract.functions.iter().any(foundry) {
        TestMode::Foundry
    } else {
        TestMode::Property
    }
}

/// Deployment under way.
struct Stage<'a> {
    artifacts: Arc<Artifacts>,
    config: &'a Config,
    layout: Arc<CodeLayout>,
    settings: Settings,
    machine: Machine,
    world: World,
    libraries: BTreeMap<String, Address>,
    address: Address,
}

impl<'a> Stage<'a> {
    fn new(artifacts: Arc<Artifacts>, config: &'a Config) -> Self {
        let layout = Arc::new(CodeLayout::new(&artifacts.contracts));
        let settings = Settings {
            code_size_limit: config.code_size_limit,
            chain_id: config.chain_id,
            timestamp: config.timestamp,
            block_number: config.block_number,
            assertion_topics: assertion_topics(&artifacts),
            allow_ffi: config.allow_ffi,
        };
        let mut world = World::default();
        for sender in &config.senders {
            world.put(*sender, config.sender_balance, None);
        }
        world.put(config.deployer, config.sender_balance, None);
        world.put(config.property_sender, config.sender_balance, None);
        // Solidity checks that code is there before it calls.
        let stub = Bytecode::new_legacy(Bytes::from_static(&[0]));
        world.put(CHEAT_ADDRESS, U256::ZERO, Some(stub));
        let machine = Machine::new(Arc::new(world.clone()), layout.clone(), &settings);
        let address = config.contract_address;
        Self {
            artifacts,
            config,
            layout,
            settings,
            machine,
            world,
            libraries: BTreeMap::new(),
            address,
        }
    }

    fn deploy_extras(&mut self) -> Result<(), TargetError> {
        for (address, name) in &self.config.deploy_contracts {
            let artifacts = self.artifacts.clone();
            let index = choose(&artifacts, Some(name), self.config)?;
            let contract = &artifacts.contracts[index];
            let code = self.linked(contract)?;
            let outcome = self.create(*address, U256::ZERO, code);
            if !outcome.is_success() {
                let reason = explain(&outcome, &[contract]);
                return Err(TargetError::Constructor { contract: name.clone(), reason });
            }
        }
        for (address, hex) in &self.config.deploy_bytecodes {
            let bytes = revm::primitives::hex::decode(hex.trim());
            let bytes = bytes.map_err(|e| TargetError::ExtraCode {
                address: *address,
                problem: e.to_string(),
            })?;
            let outcome = self.create(*address, U256::ZERO, bytes.into());
            if !outcome.is_success() {
                let problem = explain(&outcome, &[]);
                return Err(TargetError::ExtraCode { address: *address, problem });
            }
        }
        Ok(())
    }

    fn create(&mut self, address: Address, value: U256, code: Bytes) -> Outcome {
        self.machine.create(self.config.deployer, Some(address), value, code, DEPLOY_GAS)
    }

    fn deploy_target(&mut self, index: usize) -> Result<(), TargetError> {
        let artifacts = self.artifacts.clone();
        let contract = &artifacts.contracts[index];
        let mut code = self.linked(contract)?.to_vec();
        self.append_arguments(contract, &mut code)?;
        let outcome = self.create(self.address, self.config.contract_balance, code.into());
        if outcome.is_success() {
            return Ok(());
        }
        let size = contract.runtime.with_holes().len();
        if size > self.config.code_size_limit {
            let limit = self.config.code_size_limit;
            return Err(TargetError::TooLarge { contract: contract.name.clone(), size, limit });
        }
        let reason = explain(&outcome, &artifacts.contracts.iter().collect::<Vec<_>>());
        Err(TargetError::Constructor { contract: contract.name.clone(), reason })
    }

    /// Deploys the libraries a contract needs, and the ones those need, and links.
    fn linked(&mut self, contract: &Contract) -> Result<Bytes, TargetError> {
        let failed = |source| TargetError::Link { contract: contract.name.clone(), source };
        for library in contract.creation.libraries() {
            if self.libraries.contains_key(&library) {
                continue;
            }
            let artifacts = self.artifacts.clone();
            let found = artifacts.contracts.iter().find(|c| is_library(c, &library));
            let Some(found) = found else { return Err(failed(LinkError::Missing(library))) };
            let code = self.linked(found)?;
            let at = U256::from(FIRST_LIBRARY + self.libraries.len() as u64);
            let address = Address::from_word(at.into());
            self.create(address, U256::ZERO, code);
            self.libraries.insert(library, address);
        }
        contract.creation.link(|name| self.libraries.get(name).copied()).map_err(failed)
    }

    fn append_arguments(&self, contract: &Contract, code: &mut Vec<u8>) -> Result<(), TargetError> {
        let given = &self.config.constructor_arguments;
        // Raw ABI encoding, as `cryticArgs` pass it, is taken as it is.
        if let [only] = given.as_slice()
            && let Some(raw) = only.strip_prefix("0x")
            && raw.len() % 64 == 0
            && let Ok(bytes) = revm::primitives::hex::decode(raw)
        {
            code.extend_from_slice(&bytes);
            return Ok(());
        }
        let params =
            contract.abi.constructor.as_ref().map(|c| c.inputs.as_slice()).unwrap_or_default();
        let types: Result<Vec<AbiType>, _> = params.iter().map(AbiType::of_param).collect();
        let types = types.unwrap_or_default();
        let expected = types.iter().map(AbiType::canonical).collect::<Vec<_>>().join(", ");
        let wrong = |problem: String| TargetError::ConstructorArguments {
            contract: contract.name.clone(),
            expected: expected.clone(),
            problem,
        };
        if types.len() != given.len() {
            let problem = if given.is_empty() {
                "give them with --constructor-args, or deploy from a wrapper contract".to_owned()
            } else {
                format!("{} given", given.len())
            };
            return Err(wrong(problem));
        }
        let constructor = Function {
            name: "constructor".to_owned(),
            signature: format!("constructor({expected})"),
            selector: [0; 4],
            input_names: Vec::new(),
            inputs: types.clone(),
            outputs: Vec::new(),
            mutability: Mutability::NonPayable,
        };
        let call = parse_call(&format!("constructor({})", given.join(",")), &[constructor])
            .map_err(|e| wrong(e.to_string()))?;
        let values: Vec<Value> = call
            .arguments
            .into_iter()
            .zip(&types)
            .map(|(argument, kind)| match argument {
                Argument::Is(value) => value,
                Argument::Any => kind.zero(),
            })
            .collect();
        encode(&types, &values, code);
        Ok(())
    }

    /// Foundry's `setUp()` runs once, after the constructor.
    fn set_up(&mut self, contract: &Contract, mode: TestMode) -> Result<(), TargetError> {
        let wanted = mode == TestMode::Foundry || contract.function("IS_TEST()").is_some();
        let Some(set_up) = contract.function("setUp()").filter(|_| wanted) else { return Ok(()) };
        let outcome = self.machine.call(&Message {
            from: self.config.deployer,
            to: self.address,
            value: U256::ZERO,
            data: Bytes::copy_from_slice(&set_up.selector),
            gas: DEPLOY_GAS,
            gas_price: 0,
        });
        if outcome.is_success() {
            return Ok(());
        }
        let artifacts = self.artifacts.clone();
        let mut reason = explain(&outcome, &artifacts.contracts.iter().collect::<Vec<_>>());
        for unknown in unknown_cheats(&self.machine, &artifacts) {
            reason = format!("{reason}; {unknown}");
        }
        Err(TargetError::SetUp { contract: contract.name.clone(), reason })
    }

    fn finish(mut self, index: usize, mode: TestMode) -> Result<Target, TargetError> {
        let contract = &self.artifacts.contracts[index];
        let start_block = self.machine.keep_block();
        let warnings = unknown_cheats(&self.machine, &self.artifacts);
        self.world.absorb(self.machine.take_state());
        let deployed = self.identify();
        let tests = find_tests(contract, self.address, mode, self.config)?;
        let functions = self.callables(index, &deployed, mode);
        let contracts: Vec<&Contract> =
            deployed.values().map(|i| &self.artifacts.contracts[*i]).collect();
        let mut addresses = self.config.senders.clone();
        addresses.extend([Address::ZERO, self.config.deployer, self.address]);
        addresses.extend(deployed.keys());
        let mut dictionary = Dictionary::of_project(&self.artifacts, &contracts, &addresses);
        for word in [start_block.0, start_block.1] {
            dictionary.learn(word);
            dictionary.learn(word + U256::from(1));
        }
        for (_, value) in deployed.keys().flat_map(|a| self.world.storage(*a)).take(1000) {
            dictionary.learn(value);
        }
        let mut warnings: Vec<String> =
            self.artifacts.warnings.iter().cloned().chain(warnings).collect();
        if functions.is_empty() {
            warnings.push(format!(
                "`{}` has no function that may be called: only time will pass; check the function filter",
                contract.name
            ));
        }
        if contract.runtime_map.is_none() {
            warnings.push(format!(
                "`{}` has no source map: coverage by line is not available; build with source maps to get it",
                contract.name
            ));
        }
        Ok(Target {
            contract: index,
            address: self.address,
            functions,
            tests,
            mode,
            world: Arc::new(self.world),
            layout: self.layout,
            settings: self.settings,
            start_block,
            deployed,
            libraries: self.libraries,
            dictionary,
            warnings,
            artifacts: self.artifacts,
        })
    }

    /// Which artifact each deployed contract is.
    fn identify(&self) -> BTreeMap<Address, usize> {
        let known = self.world.contracts().filter_map(|address| {
            let code = self.world.code(address)?.original_byte_slice();
            Some((address, self.layout.identify(code, false).contract? as usize))
        });
        known.collect()
    }

    fn callables(
        &self,
        index: usize,
        deployed: &BTreeMap<Address, usize>,
        mode: TestMode,
    ) -> Vec<Callable> {
        let mut targets = vec![(self.address, index)];
        if self.config.all_contracts {
            let others = deployed.iter().filter(|(address, _)| **address != self.address);
            targets.extend(others.map(|(address, index)| (*address, *index)));
        }
        if mode == TestMode::Foundry {
            targets.extend(self.foundry_targets(deployed));
        }
        let mut callables = Vec::new();
        for (address, contract) in targets {
            let artifact = &self.artifacts.contracts[contract];
            let callable = artifact.functions.iter().filter(|f| self.may_call(artifact, f, mode));
            callables.extend(callable.map(|function| Callable {
                contract,
                contract_name: artifact.name.clone(),
                address,
                function: function.clone(),
            }));
        }
        callables
    }

    /// Foundry calls every contract that `setUp` has made, not the test contract itself.
    fn foundry_targets(&self, deployed: &BTreeMap<Address, usize>) -> Vec<(Address, usize)> {
        let libraries: Vec<_> = self.libraries.values().collect();
        deployed
            .iter()
            .filter(|(a, _)| {
                **a != self.address && !libraries.contains(a) && !self.config.all_contracts
            })
            .map(|(address, index)| (*address, *index))
            .collect()
    }

    fn may_call(&self, contract: &Contract, function: &Function, mode: TestMode) -> bool {
        let reserved = [
            "setUp()",
            "IS_TEST()",
            "failed()",
            "excludeSenders()",
            "targetContracts()",
            "targetSenders()",
            "targetSelectors()",
            "excludeContracts()",
            "excludeSelectors()",
            "targetArtifacts()",
            "targetArtifactSelectors()",
            "excludeArtifacts()",
            "targetInterfaces()",
        ];
        if function.name.starts_with(&self.config.prefix)
            || reserved.contains(&function.signature.as_str())
        {
            return false;
        }
        if mode == TestMode::Foundry && crate::checks::is_foundry_test(&function.name) {
            return crate::checks::is_foundry_fuzz(function);
        }
        if self.config.exclude_views && function.mutability == Mutability::View {
            return false;
        }
        let qualified = format!("{}.{}", contract.name, function.signature);
        let listed = self
            .config
            .filter_functions
            .iter()
            .any(|f| *f == function.name || *f == function.signature || *f == qualified);
        self.config.filter_functions.is_empty() && self.config.filter_excludes
            || listed != self.config.filter_excludes
    }
}

/// solc 0.5 and later name a library by a hash, older ones by its name, artifacts by its file.
fn is_library(contract: &Contract, wanted: &str) -> bool {
    let qualified = contract.qualified_name();
    qualified == wanted
        || crate::artifact::placeholder(&qualified) == wanted
        || wanted.trim_matches('_').ends_with(&format!(":{}", contract.name))
        || wanted.trim_matches('_') == contract.name
}

fn assertion_topics(artifacts: &Artifacts) -> Vec<B256> {
    let names = ["AssertionFailed()", "AssertionFailed(string)", "AssertionFailed(uint256)"];
    let mut topics: Vec<B256> = names.iter().map(revm::primitives::keccak256).collect();
    for event in artifacts.contracts.iter().flat_map(|c| c.abi.events()) {
        if event.name.starts_with("AssertionFailed") && !topics.contains(&event.selector()) {
            topics.push(event.selector());
        }
    }
    topics
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
