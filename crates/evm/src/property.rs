//! Properties written after a target was deployed: Solidity text becomes a test.
//!
//! The text goes into a contract that inherits from the target, so it sees everything that is not
//! private. That contract is never deployed: its code runs in the target's place, on the target's
//! storage, each time the property is asked.

use crate::abi::{AbiType, Function};
use crate::artifact::{Artifacts, CompileError, Contract, LinkError, compile_beside, placeholder};
use crate::checks::{Added, Test, TestKind};
use crate::config::Config;
use crate::target::Target;
use revm::bytecode::Bytecode;
use revm::primitives::Bytes;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use thiserror::Error;

/// The inheriting contract's name.
const CONTRACT: &str = "ProofstoneProperty";
/// Its file, as the compiler knows it.
const FILE: &str = "ProofstoneProperty.sol";

/// A property could not be made of a text.
#[derive(Debug, Error)]
pub enum PropertyError {
    /// The text is neither an expression nor a function.
    #[error("{0}")]
    Text(String),
    /// The compiler is missing, or refused; then these are its own words.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The function does not have a property's shape.
    #[error(
        "`{signature}` can't be a property: it must take nothing and return bool (must be true), int256 (to be made large) or nothing (must not revert)"
    )]
    Shape {
        /// The function.
        signature: String,
    },
    /// A library is not there.
    #[error("the property can't be linked: {0}")]
    Link(#[from] LinkError),
    /// Immutables can't be told apart.
    #[error(
        "the property reads immutable variables, and their values can't be found in the deployed code; ask through a getter with this.name() instead"
    )]
    Immutables,
}

/// Compiles an expression or a function into a test of a deployed target.
pub fn compile_property(
    target: &Target,
    config: &Config,
    text: &str,
    name: &str,
    solc: Option<&Path>,
    cache: Option<&Path>,
) -> Result<Test, PropertyError> {
    let body = Body::read(text, name)?;
    let contract = target.contract();
    let source = |public: &str| body.contract(contract, public);
    let file = |text: &str| {
        format!("// SPDX-License-Identifier: UNLICENSED\nimport \"{}\";\n\n{text}", contract.file)
    };
    // Before 0.7 a constructor must say that it is public; since then it may not.
    let compile = |text: &str| {
        compile_beside(&target.artifacts, &contract.file, (FILE, &file(text)), solc, cache)
    };
    let (text, artifacts) = match compile(&source("")) {
        Err(CompileError::Refused(said)) if said.contains("No visibility specified") => {
            (source("public "), compile(&source("public "))?)
        }
        answer => (source(""), answer?),
    };
    let made = find(&artifacts, FILE, CONTRACT)?;
    let function = made.functions.iter().find(|f| f.name == body.name && f.inputs.is_empty());
    let function = function.ok_or_else(|| body.misshapen(made))?;
    let code = runtime_code(target, &artifacts, made)?;
    Ok(Test {
        name: body.name.clone(),
        kind: kind_of(function, &config.prefix)?,
        address: target.address,
        selector: function.selector,
        call: Bytes::copy_from_slice(&function.selector),
        added: Some(Added {
            contract: CONTRACT.to_owned(),
            source: text,
            code: Bytecode::new_legacy(code),
        }),
    })
}

/// What was written, as a function.
struct Body {
    name: String,
    text: String,
}

