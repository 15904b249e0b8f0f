//! The environment of the process and, when it is allowed, programs of the machine.

use super::text::parse_value;
use super::{Answer, Desk, Row, list, string};
use crate::abi::{AbiType, Value};

macro_rules! env_rows {
    ($($name:literal, $kind:literal);* $(;)?) => {
        &[
            $(
                (concat!($name, "(string)"), $kind, |desk, v| required(desk, v, $kind)),
                (concat!($name, "(string,string)"), concat!($kind, "[]"), |desk, v| listed(desk, v, $kind)),
                (concat!("envOr(string,", $kind, ")"), $kind, |desk, v| optional(desk, v, $kind)),
            )*
            ("envExists(string)", "bool", |desk, v| {
                super::one(revm::primitives::U256::from(variable(desk, &string(v, 0)).is_some()))
            }),
            ("setEnv(string,string)", "", set),
            ("ffi(string[])", "bytes", ffi),
        ]
    };
}

pub(super) const TABLE: &[Row] = env_rows! {
    "envUint", "uint256";
    "envInt", "int256";
    "envAddress", "address";
    "envBool", "bool";
    "envBytes32", "bytes32";
    "envString", "string";
    "envBytes", "bytes";
};

/// A variable as `setEnv` has set it, or else as the process has it.
fn variable(desk: &Desk<'_>, name: &str) -> Option<String> {
    let own = desk.context.chain.cheats.environment.get(name);
    own.cloned().or_else(|| std::env::var(name).ok())
}

/// Sets a variable for contracts and for the programs they run, not for this process.
fn set(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let (name, text) = (string(values, 0), string(values, 1));
    if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
        return Err(format!("setEnv: \"{name}\" can't be a variable with this value"));
    }
    desk.context.chain.cheats.environment.insert(name, text);
    super::done()
}

fn found(desk: &Desk<'_>, name: &str) -> Result<String, String> {
    variable(desk, name).ok_or_else(|| format!("environment variable \"{name}\" not found"))
}

fn required(desk: &Desk<'_>, values: &[Value], kind: &str) -> Answer {
    let name = string(values, 0);
    let text = found(desk, &name)?;
    typed(&name, &text, kind).map(|v| vec![v])
}

fn listed(desk: &Desk<'_>, values: &[Value], kind: &str) -> Answer {
    let (name, separator) = (string(values, 0), string(values, 1));
    let text = found(desk, &name)?;
    let items: Result<Vec<_>, _> =
        text.split(&separator).map(|item| typed(&name, item.trim(), kind)).collect();
    Ok(vec![Value::List(items?)])
}

fn optional(desk: &Desk<'_>, values: &[Value], kind: &str) -> Answer {
    let name = string(values, 0);
    match variable(desk, &name) {
        Some(text) => typed(&name, &text, kind).map(|v| vec![v]),
        None => Ok(vec![values[1].clone()]),
    }
}

fn typed(name: &str, text: &str, kind: &str) -> Result<Value, String> {
    let parsed = AbiType::parse(kind).ok().and_then(|kind| parse_value(text, &kind));
    parsed.ok_or_else(|| format!("environment variable \"{name}\" is not of type {kind}"))
}

/// Runs a program. A campaign must ask for it: a contract under test is not to be trusted.
fn ffi(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    if !desk.allow_ffi {
        return Err(
            "ffi is off: set `allowFFI: true` (or `ffi = true`) to let contracts run programs"
                .to_owned(),
        );
    }
    let words: Vec<String> =
        (0..list(values, 0).len()).map(|i| string(list(values, 0), i)).collect();
    let (program, arguments) = words.split_first().ok_or("ffi: no program given")?;
    let output = std::process::Command::new(program)
        .args(arguments)
        .envs(&desk.context.chain.cheats.environment)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|e| format!("ffi: {program}: {e}"))?;
    if !output.status.success() {
        return Err(format!("ffi: {program}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let hex = text.trim().strip_prefix("0x").and_then(|d| revm::primitives::hex::decode(d).ok());
    Ok(vec![Value::Bytes(hex.unwrap_or_else(|| output.stdout.trim_ascii().to_vec()))])
}
