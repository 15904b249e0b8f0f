//! The corpus on disk, in Echidna's format: one JSON array of transactions per file.
//!
//! `coverage/` holds what reached something new, `reproducers/` what falsified a test. A file that
//! cannot be used is left where it is and reported.

use super::corpus::Entry;
use crate::abi::{AbiType, Function, Value, fits, parse_value, render};
use crate::input::{Action, Sequence, Transaction, calldata};
use crate::target::{Callable, Target};
use revm::primitives::{Address, U256, hex, keccak256};
use serde_json::{Value as Json, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Sequences read from a folder and sentences about the files that could not be used.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Sequences in the order of their file names.
    pub sequences: Vec<Sequence>,
    /// What was wrong with which file.
    pub warnings: Vec<String>,
}

/// Reads a corpus folder.
pub fn load(folder: &Path, target: &Target) -> Loaded {
    let mut loaded = Loaded::default();
    for part in ["coverage", "reproducers", "."] {
        for file in files_in(&folder.join(part)) {
            match read_file(&file, &target.functions) {
                Ok(sequence) if sequence.is_empty() => {}
                Ok(sequence) => loaded.sequences.push(sequence),
                Err(problem) => loaded
                    .warnings
                    .push(format!("corpus file {} skipped: {problem}", file.display())),
            }
        }
    }
    loaded
}

/// Writes a sequence into a part of the corpus folder; the name is the hash of what is written, so
/// the same sequence is kept once.
pub fn save(
    folder: &Path,
    part: &str,
    sequence: &[Transaction],
    functions: &[Callable],
) -> std::io::Result<PathBuf> {
    let text = to_json(sequence, functions).to_string();
    let name = hex::encode(&keccak256(text.as_bytes())[..8]);
    let path = folder.join(part).join(format!("{name}.txt"));
    std::fs::create_dir_all(folder.join(part))?;
    if path.exists() {
        return Ok(path);
    }
    // A file that is half-written when the power fails must not be taken for a sequence.
    let partial = path.with_extension("part");
    let mut file = std::fs::File::create(&partial)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&partial, &path)?;
    Ok(path)
}

/// Writes every entry of a corpus.
pub fn save_all<'a>(
    folder: &Path,
    entries: impl Iterator<Item = &'a Entry>,
    functions: &[Callable],
) -> std::io::Result<usize> {
    let mut count = 0;
    for entry in entries {
        save(folder, "coverage", &entry.sequence, functions)?;
        count += 1;
    }
    Ok(count)
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|e| e.path())
        .filter(|p| p.is_file() && p.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    files
}

fn read_file(path: &Path, functions: &[Callable]) -> Result<Sequence, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let json: Json = serde_json::from_str(&text).map_err(|e| format!("not JSON: {e}"))?;
    from_json(&json, functions)
}

/// Echidna's JSON of a sequence.
pub fn to_json(sequence: &[Transaction], functions: &[Callable]) -> Json {
    Json::Array(sequence.iter().map(|t| transaction_json(t, functions)).collect())
}

fn transaction_json(transaction: &Transaction, functions: &[Callable]) -> Json {
    let callable = transaction.function().and_then(|f| functions.get(f));
    let call = match (&transaction.action, callable) {
        (Action::Call { arguments, .. }, Some(callable))
            if callable.function.is_fallback() && !arguments.is_empty() =>
        {
            let data = calldata(&callable.function, arguments);
            json!({ "tag": "SolCalldata", "contents": hex::encode_prefixed(data) })
        }
        (Action::Call { arguments, .. }, Some(callable)) => {
            let inputs = &callable.function.inputs;
            let values: Vec<Json> =
                inputs.iter().zip(arguments).map(|(kind, value)| value_json(kind, value)).collect();
            json!({ "tag": "SolCall", "contents": [callable.function.name, values] })
        }
        _ => json!({ "tag": "NoCall" }),
    };
    let word = |value: U256| format!("{value:#x}");
    json!({
        "call": call,
        "src": format!("{:#x}", transaction.sender),
        "dst": format!("{:#x}", transaction.to.or(callable.map(|c| c.address)).unwrap_or_default()),
        "gas": 12_500_000,
        "gasprice": word(U256::from(transaction.gas_price)),
        "value": word(transaction.value),
        "delay": [word(U256::from(transaction.time_delay)), word(U256::from(transaction.block_delay))],
    })
}

