//! Runs a sequence once, from the start, and tells everything about it.

use super::decode::Names;
use crate::abi::AbiType;
use crate::campaign::{Offspring, shrink_run as run};
use crate::checks::{Test, Verdict, ask, judge};
use crate::config::Config;
use crate::input::{Action, Transaction};
use crate::reason::explain;
use crate::target::Target;
use crate::vm::{Machine, Trace, TraceItem};
use revm::primitives::U256;
use std::sync::Arc;

/// One line of a decoded trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// Nesting, from 0.
    pub depth: usize,
    /// What happened.
    pub text: String,
}

/// A variable that a call changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageChange {
    /// The contract's name or address.
    pub contract: String,
    /// The variable, or the slot where no layout is known.
    pub variable: String,
    /// The value before the call.
    pub before: String,
    /// The value after the call.
    pub after: String,
}

/// What one transaction of the sequence did.
#[derive(Clone, Debug)]
pub struct Step {
    /// The call as text.
    pub call: String,
    /// Who sent it.
    pub sender: revm::primitives::Address,
    /// Whether it returned.
    pub success: bool,
    /// Why it did not.
    pub reason: Option<String>,
    /// What it returned, decoded.
    pub result: String,
    /// Gas used.
    pub gas_used: u64,
    /// Calls, events and results, indented.
    pub trace: Vec<TraceLine>,
    /// Events that took effect, decoded.
    pub events: Vec<String>,
    /// Variables changed.
    pub changes: Vec<StorageChange>,
}

/// What a whole sequence did.
#[derive(Clone, Debug)]
pub struct Execution {
    /// One per transaction.
    pub steps: Vec<Step>,
    /// Tests that fail after it.
    pub falsified: Vec<String>,
    /// Time of the last block.
    pub timestamp: U256,
    /// Number of the last block.
    pub block_number: U256,
}

/// Runs a sequence from the start of a target, beside any campaign on it.
pub fn execute(
    target: &Target,
    tests: &[Arc<Test>],
    config: &Config,
    sequence: &[Transaction],
) -> Execution {
    let mut machine = target.tracing_machine();
    let mut names = Names::new(target);
    learn_keys(target, config, sequence, &mut names);
    let mut verdicts: Vec<(&Test, bool)> = tests.iter().map(|t| (t.as_ref(), false)).collect();
    let mut steps = Vec::new();
    let mut offspring = Offspring::default();
    for (index, transaction) in sequence.iter().enumerate() {
        let mut transaction = transaction.clone();
        offspring.aim(target, &mut transaction);
        steps.push(step(&mut machine, target, config, &transaction, &mut names, &mut verdicts));
        offspring.note(&mut machine, target, index + 1);
    }
    for (test, failed) in &mut verdicts {
        if test.kind.is_asked() {
            let verdict = ask(&mut machine, test, config.property_sender, config.property_gas);
            *failed = verdict == Verdict::Fails;
        }
    }
    let (timestamp, block_number) = machine.now();
    let falsified = verdicts.iter().filter(|(_, failed)| *failed);
    Execution {
        steps,
        falsified: falsified.map(|(t, _)| t.name.clone()).collect(),
        timestamp,
        block_number,
    }
}

/// Keys of mappings are mostly senders and arguments.
fn learn_keys(target: &Target, config: &Config, sequence: &[Transaction], names: &mut Names<'_>) {
    let address = |a: revm::primitives::Address| U256::from_be_slice(a.as_slice());
    for sender in config.senders.iter().chain(target.deployed.keys()) {
        names.learn_key(&AbiType::Address, address(*sender));
    }
    for transaction in sequence {
        names.learn_key(&AbiType::Address, address(transaction.sender));
        let Action::Call { function, arguments } = &transaction.action else { continue };
        let inputs = &target.functions[*function].function.inputs;
        for (kind, value) in inputs.iter().zip(arguments) {
            if let crate::abi::Value::Word(word) = value {
                names.learn_key(kind, *word);
            }
        }
    }
}

