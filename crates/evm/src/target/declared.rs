//! What a Foundry suite declares about its campaign: `targetContract`, `excludeSender` and their like. Its
//! functions `targetContracts()`, `excludeSenders()`, … are asked once, after `setUp()`.

use crate::abi::{AbiType, Function, Value, decode};
use crate::artifact::{Artifacts, Contract};
use crate::vm::{Machine, Message};
use revm::primitives::{Address, Bytes, U256};
use std::collections::BTreeMap;

/// A function's selector.
type Selector = [u8; 4];

/// The declarations. Without any, everything that `setUp()` made is called, and the suite's own functions.
#[derive(Debug, Default)]
pub(super) struct Declared {
    contracts: Vec<Address>,
    excluded_contracts: Vec<Address>,
    artifacts: Vec<String>,
    excluded_artifacts: Vec<String>,
    selectors: Vec<(Address, Vec<Selector>)>,
    excluded_selectors: Vec<(Address, Vec<Selector>)>,
    artifact_selectors: Vec<(String, Vec<Selector>)>,
    interfaces: Vec<(Address, Vec<String>)>,
    senders: Vec<Address>,
    excluded_senders: Vec<Address>,
}

impl Declared {
    /// Asks a suite that lies at an address.
    pub(super) fn ask(machine: &mut Machine, suite: &Contract, at: Address, from: Address) -> Self {
        let mut asked = Asked { machine, suite, at, from };
        let addresses = || (AbiType::Address, address as fn(&Value) -> Option<Address>);
        let names = || (AbiType::String, text as fn(&Value) -> Option<String>);
        let functions = || (AbiType::FixedBytes(4), selector as fn(&Value) -> Option<Selector>);
        Self {
            contracts: asked.list("targetContracts()", addresses()),
            excluded_contracts: asked.list("excludeContracts()", addresses()),
            artifacts: asked.list("targetArtifacts()", names()),
            excluded_artifacts: asked.list("excludeArtifacts()", names()),
            selectors: asked.pairs("targetSelectors()", addresses(), functions()),
            excluded_selectors: asked.pairs("excludeSelectors()", addresses(), functions()),
            artifact_selectors: asked.pairs("targetArtifactSelectors()", names(), functions()),
            interfaces: asked.pairs("targetInterfaces()", addresses(), names()),
            senders: asked.list("targetSenders()", addresses()),
            excluded_senders: asked.list("excludeSenders()", addresses()),
        }
    }

    /// Whether nothing is said about what is called.
    pub(super) fn is_silent(&self) -> bool {
        self.contracts.is_empty()
            && self.excluded_contracts.is_empty()
            && self.artifacts.is_empty()
            && self.excluded_artifacts.is_empty()
            && self.selectors.is_empty()
            && self.excluded_selectors.is_empty()
            && self.artifact_selectors.is_empty()
            && self.interfaces.is_empty()
    }

    /// Whether a deployed contract is to be called at all.
    pub(super) fn wants(&self, at: Address, contract: &Contract, is_suite: bool) -> bool {
        let by_selector = self.selectors.iter().any(|(target, _)| *target == at);
        if is_suite {
            return by_selector || self.contracts.contains(&at);
        }
        let targets =
            self.artifacts.iter().chain(self.artifact_selectors.iter().map(|(name, _)| name));
        let mut targets = targets.peekable();
        let by_artifact = targets.peek().is_none() || targets.any(|name| is_named(contract, name));
        let by_address = self.contracts.is_empty() || self.contracts.contains(&at);
        let excluded = self.excluded_contracts.contains(&at)
            || self.excluded_artifacts.iter().any(|name| is_named(contract, name));
        by_selector || by_address && by_artifact && !excluded
    }

    /// Whether a function of a contract that is called may be.
    pub(super) fn wants_function(
        &self,
        at: Address,
        contract: &Contract,
        function: &Function,
    ) -> bool {
        let of_address = self.selectors.iter().filter(|(target, _)| *target == at);
        let of_artifact =
            self.artifact_selectors.iter().filter(|(name, _)| is_named(contract, name));
        let listed = of_address.map(|(_, list)| list).chain(of_artifact.map(|(_, list)| list));
        let mut listed = listed.flatten().peekable();
        let targeted = listed.peek().is_none() || listed.any(|s| *s == function.selector);
        let mut excluded = self.excluded_selectors.iter().filter(|(target, _)| *target == at);
        targeted && !excluded.any(|(_, list)| list.contains(&function.selector))
    }

