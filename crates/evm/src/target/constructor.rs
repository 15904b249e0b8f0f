//! Arguments of the target's constructor, from text.

use super::TargetError;
use crate::abi::{AbiType, Argument, Function, Mutability, Value, encode, parse_call};
use crate::artifact::Contract;

/// The encoded arguments, to follow the creation code.
pub(crate) fn encoded_arguments(
    contract: &Contract,
    given: &[String],
) -> Result<Vec<u8>, TargetError> {
    if let Some(encoded) = already_encoded(given) {
        return Ok(encoded);
    }
    let params = contract.abi.constructor.as_ref().map(|c| c.inputs.as_slice()).unwrap_or_default();
    let types: Result<Vec<AbiType>, _> = params.iter().map(AbiType::of_param).collect();
    let types = types.unwrap_or_default();
    let expected = types.iter().map(AbiType::canonical).collect::<Vec<_>>().join(", ");
    let wrong = |problem: String| TargetError::ConstructorArguments {
        contract: contract.name.clone(),
        expected: expected.clone(),
        problem,
    };
    if types.len() != given.len() {
        let problem = if given.is_empty() {
            "give them with --constructor-args, or deploy from a wrapper contract".to_owned()
        } else {
            format!("{} given", given.len())
        };
        return Err(wrong(problem));
    }
    let values = read(&types, given, &expected).map_err(wrong)?;
    let mut encoded = Vec::new();
    encode(&types, &values, &mut encoded);
    Ok(encoded)
}

/// Raw ABI encoding, as `cryticArgs` pass it, is taken as it is.
fn already_encoded(given: &[String]) -> Option<Vec<u8>> {
    let [only] = given else { return None };
    let raw = only.strip_prefix("0x").filter(|raw| raw.len() % 64 == 0)?;
    revm::primitives::hex::decode(raw).ok()
}

fn read(types: &[AbiType], given: &[String], expected: &str) -> Result<Vec<Value>, String> {
    let constructor = Function {
        name: "constructor".to_owned(),
        signature: format!("constructor({expected})"),
        selector: [0; 4],
        input_names: Vec::new(),
        inputs: types.to_vec(),
        outputs: Vec::new(),
        mutability: Mutability::NonPayable,
    };
    let call = parse_call(&format!("constructor({})", given.join(",")), &[constructor]);
    let arguments = call.map_err(|e| e.to_string())?.arguments.into_iter();
    let values = arguments.zip(types).map(|(argument, kind)| match argument {
        Argument::Is(value) => value,
        Argument::Any => kind.zero(),
    });
    Ok(values.collect())
}
