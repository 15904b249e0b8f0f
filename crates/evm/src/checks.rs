//! What a campaign checks: properties that are asked after every call, and failures of calls
//! themselves.

use crate::abi::{AbiType, Function, Value, decode};
use crate::artifact::Contract;
use crate::config::{Config, TestMode};
use crate::reason::revert_reason;
use crate::target::{Callable, TargetError};
use crate::vm::{Ending, Machine, Message, Outcome, code_apart};
use revm::bytecode::Bytecode;
use revm::primitives::{Address, Bytes, I256, U256};
use std::sync::Arc;

/// What a test demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKind {
    /// A function that must return true.
    Property,
    /// A function that must revert.
    MustRevert,
    /// A function that must not fail an assertion.
    Assertion,
    /// No `AssertionFailed` event in any call, even one that is undone.
    AssertionEvents,
    /// No arithmetic panic in any call.
    Overflow,
    /// The target must not destroy itself.
    Destruction,
    /// No contract may destroy itself.
    AnyDestruction,
    /// A number to make as large as possible.
    Optimization,
    /// Foundry's invariant: must not revert, and nothing may have called `fail()`.
    Invariant,
    /// Foundry's stateless test: must not fail for any argument.
    FuzzTest,
    /// Foundry's `testFail*`: must fail for every argument.
    FuzzTestFail,
}

impl TestKind {
    /// The word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Property => "property",
            Self::MustRevert => "revert",
            Self::Assertion => "assertion",
            Self::AssertionEvents => "events",
            Self::Overflow => "overflow",
            Self::Destruction | Self::AnyDestruction => "destruction",
            Self::Optimization => "optimization",
            Self::Invariant => "invariant",
            Self::FuzzTest | Self::FuzzTestFail => "fuzz",
        }
    }

    /// Whether the test is one call of its own function, before which nothing happens.
    pub fn stands_alone(self) -> bool {
        matches!(self, Self::FuzzTest | Self::FuzzTestFail)
    }

    /// Whether the test is asked by calling its own function after every transaction.
    pub fn is_asked(self) -> bool {
        matches!(self, Self::Property | Self::MustRevert | Self::Optimization | Self::Invariant)
    }
}

/// Something a campaign checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name for reports.
    pub name: String,
    /// What it demands.
    pub kind: TestKind,
    /// Where its contract lies.
    pub address: Address,
    /// Selector of its function.
    pub selector: [u8; 4],
    /// Calldata of its function, for tests that are asked.
    pub call: Bytes,
    /// Where it comes from, if it is not a function of the target.
    pub added: Option<Added>,
}

impl Test {
    /// A copy whose calldata and code are its own (see [`World::apart`](crate::vm::World)).
    pub(crate) fn apart(&self) -> Self {
        let added =
            self.added.clone().map(|added| Added { code: code_apart(&added.code), ..added });
        Self { call: Bytes::copy_from_slice(&self.call), added, ..self.clone() }
    }

    /// Selector and address of its function.
    pub(crate) fn place(&self) -> ([u8; 4], Address) {
        (self.selector, self.address)
    }
}

/// A property that was written after the target was deployed. Its code is that of a contract that
/// inherits from the target, and runs on the target's storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The inheriting contract's name.
    pub contract: String,
    /// Its source, but for the import of the target.
    pub source: String,
    /// Its runtime code, linked, with the target's immutables.
    pub code: Bytecode,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing wrong.
    Holds,
    /// The test is falsified.
    Fails,
    /// The value of an optimisation.
    Value(I256),
}

/// What a call reverts with whose arguments a test does not want.
const ASSUMED: &str = "FOUNDRY::ASSUME";

/// The reference's tests that nothing destroys itself.
const DESTRUCTION: [(&str, TestKind); 2] = [
    ("Target contract is not self-destructed", TestKind::Destruction),
    ("No contract can be self-destructed", TestKind::AnyDestruction),
];