fn value_json(kind: &AbiType, value: &Value) -> Json {
    match (kind, value) {
        (AbiType::Uint(bits), Value::Word(_)) => {
            json!({ "tag": "AbiUInt", "contents": [bits, render(kind, value)] })
        }
        (AbiType::Int(bits), Value::Word(_)) => {
            json!({ "tag": "AbiInt", "contents": [bits, render(kind, value)] })
        }
        (AbiType::Bool, Value::Word(word)) => {
            json!({ "tag": "AbiBool", "contents": !word.is_zero() })
        }
        (AbiType::Address, Value::Word(word)) => {
            let address = Address::from_word((*word).into());
            json!({ "tag": "AbiAddress", "contents": format!("{address:#x}") })
        }
        (AbiType::FixedBytes(size), Value::Word(_)) => {
            json!({ "tag": "AbiBytes", "contents": [size, render(kind, value)] })
        }
        (AbiType::Bytes, Value::Bytes(bytes)) => {
            json!({ "tag": "AbiBytesDynamic", "contents": hex::encode_prefixed(bytes) })
        }
        (AbiType::String, Value::Bytes(bytes)) => {
            json!({ "tag": "AbiString", "contents": hex::encode_prefixed(bytes) })
        }
        (AbiType::Array(inner), Value::List(items)) => {
            let items: Vec<Json> = items.iter().map(|v| value_json(inner, v)).collect();
            json!({ "tag": "AbiArrayDynamic", "contents": [inner.canonical(), items] })
        }
        (AbiType::FixedArray(inner, size), Value::List(items)) => {
            let items: Vec<Json> = items.iter().map(|v| value_json(inner, v)).collect();
            json!({ "tag": "AbiArray", "contents": [size, inner.canonical(), items] })
        }
        (AbiType::Tuple(members), Value::List(items)) => {
            let items: Vec<Json> =
                members.iter().zip(items).map(|(k, v)| value_json(k, v)).collect();
            json!({ "tag": "AbiTuple", "contents": items })
        }
        _ => Json::Null,
    }
}

/// Reads Echidna's JSON of a sequence, typed by the target's functions.
pub fn from_json(json: &Json, functions: &[Callable]) -> Result<Sequence, String> {
    let items = json.as_array().ok_or("expected an array of transactions")?;
    items.iter().map(|item| transaction_from(item, functions)).collect()
}

fn transaction_from(json: &Json, functions: &[Callable]) -> Result<Transaction, String> {
    let call = &json["call"];
    let action = match call["tag"].as_str() {
        Some("NoCall") => Action::Wait,
        Some("SolCall") => call_from(&call["contents"], &json["dst"], functions)?,
        Some("SolCalldata") => calldata_from(&call["contents"], functions)?,
        Some(other) => return Err(format!("calls of the kind {other} are not supported")),
        None => return Err("a transaction has no `call`".to_owned()),
    };
    let delay = |index: usize| Ok::<u64, String>(number(&json["delay"][index])?.saturating_to());
    let created = |function: usize| functions[function].created;
    let to = match &action {
        Action::Call { function, .. } if created(*function) => {
            Some(Address::from_word(number(&json["dst"])?.into()))
        }
        _ => None,
    };
    Ok(Transaction {
        action,
        to,
        sender: Address::from_word(number(&json["src"])?.into()),
        value: number(&json["value"])?,
        gas_price: number(&json["gasprice"])?.saturating_to(),
        time_delay: delay(0)?,
        block_delay: delay(1)?,
    })
}

