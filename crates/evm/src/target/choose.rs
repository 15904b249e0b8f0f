//! Which contract of a project is meant, and what is looked for in it.

use super::TargetError;
use crate::abi::Function;
use crate::artifact::{Artifacts, Contract};
use crate::checks::is_foundry_test;
use crate::config::{Config, TestMode};

/// So many names of other contracts are told.
const NAMED: usize = 8;

/// The contract with this name; without one, the last that has code and tests, as the reference does
/// with a single file.
pub(super) fn choose(
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

/// A sentence about the contracts that would have been as good a choice.
pub(super) fn others_with_tests(
    artifacts: &Artifacts,
    chosen: usize,
    config: &Config,
) -> Option<String> {
    let contracts = artifacts.contracts.iter().enumerate();
    let others =
        contracts.filter(|(i, c)| *i != chosen && c.is_deployable() && has_tests(c, config));
    let others: Vec<_> = others.map(|(_, contract)| contract.name.as_str()).collect();
    let shown = others.get(..NAMED).map_or_else(
        || others.join(", "),
        |first| format!("{} and {} more", first.join(", "), others.len() - NAMED),
    );
    let name = &artifacts.contracts[chosen].name;
    (!others.is_empty()).then(|| {
        format!(
            "only `{name}` is fuzzed; other contracts with tests: {shown}; choose with --contract"
        )
    })
}

fn has_tests(contract: &Contract, config: &Config) -> bool {
    let is_test =
        |f: &Function| f.name.starts_with(&config.prefix) || is_foundry_test(contract, f, config);
    contract.functions.iter().any(is_test)
}

fn names(contracts: &[Contract]) -> String {
    contracts.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Properties win; Foundry's tests are looked at when there are none.
pub(super) fn resolve_mode(contract: &Contract, config: &Config) -> TestMode {
    if config.test_mode != TestMode::Auto {
        return config.test_mode;
    }
    let property = |f: &Function| f.name.starts_with(&config.prefix);
    let foundry = |f: &Function| is_foundry_test(contract, f, config);
    if !contract.functions.iter().any(property) && contract.functions.iter().any(foundry) {
        TestMode::Foundry
    } else {
        TestMode::Property
    }
}
