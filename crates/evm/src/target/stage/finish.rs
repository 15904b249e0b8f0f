//! What stands once everything is deployed: the target with what can be called, what is tested, the values to start from, and
//! what the user may expect and will not get.

use super::Stage;
use crate::artifact::Contract;
use crate::checks::{Test, TestKind, assertions_elsewhere, find_tests};
use crate::config::TestMode;
use crate::input::Dictionary;
use crate::target::callables::is_meant;
use crate::target::declared::Declared;
use crate::target::{Callable, Target, TargetError, unknown_cheats};
use revm::primitives::{Address, U256};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Stage<'_> {
    /// The target, ready to be fuzzed.
    pub(in crate::target) fn finish(
        mut self,
        index: usize,
        mode: TestMode,
    ) -> Result<Target, TargetError> {
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

/// The functions of every contract that sequences create, by index.
fn children_of(functions: &[Callable]) -> BTreeMap<usize, Vec<usize>> {
    let mut children = BTreeMap::<usize, Vec<usize>>::new();
    for (index, callable) in functions.iter().enumerate().filter(|(_, c)| c.created) {
        children.entry(callable.contract).or_default().push(index);
    }
    children
}
