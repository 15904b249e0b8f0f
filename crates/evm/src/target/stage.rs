//! Deployment, step by step: libraries, other contracts, the target, `setUp()`.

use super::callables::is_meant;
use super::constructor::encoded_arguments;
use super::declared::Declared;
use super::history::{Event, History};
use super::{Callable, Target, TargetError, choose::choose, unknown_cheats};
use crate::artifact::{Artifacts, Contract, LinkError, UnlinkedCode};
use crate::checks::{Test, TestKind, assertions_elsewhere, find_tests};
use crate::config::{Config, TestMode};
use crate::input::Dictionary;
use crate::reason::explain;
use crate::vm::{CHEAT_ADDRESS, CodeLayout, Machine, Message, NamedCode, Outcome, Settings, World};
use alloy_json_abi::StateMutability;
use revm::bytecode::Bytecode;
use revm::primitives::{Address, B256, Bytes, U256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Gas for deployment and `setUp()`: as good as unlimited.
const DEPLOY_GAS: u64 = 1 << 40;
/// What Foundry gives the contract with the tests: 2^96 - 1 wei.
pub(crate) const FOUNDRY_BALANCE: U256 = U256::from_limbs([u64::MAX, 0xffff_ffff, 0, 0]);
/// Where the first library goes; the next ones follow.
const FIRST_LIBRARY: u64 = 0xff;

/// Deployment under way.
pub(super) struct Stage<'a> {
    pub(super) artifacts: Arc<Artifacts>,
    pub(super) config: &'a Config,
    pub(super) layout: Arc<CodeLayout>,
    settings: Settings,
    machine: Machine,
    pub(super) world: World,
    pub(super) libraries: BTreeMap<String, Address>,
    pub(super) address: Address,
    history: History,
    warnings: Vec<String>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(
        artifacts: Arc<Artifacts>,
        config: &'a Config,
        mode: TestMode,
        history: History,
    ) -> Self {
        let layout = Arc::new(CodeLayout::new(&artifacts.contracts));
        let settings = Settings {
            code_size_limit: config.code_size_limit,
            chain_id: config.chain_id,
            timestamp: config.timestamp,
            block_number: config.block_number,
            assertion_topics: assertion_topics(&artifacts),
            allow_ffi: config.allow_ffi,
            codes: (config.allow_ffi || mode == TestMode::Foundry).then(|| codes(&artifacts)),
            environment: BTreeMap::new(),
        };
        let mut world = World::default();
        for sender in &config.senders {
            world.put(*sender, config.sender_balance, None);
        }
        world.put(config.deployer, config.sender_balance, None);
        world.put(config.property_sender, config.sender_balance, None);
        for account in history.accounts() {
            world.put(account, config.sender_balance, None);
        }
        if mode == TestMode::Foundry {
            world.put(config.contract_address, FOUNDRY_BALANCE, None);
        }
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
            history,
            warnings: Vec::new(),
        }
    }

    /// Makes the transactions that were recorded elsewhere. What contracts are there depends on every
    /// creation; a call may fail as it may have failed then.
    pub(super) fn repeat_history(&mut self) -> Result<(), TargetError> {
        let history = std::mem::take(&mut self.history);
        for (index, event) in history.0.iter().enumerate() {
            let outcome = match event {
                Event::AccountCreated { .. } => continue,
                Event::BlockMined { number_increment, timestamp_increment } => {
                    self.machine.advance(*timestamp_increment, *number_increment);
                    continue;
                }
                Event::ContractCreated { from, contract_address, data, value } => {
                    let at = Some(*contract_address);
                    self.machine.create(*from, at, *value, data.clone(), DEPLOY_GAS)
                }
                Event::FunctionCall { from, to, data, value } => self.machine.call(&Message {
                    from: *from,
                    to: *to,
                    value: *value,
                    data: data.clone(),
                    gas: DEPLOY_GAS,
                    gas_price: 0,
                }),
            };
            if !outcome.is_success() {
                self.history_failed(index, event, &outcome)?;
            }
        }
        self.history = history;
        Ok(())
    }

    fn history_failed(
        &mut self,
        index: usize,
        event: &Event,
        outcome: &Outcome,
    ) -> Result<(), TargetError> {
        let path = self.config.initialize.clone().unwrap_or_default();
        let problem = format!("event {index} failed: {}", explain(outcome, &[]));
        if matches!(event, Event::ContractCreated { .. }) {
            return Err(TargetError::History { path, problem });
        }
        self.warnings.push(format!("`initialize`: {}: {problem}", path.display()));
        Ok(())
    }

    pub(super) fn deploy_extras(&mut self) -> Result<(), TargetError> {
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

    pub(super) fn deploy_target(&mut self, index: usize) -> Result<(), TargetError> {
        let artifacts = self.artifacts.clone();
        let contract = &artifacts.contracts[index];
        let mut code = self.linked(contract)?.to_vec();
        code.extend(encoded_arguments(contract, &self.config.constructor_arguments)?);
        let outcome = self.create(self.address, self.config.contract_balance, code.into());
        if outcome.is_success() {
            return Ok(());
        }
        let size = contract.runtime.with_holes().len();
        if size > self.config.code_size_limit {
            let limit = self.config.code_size_limit;
            return Err(TargetError::TooLarge { contract: contract.name.clone(), size, limit });
        }
        if !self.config.contract_balance.is_zero() && !takes_ether(contract) {
            return Err(TargetError::ConstructorTakesNoEther(contract.name.clone()));
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
            let address = self.next_library();
            let outcome = self.create(address, U256::ZERO, code);
            if !outcome.is_success() {
                let reason = explain(&outcome, &[found]);
                return Err(TargetError::Constructor { contract: found.name.clone(), reason });
            }
            self.libraries.insert(library, address);
        }
        contract.creation.link(|name| self.libraries.get(name).copied()).map_err(failed)
    }

    /// Where the next library goes: there are precompiles among these addresses, which would answer
    /// in its place.
    fn next_library(&self) -> Address {
        let places = (FIRST_LIBRARY..).map(|at| Address::from_word(U256::from(at).into()));
        let taken = |address: &Address| self.libraries.values().any(|other| other == address);
        let mut free = places.filter(|at| !self.machine.is_precompile(at) && !taken(at));
        free.next().unwrap_or_default()
    }

    /// Foundry's `setUp()` runs once, after the constructor.
    pub(super) fn set_up(
        &mut self,
        contract: &Contract,
        mode: TestMode,
    ) -> Result<(), TargetError> {
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

    pub(super) fn finish(mut self, index: usize, mode: TestMode) -> Result<Target, TargetError> {
        let contract = &self.artifacts.contracts[index];
        let declared = match mode {
            TestMode::Foundry => {
                Declared::ask(&mut self.machine, contract, self.address, self.config.deployer)
            }
            _ => Declared::default(),
        };
        let start_block = self.machine.keep_block();
        let warnings = unknown_cheats(&self.machine, &self.artifacts);
        self.settings.environment.clone_from(&self.machine.probe().cheats.environment);
        self.world.absorb(self.machine.take_state());
        let deployed = self.identify();
        let mut tests = find_tests(contract, self.address, mode, self.config)?;
        let functions = self.callables(index, &deployed, mode, &declared);
        let children = children_of(&functions);
        if mode == TestMode::Assertion {
            // What the filter leaves out is never called: nothing can be said about it.
            let called = |test: &Arc<Test>| {
                let same = |c: &&Callable| (c.function.selector, c.address) == test.place();
                functions.iter().find(same).is_some()
            };
            tests.retain(|test| test.kind != TestKind::Assertion || called(test));
            tests.extend(assertions_elsewhere(&functions, self.address));
        }
        let senders = declared.senders(&self.config.senders);
        let dictionary = self.dictionary(&senders, &deployed, start_block);
        let told = self.artifacts.warnings.iter().chain(&self.warnings).cloned();
        let mut warnings: Vec<String> = told.chain(warnings).collect();
        warnings.extend(self.idle_filters());
        warnings.extend(declared.warnings(&deployed, &self.artifacts));
        warnings.extend(self.what_is_missing(contract, &functions, &senders, mode));
        Ok(Target {
            contract: index,
            address: self.address,
            functions,
            senders,
            tests,
            mode,
            world: Arc::new(self.world),
            layout: self.layout,
            settings: self.settings,
            start_block,
            deployed,
            children,
            libraries: self.libraries,
            dictionary,
            warnings,
            artifacts: self.artifacts,
        })
    }

    /// Entries of the function filter that mean nothing here, which is mostly a slip of the pen.
    fn idle_filters(&self) -> Vec<String> {
        let means = |listed: &str| {
            let contracts = self.artifacts.contracts.iter();
            contracts
                .flat_map(|c| c.functions.iter().map(move |f| (c, f)))
                .any(|(c, f)| is_meant(listed, c, f))
        };
        let idle = self.config.filter_functions.iter().filter(|listed| !means(listed));
        idle.map(|listed| format!("`{listed}` in the function filter means no function here"))
            .collect()
    }

    /// The values to start from: what the sources say, and what lies there after deployment.
    fn dictionary(
        &self,
        senders: &[Address],
        deployed: &BTreeMap<Address, usize>,
        (time, number): (U256, U256),
    ) -> Dictionary {
        let contracts: Vec<&Contract> =
            deployed.values().map(|i| &self.artifacts.contracts[*i]).collect();
        let mut addresses = senders.to_vec();
        addresses.extend([Address::ZERO, self.config.deployer, self.address]);
        addresses.extend(deployed.keys());
        addresses.extend(self.history.addresses());
        let mut dictionary = Dictionary::of_project(&self.artifacts, &contracts, &addresses);
        for word in [time, number] {
            dictionary.learn(word);
            dictionary.learn(word + U256::from(1));
        }
        for (_, value) in deployed.keys().flat_map(|a| self.world.storage(*a)).take(1000) {
            dictionary.learn(value);
        }
        dictionary
    }

    /// Sentences about what the user may expect and will not get.
    fn what_is_missing(
        &self,
        contract: &Contract,
        functions: &[Callable],
        senders: &[Address],
        mode: TestMode,
    ) -> Vec<String> {
        let name = &contract.name;
        let mut missing = Vec::new();
        if contract.function("afterInvariant()").is_some() && mode == TestMode::Foundry {
            let said = "`afterInvariant()` is not called: invariants are asked after every call";
            missing.push(said.to_owned());
        }
        if senders.is_empty() {
            missing.push("the suite excludes every sender: the zero address sends".to_owned());
        }
        if functions.is_empty() {
            let filtered = !self.config.filter_functions.is_empty() || self.config.exclude_views;
            let hint = if filtered { "; check the function filter" } else { "" };
            missing.push(format!(
                "`{name}` has no function that may be called: only time will pass{hint}"
            ));
        }
        if contract.runtime_map.is_none() {
            missing.push(format!(
                "`{name}` has no source map: coverage by line is not available; build with source maps to get it"
            ));
        }
        missing
    }

    /// Which artifact each deployed contract is.
    fn identify(&self) -> BTreeMap<Address, usize> {
        let known = self.world.contracts().filter_map(|address| {
            let code = self.world.code(address)?.original_byte_slice();
            Some((address, self.layout.identify(code, false).contract? as usize))
        });
        known.collect()
    }
}

/// Whether the constructor is payable; one that is not written is not.
fn takes_ether(contract: &Contract) -> bool {
    let constructor = contract.abi.constructor.as_ref();
    constructor.is_some_and(|c| c.state_mutability == StateMutability::Payable)
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

/// Code by name, for contracts that create others from it.
fn codes(artifacts: &Artifacts) -> Arc<[NamedCode]> {
    let whole = |code: &UnlinkedCode| code.link(|_| None).ok();
    let named = artifacts.contracts.iter().map(|contract| NamedCode {
        file: contract.file.clone(),
        name: contract.name.clone(),
        creation: whole(&contract.creation),
        runtime: whole(&contract.runtime),
    });
    named.collect()
}

/// The functions of every contract that sequences create, by index.
fn children_of(functions: &[Callable]) -> BTreeMap<usize, Vec<usize>> {
    let mut children = BTreeMap::<usize, Vec<usize>>::new();
    for (index, callable) in functions.iter().enumerate().filter(|(_, c)| c.created) {
        children.entry(callable.contract).or_default().push(index);
    }
    children
}