    /// Whether a contract's functions are called at an address for an interface's sake.
    pub(super) fn is_interface(&self, at: Address, contract: &Contract) -> bool {
        let mut own = self.interfaces.iter().filter(|(target, _)| *target == at);
        own.any(|(_, names)| names.iter().any(|name| is_named(contract, name)))
    }

    /// Contracts whose functions are called at other addresses, such as a proxy's.
    pub(super) fn interfaces(&self, artifacts: &Artifacts) -> Vec<(Address, usize)> {
        let named = |name: &String| artifacts.contracts.iter().position(|c| is_named(c, name));
        let each =
            self.interfaces.iter().flat_map(|(at, names)| names.iter().map(move |n| (*at, n)));
        each.filter_map(|(at, name)| Some((at, named(name)?))).collect()
    }

    /// Who sends transactions: those that are declared, or the given ones, without those excluded.
    pub(super) fn senders(&self, given: &[Address]) -> Vec<Address> {
        let candidates = if self.senders.is_empty() { given } else { &self.senders };
        let allowed = candidates.iter().filter(|sender| !self.excluded_senders.contains(sender));
        allowed.copied().collect()
    }

    /// Sentences about declarations that name what is not there.
    pub(super) fn warnings(
        &self,
        deployed: &BTreeMap<Address, usize>,
        artifacts: &Artifacts,
    ) -> Vec<String> {
        let by_selector = self.selectors.iter().map(|(address, _)| address);
        let addresses = self.contracts.iter().chain(by_selector);
        let unknown = addresses.filter(|address| !deployed.contains_key(*address)).map(|address| {
            format!("the suite targets {address}, where no contract lies whose artifact is known: it is not called")
        });
        let by_interface = self.interfaces.iter().flat_map(|(_, names)| names);
        let names = self
            .artifacts
            .iter()
            .chain(by_interface)
            .chain(self.artifact_selectors.iter().map(|(n, _)| n));
        let unnamed = names
            .filter(|name| !artifacts.contracts.iter().any(|c| is_named(c, name)))
            .map(|name| format!("the suite targets the artifact `{name}`, which is not among the compiled contracts"));
        unknown.chain(unnamed).collect()
    }
}

/// Artifacts are named by their contract, or by `file:Name`.
fn is_named(contract: &Contract, name: &str) -> bool {
    contract.name == name || contract.qualified_name() == name
}

/// A type of values, and how one is read.
type Kind<T> = (AbiType, fn(&Value) -> Option<T>);

struct Asked<'a> {
    machine: &'a mut Machine,
    suite: &'a Contract,
    at: Address,
    from: Address,
}

impl Asked<'_> {
    /// What a function returns: a list of values of one type.
    fn list<T>(&mut self, signature: &str, (kind, read): Kind<T>) -> Vec<T> {
        self.returned(signature, kind).iter().filter_map(read).collect()
    }

    /// What a function returns: a list of structs, each of a key and a list.
    fn pairs<K, T>(
        &mut self,
        signature: &str,
        (key_kind, key): Kind<K>,
        (kind, read): Kind<T>,
    ) -> Vec<(K, Vec<T>)> {
        let kind = AbiType::Tuple(vec![key_kind, AbiType::Array(Box::new(kind))]);
        let values = self.returned(signature, kind);
        let pairs = values.iter().filter_map(|value| match value {
            Value::List(members) => match members.as_slice() {
                [first, Value::List(list)] => {
                    Some((key(first)?, list.iter().filter_map(read).collect()))
                }
                _ => None,
            },
            _ => None,
        });
        pairs.collect()
    }

    fn returned(&mut self, signature: &str, kind: AbiType) -> Vec<Value> {
        let Some(function) = self.suite.function(signature) else { return Vec::new() };
        let mark = self.machine.mark();
        let outcome = self.machine.call(&Message {
            from: self.from,
            to: self.at,
            value: U256::ZERO,
            data: Bytes::copy_from_slice(&function.selector),
            gas: 1 << 40,
            gas_price: 0,
        });
        self.machine.rewind_call(&mark);
        match decode(&[AbiType::Array(Box::new(kind))], &outcome.output).as_deref() {
            Some([Value::List(values)]) if outcome.is_success() => values.clone(),
            _ => Vec::new(),
        }
    }
}

fn address(value: &Value) -> Option<Address> {
    let Value::Word(word) = value else { return None };
    Some(Address::from_word((*word).into()))
}

fn selector(value: &Value) -> Option<Selector> {
    let Value::Word(word) = value else { return None };
    word.to_be_bytes::<32>().first_chunk().copied()
}

fn text(value: &Value) -> Option<String> {
    let Value::Bytes(bytes) = value else { return None };
    String::from_utf8(bytes.clone()).ok()
}