impl Body {
    fn read(text: &str, name: &str) -> Result<Self, PropertyError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PropertyError::Text("the property is empty".to_owned()));
        }
        let Some(rest) = text.strip_prefix("function").filter(|r| r.starts_with([' ', '\t', '\n']))
        else {
            if !is_identifier(name) {
                let said = format!("`{name}` is no name of a function: letters, digits and _");
                return Err(PropertyError::Text(said));
            }
            let expression = text.trim_end_matches(';');
            let text = format!(
                "function {name}() public returns (bool) {{\n        return {expression};\n    }}"
            );
            return Ok(Self { name: name.to_owned(), text });
        };
        let name = rest.trim_start().split('(').next().unwrap_or_default().trim();
        if !is_identifier(name) {
            return Err(PropertyError::Text(format!("the function has no name: `{text}`")));
        }
        Ok(Self { name: name.to_owned(), text: text.to_owned() })
    }

    /// The contract that inherits from the target; its constructor passes on what the target's takes.
    fn contract(&self, target: &Contract, public: &str) -> String {
        let params =
            target.abi.constructor.as_ref().map(|c| c.inputs.as_slice()).unwrap_or_default();
        let mut declared = String::new();
        let mut passed = String::new();
        for (index, param) in params.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let _ = write!(declared, "{comma}{} a{index}", declaration(param));
            let _ = write!(passed, "{comma}a{index}");
        }
        let base = &target.name;
        format!(
            "contract {CONTRACT} is {base} {{\n    constructor({declared}) {public}payable {base}({passed}) {{}}\n\n    {}\n}}\n",
            self.text
        )
    }

    fn misshapen(&self, made: &Contract) -> PropertyError {
        let same = made.functions.iter().find(|f| f.name == self.name);
        let signature = same.map_or_else(|| self.name.clone(), |f| f.signature.clone());
        match same {
            Some(_) => PropertyError::Shape { signature },
            None => PropertyError::Text(format!("`{signature}` must be public or external")),
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// A parameter as the source writes it: the ABI tells the type by its own name too.
fn declaration(param: &alloy_json_abi::Param) -> String {
    let inner = param.internal_type.as_ref().map(ToString::to_string);
    let named = inner.unwrap_or_else(|| param.ty.clone());
    let words = ["struct ", "enum ", "contract "];
    let bare = words.iter().find_map(|word| named.strip_prefix(word)).unwrap_or(&named).to_owned();
    let in_memory = param.ty.ends_with(']')
        || param.ty.starts_with("tuple")
        || param.ty == "string"
        || param.ty == "bytes";
    if in_memory { format!("{bare} memory") } else { bare }
}

fn kind_of(function: &Function, prefix: &str) -> Result<TestKind, PropertyError> {
    let must_revert = function.name.starts_with(&format!("{prefix}revert_"));
    match function.outputs.as_slice() {
        [AbiType::Bool] if must_revert => Ok(TestKind::MustRevert),
        [AbiType::Bool] => Ok(TestKind::Property),
        [AbiType::Int(256)] => Ok(TestKind::Optimization),
        [] => Ok(TestKind::Invariant),
        _ => Err(PropertyError::Shape { signature: function.signature.clone() }),
    }
}

fn find<'a>(
    artifacts: &'a Artifacts,
    file: &str,
    name: &str,
) -> Result<&'a Contract, PropertyError> {
    let found = artifacts.contracts.iter().find(|c| c.name == name && c.file == file);
    let abstract_ = || {
        PropertyError::Text(format!(
            "the compiler made no code of the property: `{name}` in {file} is missing or abstract"
        ))
    };
    found.filter(|c| c.is_deployable()).ok_or_else(abstract_)
}

/// The code as the target would have it: linked with its libraries, with its immutables.
fn runtime_code(
    target: &Target,
    artifacts: &Artifacts,
    made: &Contract,
) -> Result<Bytes, PropertyError> {
    let by_placeholder =
        |name: &str| target.libraries.iter().find(|(known, _)| **known == placeholder(name));
    let linked = made.runtime.link(|name| {
        let known = target.libraries.get(name).copied();
        known.or_else(|| by_placeholder(name).map(|(_, address)| *address))
    })?;
    if made.immutables.is_empty() {
        return Ok(linked);
    }
    let mut code = linked.to_vec();
    let values = immutable_values(target, artifacts).ok_or(PropertyError::Immutables)?;
    for place in &made.immutables {
        let value = values.get(&place.variable).ok_or(PropertyError::Immutables)?;
        let hole = code.get_mut(place.start..place.start + place.length);
        let hole =
            hole.filter(|hole| hole.len() == value.len()).ok_or(PropertyError::Immutables)?;
        hole.copy_from_slice(value);
    }
    Ok(code.into())
}

/// The deployed values by the variables' numbers in the new compilation. Numbers change from one
/// compilation to the next, but their order is that of the declarations.
fn immutable_values<'a>(
    target: &'a Target,
    artifacts: &Artifacts,
) -> Option<BTreeMap<u64, &'a [u8]>> {
    let deployed = target.world.code(target.address)?.original_byte_slice();
    let contract = target.contract();
    let again = find(artifacts, &contract.file, &contract.name).ok()?;
    let mut old = BTreeMap::new();
    for place in &contract.immutables {
        old.insert(place.variable, deployed.get(place.start..place.start + place.length)?);
    }
    let mut new: Vec<u64> = again.immutables.iter().map(|i| i.variable).collect();
    new.sort_unstable();
    new.dedup();
    (new.len() == old.len()).then(|| new.into_iter().zip(old.into_values()).collect())
}