/// The tests of a contract.
pub(crate) fn find_tests(
    contract: &Contract,
    address: Address,
    mode: TestMode,
    config: &Config,
) -> Result<Vec<Arc<Test>>, TargetError> {
    let test = |function: &Function, kind| Test {
        name: display_name(contract, function),
        kind,
        address,
        selector: function.selector,
        call: Bytes::copy_from_slice(&function.selector),
        added: None,
    };
    let mut tests = Vec::new();
    // One test is for every call that is no function's.
    let raw = |f: &Function| f.is_fallback() && !f.inputs.is_empty();
    for function in contract.functions.iter().filter(|f| !raw(f)) {
        let kind = kind_of(contract, function, mode, config)?;
        tests.extend(kind.map(|kind| Arc::new(test(function, kind))));
    }
    let everywhere = |(name, kind): (&str, TestKind)| {
        Arc::new(Test {
            name: name.to_owned(),
            kind,
            address,
            selector: [0; 4],
            call: Bytes::new(),
            added: None,
        })
    };
    tests.extend(
        match mode {
            TestMode::Assertion => Some(("AssertionFailed(..)", TestKind::AssertionEvents)),
            TestMode::Overflow => Some(("Integer (over/under)flow", TestKind::Overflow)),
            _ => None,
        }
        .map(everywhere),
    );
    if config.test_destruction {
        tests.extend(DESTRUCTION.map(everywhere));
    }
    if tests.is_empty() && mode != TestMode::Exploration {
        return Err(TargetError::NoTests {
            contract: contract.name.clone(),
            prefix: config.prefix.clone(),
        });
    }
    Ok(tests)
}

/// Functions of other contracts that may be called must not fail an assertion either.
pub(crate) fn assertions_elsewhere(functions: &[Callable], target: Address) -> Vec<Arc<Test>> {
    let others = functions.iter().filter(|callable| callable.address != target);
    let tests = others.map(|callable| {
        Arc::new(Test {
            name: format!("{}.{}", callable.contract_name, callable.function.signature),
            kind: TestKind::Assertion,
            address: callable.address,
            selector: callable.function.selector,
            call: Bytes::new(),
            added: None,
        })
    });
    tests.collect()
}

/// The bare name, or the signature where a name is overloaded.
fn display_name(contract: &Contract, function: &Function) -> String {
    let same = contract.functions.iter().filter(|f| f.name == function.name).count();
    match (function.is_fallback(), same) {
        (true, _) => "fallback".to_owned(),
        (_, 1) => function.name.clone(),
        _ => function.signature.clone(),
    }
}

fn kind_of(
    contract: &Contract,
    function: &Function,
    mode: TestMode,
    config: &Config,
) -> Result<Option<TestKind>, TargetError> {
    let is_property = function.name.starts_with(&config.prefix) && !config.prefix.is_empty();
    let number = matches!(function.outputs.as_slice(), [AbiType::Int(256)]);
    let boolean = matches!(function.outputs.as_slice(), [AbiType::Bool]);
    Ok(match mode {
        TestMode::Property | TestMode::Optimization if is_property => {
            if !function.inputs.is_empty() {
                return Err(TargetError::PropertyWithArguments(function.signature.clone()));
            }
            let optimizes = mode == TestMode::Optimization
                || function.name.starts_with(&format!("{}opt_", config.prefix));
            if number && optimizes {
                Some(TestKind::Optimization)
            } else if function.name.starts_with(&format!("{}opt_", config.prefix)) {
                return Err(TargetError::NotANumber(function.signature.clone()));
            } else if mode == TestMode::Optimization {
                None
            } else if function.name.starts_with(&format!("{}revert_", config.prefix)) {
                Some(TestKind::MustRevert)
            } else if boolean {
                Some(TestKind::Property)
            } else {
                return Err(TargetError::NotABoolean(function.signature.clone()));
            }
        }
        TestMode::Assertion if !is_property => Some(TestKind::Assertion),
        TestMode::Foundry if is_asked_by_foundry(contract, function, config) => {
            Some(TestKind::Invariant)
        }
        TestMode::Foundry if is_run_by_foundry(contract, function, config) => {
            let must_fail = function.name.starts_with("testFail");
            Some(if must_fail { TestKind::FuzzTestFail } else { TestKind::FuzzTest })
        }
        _ => None,
    })
}

/// Whether a function of a contract is one that Foundry, or a prover of its tests, runs.
pub(crate) fn is_foundry_test(contract: &Contract, function: &Function, config: &Config) -> bool {
    function.name.starts_with("test")
        || is_foundry_invariant(&function.name)
        || is_proof(contract, function, config)
}

fn is_foundry_invariant(name: &str) -> bool {
    name.starts_with("invariant") || name.starts_with("statefulFuzz")
}

