//! Which functions transactions may call, and where.

use super::Callable;
use super::declared::Declared;
use super::stage::Stage;
use crate::abi::{Function, Mutability};
use crate::artifact::Contract;
use crate::checks::{is_foundry_test, is_run_by_foundry};
use crate::config::TestMode;
use revm::primitives::{Address, keccak256};
use std::collections::BTreeMap;

impl Stage<'_> {
    pub(super) fn callables(
        &self,
        index: usize,
        deployed: &BTreeMap<Address, usize>,
        mode: TestMode,
        declared: &Declared,
    ) -> Vec<Callable> {
        let mut targets = vec![(self.address, index)];
        if self.config.all_contracts {
            let others = deployed.iter().filter(|(address, _)| **address != self.address);
            targets.extend(others.map(|(address, index)| (*address, *index)));
        }
        if mode == TestMode::Foundry {
            targets.extend(self.foundry_targets(deployed));
            let mut further = declared.interfaces(&self.artifacts);
            further.retain(|target| !targets.contains(target));
            targets.extend(further);
        }
        let suite = self.address;
        let is_alone = |address: Address, contract: &Contract, function: &Function| {
            mode == TestMode::Foundry
                && address == suite
                && is_run_by_foundry(contract, function, self.config)
        };
        let is_wanted = |address: Address, contract: &Contract, function: &Function| {
            let is_interface = declared.is_interface(address, contract);
            declared.is_silent()
                || is_alone(address, contract, function)
                || (is_interface || declared.wants(address, contract, address == suite))
                    && declared.wants_function(address, contract, function)
        };
        let places = targets.into_iter().map(|(address, contract)| (address, contract, false));
        let children = self.children(deployed).into_iter().map(|c| (nowhere(c), c, true));
        let all = places.chain(children);
        all.flat_map(|(address, contract, created)| {
            let artifact = &self.artifacts.contracts[contract];
            let may_call = |f: &&Function| {
                self.may_call(artifact, f, mode, address == suite)
                    && is_wanted(address, artifact, f)
            };
            let callable = artifact.functions.iter().filter(may_call);
            let callable = callable.map(|function| Callable {
                contract,
                contract_name: artifact.name.clone(),
                address,
                created,
                alone: is_alone(address, artifact, function),
                function: function.clone(),
            });
            callable.collect::<Vec<_>>()
        })
        .collect()
    }

    /// With every contract to be called: those whose creation code lies in what is deployed, or in the
    /// creation code of such a one.
    fn children(&self, deployed: &BTreeMap<Address, usize>) -> Vec<usize> {
        if !self.config.all_contracts {
            return Vec::new();
        }
        let contracts = &self.artifacts.contracts;
        let mut creators: Vec<Vec<u8>> =
            deployed.values().map(|index| contracts[*index].runtime.with_holes()).collect();
        let mut children = Vec::new();
        loop {
            let is_made = |index: &usize| {
                let code = contracts[*index].creation.with_holes();
                !code.is_empty() && creators.iter().any(|creator| holds(creator, &code))
            };
            let fresh = (0..contracts.len()).filter(|i| !children.contains(i)).filter(is_made);
            let fresh: Vec<usize> = fresh.collect();
            if fresh.is_empty() {
                return children;
            }
            creators = fresh.iter().map(|index| contracts[*index].runtime.with_holes()).collect();
            children.extend(fresh);
        }
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

    fn may_call(
        &self,
        contract: &Contract,
        function: &Function,
        mode: TestMode,
        is_target: bool,
    ) -> bool {
        let reserved = [
            "setUp()",
            "afterInvariant()",
            "beforeTestSetup(bytes4)",
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
        let is_test = || is_target && is_foundry_test(contract, function, self.config);
        if mode == TestMode::Foundry && is_test() {
            return is_run_by_foundry(contract, function, self.config);
        }
        if self.config.exclude_views && function.mutability == Mutability::View {
            return false;
        }
        let listed =
            self.config.filter_functions.iter().any(|listed| is_meant(listed, contract, function));
        self.config.filter_functions.is_empty() && self.config.filter_excludes
            || listed != self.config.filter_excludes
    }
}

/// Whether an entry of the filter means a function: by name or signature, with or without the contract.
pub(super) fn is_meant(listed: &str, contract: &Contract, function: &Function) -> bool {
    let own = listed.strip_prefix(contract.name.as_str()).and_then(|rest| rest.strip_prefix('.'));
    let is = |text: &str| text == function.name || text == function.signature;
    is(listed) || own.is_some_and(is)
}

/// Tells the functions of a contract that has no address yet from all others.
fn nowhere(contract: usize) -> Address {
    Address::from_word(keccak256(format!("created contract {contract}")))
}

/// Whether code lies inside other code; the length of a contract's own metadata does not matter.
fn holds(outer: &[u8], inner: &[u8]) -> bool {
    outer.len() >= inner.len() && outer.windows(inner.len()).any(|window| window == inner)
}
