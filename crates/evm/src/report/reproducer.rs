//! A Foundry test that repeats a counterexample.
//!
//! It needs nothing but the target: no library of tests, no helper. Every contract is put where the
//! campaign had it, so that addresses, and those of contracts that these create, are the same.

use crate::checks::{Test, TestKind};
use crate::config::{Config, TestMode};
use crate::input::{Action, Transaction, calldata};
use crate::target::{FOUNDRY_BALANCE, Target, encoded_arguments};
use crate::vm::{Settings, intrinsic_gas};
use revm::primitives::{Address, U256, hex};
use std::fmt::Write as _;

/// Writes a test contract that fails as long as the fault is there. Calls are made with raw calldata,
/// so that every type and every reverting call can be repeated exactly; a comment says what each is.
pub fn foundry_test(
    target: &Target,
    config: &Config,
    test: &Test,
    sequence: &[Transaction],
) -> String {
    let contract = target.contract();
    let label: String =
        test.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let label = label.trim_matches('_');
    let added = test.added.as_ref().map_or_else(String::new, |added| format!("{}\n", added.source));
    let mut steps = String::new();
    for (index, transaction) in sequence.iter().enumerate() {
        let decides = index + 1 == sequence.len() && !test.kind.is_asked();
        write_step(&mut steps, target, config, transaction, decides.then_some(test.kind));
    }
    write_question(&mut steps, target, test, config);
    format!(
        "// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;

{imports}
{INTERFACE}
{added}/// Run with `forge test`: it fails as long as the fault is there.
contract {name}_{label}_Test {{
    ProofstoneVm constant vm = ProofstoneVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address constant DEPLOYER = {deployer};
    address constant TARGET = {address};
    event Value(int256 value);

    function setUp() public {{
{set_up}    }}

    /// Runs a constructor at an address of our choice.
    function place(address at, bytes memory code, uint256 value) internal {{
        vm.etch(at, code);
        vm.setNonce(at, 1);
        vm.deal(DEPLOYER, DEPLOYER.balance + value);
        vm.prank(DEPLOYER, DEPLOYER);
        (bool ok, bytes memory runtime) = at.call{{value: value}}(\"\");
        require(ok, \"the constructor failed\");
        vm.etch(at, runtime);
    }}
{ASSERTION_EVENT}
    function test_{label}() public {{
        bool ok;
        bytes memory data;
{steps}        (ok, data);
    }}
}}
",
        imports = imports(target, config),
        name = contract.name,
        deployer = literal(config.deployer),
        address = literal(target.address),
        set_up = set_up(target, config, test),
    )
}

const INTERFACE: &str = "interface ProofstoneVm {
    struct Log { bytes32[] topics; bytes data; address emitter; }
    function chainId(uint256) external;
    function warp(uint256) external;
    function roll(uint256) external;
    function txGasPrice(uint256) external;
    function deal(address, uint256) external;
    function etch(address, bytes calldata) external;
    function setNonce(address, uint64) external;
    function prank(address, address) external;
    function load(address, bytes32) external returns (bytes32);
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
}
";

const ASSERTION_EVENT: &str = "
    /// Whether an event said that an assertion failed.
    function assertionFailed(bytes32[] memory topics) internal returns (bool) {
        ProofstoneVm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++)
            for (uint256 j = 0; j < topics.length; j++)
                if (logs[i].topics.length > 0 && logs[i].topics[0] == topics[j]) return true;
        return false;
    }
";

/// Only the contracts that are named: two files may declare the same one.
fn imports(target: &Target, config: &Config) -> String {
    let contract = target.contract();
    let mut lines = vec![format!("import {{{}}} from \"{}\";\n", contract.name, contract.file)];
    for (_, name) in &config.deploy_contracts {
        let other = target.artifacts.contracts.iter().find(|c| is_named(c, name));
        let line =
            other.map(|other| format!("import {{{}}} from \"{}\";\n", other.name, other.file));
        lines.extend(line.filter(|line| !lines.contains(line)));
    }
    lines.concat()
}

fn is_named(contract: &crate::artifact::Contract, name: &str) -> bool {
    contract.name == name || contract.qualified_name() == name
}

fn set_up(target: &Target, config: &Config, test: &Test) -> String {
    let contract = target.contract();
    let Settings { chain_id, timestamp, block_number, .. } = &target.settings;
    let mut out = String::new();
    let _ = writeln!(out, "        vm.chainId({chain_id});");
    let _ = writeln!(out, "        vm.warp({timestamp});\n        vm.roll({block_number});");
    let mut rich = config.senders.clone();
    rich.extend([config.deployer, config.property_sender]);
    rich.sort();
    rich.dedup();
    for account in rich {
        let _ = writeln!(out, "        vm.deal({}, {});", literal(account), config.sender_balance);
    }
    if target.mode == TestMode::Foundry {
        let _ = writeln!(out, "        vm.deal(TARGET, {FOUNDRY_BALANCE});");
    }
    for (address, name) in &config.deploy_contracts {
        let name = name.rsplit(':').next().unwrap_or(name);
        let _ =
            writeln!(out, "        place({}, type({name}).creationCode, 0);", literal(*address));
    }
    for (address, code) in &config.deploy_bytecodes {
        let code = code.trim().trim_start_matches("0x");
        let _ = writeln!(out, "        place({}, hex\"{code}\", 0);", literal(*address));
    }
    let made = test.added.as_ref().map_or(&contract.name, |added| &added.contract);
    // They were read once already, when the target was deployed.
    let arguments = encoded_arguments(contract, &config.constructor_arguments).unwrap_or_default();
    let _ = writeln!(
        out,
        "        place(TARGET, abi.encodePacked(type({made}).creationCode, hex\"{}\"), {});",
        hex::encode(arguments),
        config.contract_balance
    );
    if let Some(set_up) = contract.function("setUp()").filter(|_| is_set_up(target)) {
        let call = hex::encode(set_up.selector);
        let _ = writeln!(out, "        vm.prank(DEPLOYER, DEPLOYER);");
        let _ = writeln!(out, "        (bool ok, ) = TARGET.call(hex\"{call}\");");
        let _ = writeln!(out, "        require(ok, \"setUp() failed\");");
    }
    out
}

