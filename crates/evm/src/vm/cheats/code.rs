//! Code of compiled contracts by name. It comes from what was compiled for the campaign: no file is read.

use super::{Answer, Desk, Row, string};
use crate::abi::Value;
use revm::primitives::Bytes;

/// A contract's code as it was compiled; none where a library is still missing in it.
#[derive(Clone, Debug)]
pub struct NamedCode {
    /// The file as the compiler knows it.
    pub file: String,
    /// The contract's name.
    pub name: String,
    /// Creation code, without arguments.
    pub creation: Option<Bytes>,
    /// Runtime code.
    pub runtime: Option<Bytes>,
}

pub(super) const TABLE: &[Row] = &[
    ("getCode(string)", "bytes", |desk, v| find(desk, &string(v, 0), |code| &code.creation)),
    ("getDeployedCode(string)", "bytes", |desk, v| find(desk, &string(v, 0), |code| &code.runtime)),
];

fn find(desk: &Desk<'_>, wanted: &str, part: fn(&NamedCode) -> &Option<Bytes>) -> Answer {
    let Some(codes) = desk.codes else {
        return Err("getCode is off: set `allowFFI: true`, or fuzz a Foundry test".to_owned());
    };
    let found: Vec<_> = codes.iter().filter(|code| code.is_called(wanted)).collect();
    match found.as_slice() {
        [] => Err(format!("getCode: no contract `{wanted}` was compiled")),
        [code] => match part(code) {
            Some(bytes) if !bytes.is_empty() => Ok(vec![Value::Bytes(bytes.to_vec())]),
            Some(_) => {
                Err(format!("getCode: `{wanted}` has no code: it is abstract or an interface"))
            }
            None => Err(format!("getCode: `{wanted}` needs libraries that are not linked")),
        },
        _ => Err(format!("getCode: `{wanted}` is ambiguous; write file.sol:Name")),
    }
}

impl NamedCode {
    /// `Name`, `File.sol`, `File.sol:Name` and `out/File.sol/Name.json` are understood; a file may be written
    /// with folders or without.
    fn is_called(&self, wanted: &str) -> bool {
        let last = |path: &'_ str| path.rsplit('/').next().map(str::to_owned);
        let (file, name) = if let Some((file, name)) = wanted.rsplit_once(':') {
            (Some(file.to_owned()), name.to_owned())
        } else if let Some(path) = wanted.strip_suffix(".json") {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            (last(folder).filter(|f| !f.is_empty()), name.to_owned())
        } else if let Some(path) = wanted.strip_suffix(".sol") {
            (Some(wanted.to_owned()), last(path).unwrap_or_default())
        } else {
            (None, wanted.to_owned())
        };
        self.name == name && file.is_none_or(|file| is_end_of(&self.file, &file))
    }
}

/// Whether a path ends with another, by whole components.
fn is_end_of(path: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./");
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contracts_are_called_by_name_file_and_artifact() {
        let code = NamedCode {
            file: "src/bank/Vault.sol".to_owned(),
            name: "Vault".to_owned(),
            creation: None,
            runtime: None,
        };
        for yes in [
            "Vault",
            "Vault.sol",
            "bank/Vault.sol",
            "Vault.sol:Vault",
            "./src/bank/Vault.sol:Vault",
            "out/Vault.sol/Vault.json",
            "Vault.json",
        ] {
            assert!(code.is_called(yes), "{yes}");
        }
        for no in [
            "vault",
            "ault.sol:Vault",
            "Vault.sol:Other",
            "Bank.sol",
            "out/Bank.sol/Vault.json",
            "",
            ":",
            ".sol",
        ] {
            assert!(!code.is_called(no), "{no}");
        }
    }
}
