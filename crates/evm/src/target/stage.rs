//! Deployment, step by step: libraries, other contracts, the target, `setUp()`.

use super::constructor::encoded_arguments;
use super::history::{Event, History};
use super::{TargetError, choose::choose, unknown_cheats};
use crate::artifact::{Artifacts, Contract, LinkError, UnlinkedCode};
use crate::config::{Config, TestMode};
use crate::reason::explain;
use crate::vm::{CHEAT_ADDRESS, CodeLayout, Machine, Message, NamedCode, Outcome, Settings, World};
use alloy_json_abi::StateMutability;
use revm::bytecode::Bytecode;
use revm::primitives::{Address, B256, Bytes, U256};
use std::collections::BTreeMap;
use std::sync::Arc;

mod finish;

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
