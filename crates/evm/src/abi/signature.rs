//! A callable function: its name, types and what a caller may do with it.

use super::{AbiType, TypeError};
use alloy_json_abi::{Event, StateMutability};

/// What a function declares about state and ether.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutability {
    /// `pure` or `view`.
    View,
    /// Changes state, takes no ether.
    NonPayable,
    /// Takes ether.
    Payable,
}

/// A function of a contract's ABI, with its types read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The bare name.
    pub name: String,
    /// The canonical signature, such as `transfer(address,uint256)`.
    pub signature: String,
    /// The first four bytes of the signature's hash.
    pub selector: [u8; 4],
    /// Parameter types.
    pub inputs: Vec<AbiType>,
    /// Parameter names; empty where the source has none.
    pub input_names: Vec<String>,
    /// Result types.
    pub outputs: Vec<AbiType>,
    /// What the function declares.
    pub mutability: Mutability,
}

impl Function {
    /// Whether this is the pseudo-function for `receive` and `fallback`.
    pub fn is_fallback(&self) -> bool {
        self.name.is_empty()
    }
}

/// Reads a function of a JSON ABI.
pub fn function_of(function: &alloy_json_abi::Function) -> Result<Function, TypeError> {
    let types = |params: &[alloy_json_abi::Param]| {
        params.iter().map(AbiType::of_param).collect::<Result<Vec<_>, _>>()
    };
    Ok(Function {
        name: function.name.clone(),
        signature: function.signature(),
        selector: function.selector().0,
        inputs: types(&function.inputs)?,
        input_names: function.inputs.iter().map(|p| p.name.clone()).collect(),
        outputs: types(&function.outputs)?,
        mutability: match function.state_mutability {
            StateMutability::Pure | StateMutability::View => Mutability::View,
            StateMutability::NonPayable => Mutability::NonPayable,
            StateMutability::Payable => Mutability::Payable,
        },
    })
}

/// The topic of an event and, for each parameter, its type and whether it is indexed.
pub fn event_signature(event: &Event) -> Result<Vec<(AbiType, bool)>, TypeError> {
    event
        .inputs
        .iter()
        .map(|input| {
            let param = alloy_json_abi::Param {
                ty: input.ty.clone(),
                name: input.name.clone(),
                components: input.components.clone(),
                internal_type: None,
            };
            AbiType::of_param(&param).map(|kind| (kind, input.indexed))
        })
        .collect()
}
