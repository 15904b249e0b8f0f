//! The readers of text from outside, each with what must hold whatever it is given: nothing panics, and what
//! was read survives writing and reading. The property tests and the fuzz targets share them.

use proofstone_evm::Address;
use proofstone_evm::abi::{AbiType, Function, Mutability, parse_call};
use proofstone_evm::artifact::{Artifacts, read_artifact};
use proofstone_evm::campaign::disk;
use proofstone_evm::config::Config;
use proofstone_evm::settings::read_echidna_yaml;
use proofstone_evm::target::Callable;
use std::path::Path;

/// Functions with parameters of every shape.
fn functions() -> Vec<Function> {
    let shapes = [
        ("f", "uint256,string,bytes"),
        ("f", "int8,bool,address,bytes4"),
        ("g", "(address,uint96)[],string[2]"),
        ("h", "uint8[2][],(int256,(bytes32,bool[]))"),
        ("stop", ""),
    ];
    let function = |(name, types): (&str, &str)| {
        let inputs = match AbiType::parse(&format!("({types})")) {
            Ok(AbiType::Tuple(types)) => types,
            _ => Vec::new(),
        };
        Function {
            name: name.to_owned(),
            signature: format!("{name}({types})"),
            selector: [name.len() as u8, types.len() as u8, 1, 2],
            input_names: vec![String::new(); inputs.len()],
            inputs,
            outputs: Vec::new(),
            mutability: Mutability::Payable,
        }
    };
    shapes.map(function).into()
}

/// A call is read or refused; what it refuses, it quotes.
pub(crate) fn call(text: &str) {
    let functions = functions();
    match parse_call(text, &functions) {
        Ok(call) => assert_eq!(call.arguments.len(), functions[call.function].inputs.len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A sequence of the corpus is read or refused; what was read survives.
pub(crate) fn corpus(text: &str) {
    let Ok(json) = serde_json::from_str(text) else { return };
    let callables: Vec<Callable> = functions()
        .into_iter()
        .enumerate()
        .map(|(index, function)| Callable {
            contract: 0,
            contract_name: "C".to_owned(),
            address: Address::with_last_byte(1),
            created: index == 3,
            alone: false,
            function,
        })
        .collect();
    if let Ok(sequence) = disk::from_json(&json, &callables) {
        let written = disk::to_json(&sequence, &callables);
        assert_eq!(disk::from_json(&written, &callables).as_ref(), Ok(&sequence), "{written}");
    }
}

/// Settings are read or refused.
pub(crate) fn settings(text: &str) {
    let mut config = Config::default();
    if read_echidna_yaml(text, &mut config).is_ok() {
        assert!(config.sequence_length >= 1);
        assert!((0.0..=1.0).contains(&config.dictionary_share));
    }
}

/// An artifact is read or refused; what was read can be looked at.
pub(crate) fn artifact(text: &str) {
    let Ok(json) = serde_json::from_str(text) else { return };
    let mut artifacts = Artifacts::default();
    if read_artifact(&json, Path::new("out/A.sol/A.json"), &mut artifacts).is_ok() {
        for contract in &artifacts.contracts {
            let _ = (contract.qualified_name(), contract.is_deployable());
            let _ = (contract.runtime.with_holes(), contract.creation.libraries());
        }
    }
}
