//! What a compiler left behind: contracts with ABI and bytecode, sources with their syntax trees.
//!
//! Every build layout is read into the same [`Artifacts`]. Nothing here runs code; the compiler is
//! asked only through [`compile`], and only when the target is Solidity source.

mod build;
mod code;
mod combined;
mod compile;
mod import;
mod layout;
mod locate;
mod read;

pub use build::Build;
pub(crate) use code::placeholder;
pub use code::{LinkError, UnlinkedCode};
pub(crate) use compile::compile_beside;
pub use compile::{CompileError, Compiler, find_compilers};
pub use layout::{StorageLayout, StorageVariable};
pub use locate::{LoadError, Located, load, load_with};
pub use read::{ArtifactError, read_artifact, read_artifact_file, read_standard_json};

use crate::abi::{AbiType, Function, Mutability, function_of};
use alloy_json_abi::JsonAbi;
use serde_json::Value as Json;
use std::path::PathBuf;

/// A compiled project.
#[derive(Clone, Debug, Default)]
pub struct Artifacts {
    /// Every contract, library and interface found.
    pub contracts: Vec<Contract>,
    /// Source files; a source map's file number is [`Source::id`].
    pub sources: Vec<Source>,
    /// The compiler, when it was asked here.
    pub compiler: Option<Compiler>,
    /// What it was asked for.
    pub build: Build,
    /// What could not be read or is missing, in sentences for the user.
    pub warnings: Vec<String>,
}

/// One compiled contract.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The contract's name.
    pub name: String,
    /// The path of its source file as the compiler knows it.
    pub file: String,
    /// The whole ABI.
    pub abi: JsonAbi,
    /// The functions of the ABI, with `receive`/`fallback` as a function without a name.
    pub functions: Vec<Function>,
    /// Creation code.
    pub creation: UnlinkedCode,
    /// Runtime code.
    pub runtime: UnlinkedCode,
    /// Source map of the creation code, as solc writes it.
    pub creation_map: Option<String>,
    /// Source map of the runtime code, as solc writes it.
    pub runtime_map: Option<String>,
    /// Places of immutables in the runtime code.
    pub immutables: Vec<Immutable>,
    /// The storage layout, when the compiler was asked for it.
    pub storage: Option<StorageLayout>,
}

/// A place in runtime code that the constructor writes a value into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Immutable {
    /// The number of the variable's declaration, which only this compilation knows.
    pub variable: u64,
    /// Where the value begins.
    pub start: usize,
    /// How many bytes it has.
    pub length: usize,
}

/// One source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The number source maps use.
    pub id: i64,
    /// The path as the compiler knows it.
    pub path: String,
    /// Where the file lies, when it was found.
    pub on_disk: Option<PathBuf>,
    /// The text, when it was found.
    pub text: Option<String>,
    /// The syntax tree, when the compiler was asked for it.
    pub ast: Option<Json>,
}

impl Contract {
    /// Whether the contract has code of its own (interfaces and abstract contracts have none).
    pub fn is_deployable(&self) -> bool {
        !self.creation.is_empty()
    }

    /// `file:Name`, which tells apart contracts of the same name.
    pub fn qualified_name(&self) -> String {
        format!("{}:{}", self.file, self.name)
    }

    /// The function with this canonical signature.
    pub fn function(&self, signature: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.signature == signature)
    }
}

/// Reads the functions of an ABI. A parameter type that the ABI standard does not know (a library's
/// storage reference) makes the function uncallable from outside, so it is left out.
pub(crate) fn functions_of(abi: &JsonAbi) -> Vec<Function> {
    let mut functions: Vec<_> = abi.functions().filter_map(|f| function_of(f).ok()).collect();
    let payable_fallback = abi
        .fallback
        .as_ref()
        .map(|f| f.state_mutability == alloy_json_abi::StateMutability::Payable);
    if abi.receive.is_some() || payable_fallback.is_some() {
        let payable = abi.receive.is_some() || payable_fallback == Some(true);
        functions.push(nameless("()", Vec::new(), payable));
    }
    if let Some(payable) = payable_fallback {
        functions.push(nameless("(bytes)", vec![AbiType::Bytes], payable));
    }
    functions
}

/// A call that is no function's: without data it is for `receive` (or `fallback`), with data for
/// `fallback`.
fn nameless(signature: &str, inputs: Vec<AbiType>, payable: bool) -> Function {
    Function {
        name: String::new(),
        signature: signature.to_owned(),
        selector: [0; 4],
        input_names: vec![String::new(); inputs.len()],
        inputs,
        outputs: Vec::new(),
        mutability: if payable { Mutability::Payable } else { Mutability::NonPayable },
    }
}