fn step(
    machine: &mut Machine,
    target: &Target,
    config: &Config,
    transaction: &Transaction,
    names: &mut Names<'_>,
    verdicts: &mut [(&Test, bool)],
) -> Step {
    machine.record();
    let outcome = run(machine, target, config, transaction);
    let trace = machine.take_trace().unwrap_or_default();
    name_new_contracts(machine, target, &trace, names);
    let callable = transaction.function().and_then(|f| target.functions.get(f));
    if let (Some(outcome), Some(callable)) = (&outcome, callable) {
        let called = (callable.function.selector, callable.address);
        for (test, failed) in verdicts {
            *failed |=
                !test.kind.is_asked() && judge(machine, test, called, outcome) == Verdict::Fails;
        }
    }
    let contracts: Vec<_> = target.artifacts.contracts.iter().collect();
    let success = outcome.as_ref().is_none_or(crate::vm::Outcome::is_success);
    let mut lines = Vec::new();
    if !trace.calls.is_empty() {
        describe(&trace, 0, names, &mut lines);
    }
    Step {
        call: transaction.render(&target.functions),
        sender: transaction.sender,
        success,
        reason: outcome.as_ref().filter(|_| !success).map(|o| explain(o, &contracts)),
        result: trace.calls.first().map(|c| names.result(c)).unwrap_or_default(),
        gas_used: outcome.map_or(0, |o| o.gas_used),
        events: machine.logs().iter().map(|log| names.event(log)).collect(),
        changes: if success { changes(&trace, names) } else { Vec::new() },
        trace: lines,
    }
}

fn name_new_contracts(
    machine: &mut Machine,
    target: &Target,
    trace: &Trace,
    names: &mut Names<'_>,
) {
    for call in trace.calls.iter().filter(|c| c.success) {
        let code = machine.code(call.to);
        if let Some(index) = target.layout.identify(&code, false).contract {
            names.name(call.to, target.artifacts.contracts[index as usize].name.clone());
        }
    }
    let labels = machine.probe().cheats.labels.clone();
    for (address, label) in labels {
        names.name(address, label);
    }
}

fn describe(trace: &Trace, index: usize, names: &Names<'_>, out: &mut Vec<TraceLine>) {
    let Some(call) = trace.calls.get(index) else { return };
    let depth = call.depth;
    let value = if call.value.is_zero() { String::new() } else { format!(" value {}", call.value) };
    out.push(TraceLine {
        depth,
        text: format!("{}{value} [gas {}]", names.call(call), call.gas_used),
    });
    for item in &call.items {
        match item {
            TraceItem::Call(inner) => describe(trace, *inner, names, out),
            TraceItem::Event(log) => {
                out.push(TraceLine {
                    depth: depth + 1,
                    text: format!("emit {}", names.event(log)),
                });
            }
            TraceItem::Store { address, slot, before, after } => {
                for (variable, before, after) in names.slot(*address, *slot, *before, *after) {
                    let text = format!("{variable}: {before} -> {after}");
                    out.push(TraceLine { depth: depth + 1, text });
                }
            }
        }
    }
    out.push(TraceLine { depth: depth + 1, text: format!("<- {}", names.result(call)) });
}

/// Net changes of variables over a call: undone frames don't count.
fn changes(trace: &Trace, names: &Names<'_>) -> Vec<StorageChange> {
    let mut net: Vec<((revm::primitives::Address, U256), U256, U256)> = Vec::new();
    collect(trace, 0, &mut net);
    let moved = net.into_iter().filter(|(_, before, after)| before != after);
    moved
        .flat_map(|((address, slot), before, after)| {
            let contract = names.address(address);
            names.slot(address, slot, before, after).into_iter().map(
                move |(variable, before, after)| StorageChange {
                    contract: contract.clone(),
                    variable,
                    before,
                    after,
                },
            )
        })
        .collect()
}

fn collect(
    trace: &Trace,
    index: usize,
    net: &mut Vec<((revm::primitives::Address, U256), U256, U256)>,
) {
    let Some(call) = trace.calls.get(index).filter(|c| c.success) else { return };
    for item in &call.items {
        match item {
            TraceItem::Call(inner) => collect(trace, *inner, net),
            TraceItem::Event(_) => {}
            TraceItem::Store { address, slot, before, after } => {
                let key = (*address, *slot);
                match net.iter_mut().find(|(k, ..)| *k == key) {
                    Some(entry) => entry.2 = *after,
                    None => net.push((key, *before, *after)),
                }
            }
        }
    }
}