/// As at the deployment: Foundry's tests, and contracts that say they are tests.
fn is_set_up(target: &Target) -> bool {
    target.mode == TestMode::Foundry || target.contract().function("IS_TEST()").is_some()
}

fn write_step(
    out: &mut String,
    target: &Target,
    config: &Config,
    transaction: &Transaction,
    decides: Option<TestKind>,
) {
    if transaction.time_delay > 0 {
        let _ = writeln!(out, "        vm.warp(block.timestamp + {});", transaction.time_delay);
    }
    if transaction.block_delay > 0 {
        let _ = writeln!(out, "        vm.roll(block.number + {});", transaction.block_delay);
    }
    let Action::Call { function, arguments } = &transaction.action else { return };
    let callable = &target.functions[*function];
    let data = calldata(&callable.function, arguments);
    let sender = literal(transaction.sender);
    let to = match transaction.to.unwrap_or(callable.address) {
        address if address == target.address => "TARGET".to_owned(),
        address => literal(address),
    };
    // A text in the call may hold line ends, which would end the comment.
    let call = transaction.render(&target.functions).replace(['\n', '\r'], " ");
    let _ = writeln!(out, "        // {call}");
    if decides.is_some() {
        let _ = writeln!(out, "        vm.recordLogs();");
    }
    if transaction.gas_price > 0 {
        let _ = writeln!(out, "        vm.txGasPrice({});", transaction.gas_price);
    }
    let value = transaction.value;
    if !value.is_zero() {
        let _ = writeln!(out, "        vm.deal({sender}, {sender}.balance + {value});");
    }
    let gas = config.transaction_gas.saturating_sub(intrinsic_gas(&data));
    write_call(out, &sender, &to, value, gas, &data);
    if let Some(kind) = decides {
        let _ = writeln!(out, "        {}", verdict(kind, target));
    }
}

fn write_call(out: &mut String, sender: &str, to: &str, value: U256, gas: u64, data: &[u8]) {
    let data = hex::encode(data);
    let _ = writeln!(out, "        vm.prank({sender}, {sender});");
    let _ = writeln!(
        out,
        "        (ok, data) = {to}.call{{gas: {gas}, value: {value}}}(hex\"{data}\");"
    );
}

/// What must hold after the last call, if that call decides.
fn verdict(kind: TestKind, target: &Target) -> String {
    match kind {
        TestKind::FuzzTestFail => "require(!ok, \"the test did not fail\");".to_owned(),
        TestKind::FuzzTest => {
            "require(ok && vm.load(address(vm), \"failed\") == 0, \"the test failed\");".to_owned()
        }
        TestKind::AssertionEvents => format!("{}{}", topics(target), NO_EVENT),
        TestKind::Assertion => {
            format!("require(ok, \"the assertion failed\");\n        {}{NO_EVENT}", topics(target))
        }
        // Code stays where it is until the transaction ends, so a test can't see that it went.
        TestKind::Destruction | TestKind::AnyDestruction => {
            "require(!ok, \"the call that destroyed a contract got through\");".to_owned()
        }
        _ => "require(ok, \"the call failed\");".to_owned(),
    }
}

const NO_EVENT: &str =
    "require(!assertionFailed(topics), \"an AssertionFailed event was emitted\");";

fn topics(target: &Target) -> String {
    let topics = &target.settings.assertion_topics;
    let mut out = format!("bytes32[] memory topics = new bytes32[]({});\n", topics.len());
    for (index, topic) in topics.iter().enumerate() {
        let _ = writeln!(out, "        topics[{index}] = {topic};");
    }
    out + "        "
}

fn write_question(out: &mut String, target: &Target, test: &Test, config: &Config) {
    if !test.kind.is_asked() {
        return;
    }
    let sender = literal(config.property_sender);
    let gas = config.property_gas.saturating_sub(intrinsic_gas(&test.call));
    let to = if test.address == target.address { "TARGET" } else { &literal(test.address) };
    let _ = writeln!(out, "        // {}()", test.name);
    write_call(out, &sender, to, U256::ZERO, gas, &test.call);
    let check = match test.kind {
        TestKind::MustRevert => "require(!ok, \"it must revert\");",
        TestKind::Invariant => {
            "require(ok && vm.load(address(vm), \"failed\") == 0, \"the invariant does not hold\");"
        }
        TestKind::Optimization => "emit Value(abi.decode(data, (int256)));",
        _ => "require(ok && abi.decode(data, (bool)), \"the property is false\");",
    };
    let _ = writeln!(out, "        {check}");
}

/// Solidity wants the checksum in address literals.
fn literal(address: Address) -> String {
    address.to_checksum(None)
}