fn call_from(contents: &Json, dst: &Json, functions: &[Callable]) -> Result<Action, String> {
    let name = contents[0].as_str().ok_or("a call has no name")?;
    let values = contents[1].as_array().ok_or("a call has no arguments")?;
    let at = number(dst).ok().map(|d| Address::from_word(d.into()));
    let mut fitting = (0..functions.len()).filter(|i| {
        functions[*i].function.name == name && functions[*i].function.inputs.len() == values.len()
    });
    let candidates: Vec<usize> = fitting.by_ref().collect();
    // The contract at the address, or else one that has no address yet.
    let ordered = candidates.iter().filter(|i| Some(functions[**i].address) == at);
    let ordered = ordered.chain(candidates.iter().filter(|i| functions[**i].created));
    for index in ordered.chain(&candidates) {
        let inputs = &functions[*index].function.inputs;
        let arguments: Option<Vec<Value>> =
            inputs.iter().zip(values).map(|(kind, json)| value_from(kind, json)).collect();
        if let Some(arguments) = arguments {
            return Ok(Action::Call { function: *index, arguments });
        }
    }
    Err(format!("no function `{name}` takes these {} arguments here", values.len()))
}

/// Raw calldata belongs to the function with its selector, or else to the fallback.
fn calldata_from(contents: &Json, functions: &[Callable]) -> Result<Action, String> {
    let text = contents.as_str().ok_or("calldata is not text")?;
    let data = hex::decode(text).map_err(|e| e.to_string())?;
    let with = |fits: &dyn Fn(&Function) -> bool| functions.iter().position(|c| fits(&c.function));
    let named = data.get(..4).and_then(|s| with(&|f| !f.is_fallback() && f.selector == s));
    let Some(function) = named else {
        let raw = with(&|f| f.is_fallback() && !f.inputs.is_empty());
        let function = raw.ok_or("no function has this selector, and there is no fallback")?;
        return Ok(Action::Call { function, arguments: vec![Value::Bytes(data)] });
    };
    let inputs = &functions[function].function.inputs;
    let arguments = crate::abi::decode(inputs, &data[4..]).ok_or("the calldata is malformed")?;
    Ok(Action::Call { function, arguments })
}

fn value_from(kind: &AbiType, json: &Json) -> Option<Value> {
    let contents = &json["contents"];
    let text = |json: &Json| match json {
        Json::String(text) => Some(text.trim_matches('"').to_owned()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let value = match (kind, json["tag"].as_str()?) {
        (AbiType::Uint(_), "AbiUInt") | (AbiType::Int(_), "AbiInt") => {
            parse_value(&text(&contents[1])?, kind)?
        }
        (AbiType::Bool, "AbiBool") => Value::Word(U256::from(contents.as_bool()?)),
        (AbiType::Address, "AbiAddress") => Value::Word(number(contents).ok()?),
        (AbiType::FixedBytes(_), "AbiBytes") => parse_value(&text(&contents[1])?, kind)?,
        (AbiType::Bytes, "AbiBytesDynamic") | (AbiType::String, "AbiString") => {
            let text = text(contents)?;
            Value::Bytes(hex::decode(&text).unwrap_or_else(|_| text.into_bytes()))
        }
        (AbiType::Array(inner), "AbiArrayDynamic") => list_from(&contents[1], |_| Some(inner))?,
        (AbiType::FixedArray(inner, _), "AbiArray") => list_from(&contents[2], |_| Some(inner))?,
        (AbiType::Tuple(members), "AbiTuple") => list_from(contents, |i| members.get(i))?,
        _ => return None,
    };
    fits(kind, &value).then_some(value)
}

fn list_from<'k>(json: &Json, kind: impl Fn(usize) -> Option<&'k AbiType>) -> Option<Value> {
    let items = json.as_array()?.iter().enumerate();
    items.map(|(i, item)| value_from(kind(i)?, item)).collect::<Option<Vec<_>>>().map(Value::List)
}

fn number(json: &Json) -> Result<U256, String> {
    let text = match json {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => return Err("a number is missing".to_owned()),
    };
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (text.as_str(), 10),
    };
    U256::from_str_radix(digits, radix).map_err(|_| format!("`{text}` is not a number"))
}