/// Provers run `check*` and `prove*`. Many a plain function is called that, so it must be sure that the
/// contract is a test.
fn is_proof(contract: &Contract, function: &Function, config: &Config) -> bool {
    let named = function.name.starts_with("check") || function.name.starts_with("prove");
    named && (config.test_mode == TestMode::Foundry || contract.function("IS_TEST()").is_some())
}

/// An invariant, and a proof without parameters, must hold after every call.
fn is_asked_by_foundry(contract: &Contract, function: &Function, config: &Config) -> bool {
    function.inputs.is_empty()
        && (is_foundry_invariant(&function.name) || is_proof(contract, function, config))
}

/// A test with parameters is fuzzed; one without is called as it is. A proof with parameters is
/// such a test too.
pub(crate) fn is_run_by_foundry(contract: &Contract, function: &Function, config: &Config) -> bool {
    function.name.starts_with("test")
        || is_proof(contract, function, config) && !function.inputs.is_empty()
}

/// Asks a test by calling its function. The effects of the call are undone.
pub(crate) fn ask(machine: &mut Machine, test: &Test, sender: Address, gas: u64) -> Verdict {
    let mark = machine.mark();
    let message = Message {
        from: sender,
        to: test.address,
        value: U256::ZERO,
        data: test.call.clone(),
        gas,
        gas_price: 0,
    };
    let outcome = match &test.added {
        None => machine.call(&message),
        Some(added) => machine.call_with_code(&message, &added.code),
    };
    let cheats = &machine.probe().cheats;
    let failed = cheats.failed || cheats.failed_now;
    machine.rewind_call(&mark);
    match test.kind {
        TestKind::MustRevert if outcome.is_success() => Verdict::Fails,
        TestKind::MustRevert => Verdict::Holds,
        TestKind::Optimization => match outcome.output.first_chunk::<32>() {
            Some(word) if outcome.is_success() => Verdict::Value(I256::from_be_bytes(*word)),
            _ => Verdict::Holds,
        },
        TestKind::Invariant if outcome.is_success() && !failed => Verdict::Holds,
        TestKind::Property if returns_true(&outcome) => Verdict::Holds,
        _ => Verdict::Fails,
    }
}

fn returns_true(outcome: &Outcome) -> bool {
    let value = decode(&[AbiType::Bool], &outcome.output);
    outcome.is_success()
        && matches!(value.as_deref(), Some([Value::Word(word)]) if *word == U256::from(1))
}

/// Judges a test by the transaction that just ran; `called` is the selector and the address.
pub(crate) fn judge(
    machine: &Machine,
    test: &Test,
    called: ([u8; 4], Address),
    outcome: &Outcome,
) -> Verdict {
    let probe = machine.probe();
    let is_own = called == test.place();
    let failed = match test.kind {
        TestKind::Assertion => is_own && assertion_failed(machine, outcome),
        TestKind::AssertionEvents => probe.assertion_event,
        TestKind::Overflow => probe.overflow_panic,
        TestKind::Destruction => outcome.is_success() && probe.destroyed.contains(&test.address),
        TestKind::AnyDestruction => outcome.is_success() && !probe.destroyed.is_empty(),
        TestKind::FuzzTest => {
            is_own
                && !is_assumption(machine, outcome)
                && (!outcome.is_success() || probe.cheats.failed_now)
        }
        TestKind::FuzzTestFail => {
            let failed = !outcome.is_success() || probe.cheats.failed_now;
            is_own && !is_assumption(machine, outcome) && !failed
        }
        _ => false,
    };
    if failed { Verdict::Fails } else { Verdict::Holds }
}

/// `vm.assume(false)`, or a revert with the words that it leaves in other tools: the call does not count.
fn is_assumption(machine: &Machine, outcome: &Outcome) -> bool {
    machine.probe().cheats.assume_failed
        || outcome.ending == Ending::Revert
            && (*outcome.output == *ASSUMED.as_bytes()
                || revert_reason(&outcome.output, &[]) == ASSUMED)
}

fn assertion_failed(machine: &Machine, outcome: &Outcome) -> bool {
    let probe = machine.probe();
    let by_words = outcome.ending == Ending::Revert
        && revert_reason(&outcome.output, &[]).contains("assertion failed");
    probe.assertion_event
        || probe.assertion_panic
        || probe.cheats.failed_now
        || outcome.ending == Ending::Invalid
        || by_words
}
