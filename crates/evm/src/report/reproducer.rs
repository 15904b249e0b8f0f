//! A Foundry test that repeats a counterexample.

use crate::abi::encode_call;
use crate::checks::{Test, TestKind};
use crate::config::Config;
use crate::input::{Action, Transaction};
use crate::target::Target;
use revm::primitives::hex;
use std::fmt::Write as _;

/// Writes a test contract. Calls are made with raw calldata, so that every type and every reverting
/// call can be repeated exactly; a comment says what each one is.
pub fn foundry_test(
    target: &Target,
    config: &Config,
    test: &Test,
    sequence: &[Transaction],
) -> String {
    let contract = target.contract();
    let name = &contract.name;
    let (added, made) = match &test.added {
        Some(added) => (format!("{}\n", added.source), &added.contract),
        None => (String::new(), name),
    };
    let mut body = String::new();
    for (index, transaction) in sequence.iter().enumerate() {
        let last = index + 1 == sequence.len();
        write_step(&mut body, target, transaction, last && !test.kind.is_asked());
    }
    write_check(&mut body, test, config);
    let label: String =
        test.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let arguments = config.constructor_arguments.join(", ");
    let value = if config.contract_balance.is_zero() {
        String::new()
    } else {
        format!("{{value: {}}}", config.contract_balance)
    };
    let (timestamp, number) = (config.timestamp, config.block_number);
    let set_up = if target.mode == crate::config::TestMode::Foundry {
        "        target.setUp();\n"
    } else {
        ""
    };
    format!(
        "// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.8.0;

import {{Test}} from \"forge-std/Test.sol\";
import {{{name}}} from \"{file}\";

{added}contract {name}_{label}_Test is Test {{
    {made} target;

    function setUp() public {{
        vm.warp({timestamp});
        vm.roll({number});
        vm.deal({deployer}, type(uint128).max);
        vm.prank({deployer});
        target = new {made}{value}({arguments});
{set_up}    }}

    function test_{label}() public {{
        bool ok;
        bytes memory data;
{body}    }}
}}
",
        file = contract.file,
        deployer = literal(config.deployer),
    )
}

fn write_step(out: &mut String, target: &Target, transaction: &Transaction, must_succeed: bool) {
    if transaction.time_delay > 0 {
        let _ = writeln!(out, "        vm.warp(block.timestamp + {});", transaction.time_delay);
    }
    if transaction.block_delay > 0 {
        let _ = writeln!(out, "        vm.roll(block.number + {});", transaction.block_delay);
    }
    let Action::Call { function, arguments } = &transaction.action else { return };
    let callable = &target.functions[*function];
    let data = if callable.function.is_fallback() {
        Vec::new()
    } else {
        encode_call(callable.function.selector, &callable.function.inputs, arguments)
    };
    let sender = literal(transaction.sender);
    let to = if callable.address == target.address {
        "address(target)".to_owned()
    } else {
        literal(callable.address)
    };
    let _ = writeln!(out, "        // {}", transaction.render(&target.functions));
    if !transaction.value.is_zero() {
        let _ = writeln!(out, "        vm.deal({sender}, {});", transaction.value);
    }
    let value = if transaction.value.is_zero() {
        String::new()
    } else {
        format!("{{value: {}}}", transaction.value)
    };
    let _ = writeln!(out, "        vm.prank({sender});");
    let _ = writeln!(out, "        (ok, data) = {to}.call{value}(hex\"{}\");", hex::encode(data));
    if must_succeed {
        let _ = writeln!(out, "        assertTrue(ok, \"the call failed\");");
    }
}

fn write_check(out: &mut String, test: &Test, config: &Config) {
    if !test.kind.is_asked() {
        return;
    }
    let sender = literal(config.property_sender);
    let _ = writeln!(out, "        vm.prank({sender});");
    let call = hex::encode(&test.call);
    let _ = writeln!(out, "        (ok, data) = address(target).call(hex\"{call}\");");
    let check = match test.kind {
        TestKind::MustRevert => "assertFalse(ok, \"it must revert\");",
        TestKind::Invariant => "assertTrue(ok, \"the invariant reverted\");",
        TestKind::Optimization => "emit log_named_int(\"value\", abi.decode(data, (int256)));",
        _ => "assertTrue(ok && abi.decode(data, (bool)), \"the property is false\");",
    };
    let _ = writeln!(out, "        {check}");
}

/// Solidity wants the checksum in address literals.
fn literal(address: revm::primitives::Address) -> String {
    address.to_checksum(None)
}
