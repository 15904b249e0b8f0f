//! Settings by name: Echidna's YAML file as it is, and the same names from other sources.

use crate::config::{Config, CoverageFormat, TestMode};
use revm::primitives::{Address, U256};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// A value of a setting, wherever it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// Nothing: the default stays.
    Null,
    /// Yes or no.
    Flag(bool),
    /// A number or a text; which one, the setting decides.
    Text(String),
    /// Several values.
    List(Vec<Setting>),
    /// Values by name.
    Table(Vec<(String, Setting)>),
}

/// A configuration could not be used.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The file is no YAML.
    #[error("the configuration is not YAML: {0}")]
    Yaml(#[from] serde_yaml_ng::Error),
    /// The file is not a table of settings.
    #[error("the configuration must be a list of `name: value` lines")]
    NotATable,
    /// A value does not fit its setting.
    #[error("`{name}` must be {expected}, found {found}")]
    Value {
        /// The setting.
        name: String,
        /// What it takes.
        expected: &'static str,
        /// What was given.
        found: String,
    },
}

/// Settings of the reference that have no meaning here, or none yet; naming them is no mistake.
const WITHOUT_EFFECT: &[&str] = &[
    "coverage",
    "format",
    "quiet",
    "initialize",
    "rpcUrl",
    "rpcBlock",
    "etherscanApiKey",
    "coverageExcludes",
    "coverageLineHits",
    "mutConsts",
    "testDestruction",
    "estimateGas",
    "symExec",
    "symExecTargets",
    "symExecSMTSolver",
    "symExecTimeout",
    "symExecNSolvers",
    "symExecMaxIters",
    "symExecAskSMTIters",
    "symExecConcolic",
    "server",
    "solcArgs",
    "solcLibs",
    "cryticArgs",
    "disableSlither",
    "saveEvery",
    "projectName",
    "genDict",
    "maxBlockDelayDefault",
    "dashboard",
    "disableOnchainSources",
];

/// Settings whose absence would change what is found: using one is worth a word.
const UNSUPPORTED: &[&str] =
    &["rpcUrl", "symExec", "initialize", "solcArgs", "solcLibs", "cryticArgs", "testDestruction"];

/// Reads Echidna's YAML. Returns warnings about settings that are unknown, with their lines.
pub fn read_echidna_yaml(text: &str, config: &mut Config) -> Result<Vec<String>, SettingsError> {
    let table: Setting = serde_yaml_ng::from_str(text)?;
    let table = match table {
        Setting::Null => return Ok(Vec::new()),
        Setting::Table(table) => table,
        _ => return Err(SettingsError::NotATable),
    };
    let mut warnings = Vec::new();
    for (name, value) in &table {
        let off = match value {
            Setting::Null | Setting::Flag(false) => true,
            Setting::List(items) => items.is_empty(),
            Setting::Text(text) => text.is_empty(),
            _ => false,
        };
        if !apply(config, name, value)? {
            let bare =
                |line: &str| line.trim_start().trim_start_matches(['"', '\'']).starts_with(name);
            let place = text.lines().position(bare);
            let place = place.map_or_else(String::new, |l| format!("line {}: ", l + 1));
            warnings.push(format!("{place}unknown setting `{name}` is ignored"));
        } else if UNSUPPORTED.contains(&name.as_str()) && !off {
            warnings.push(format!("`{name}` is not supported and has no effect"));
        }
    }
    Ok(warnings)
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SettingVisitor)
    }
}

/// Numbers are kept as text: they may be larger than any integer type.
struct SettingVisitor;

impl<'de> Visitor<'de> for SettingVisitor {
    type Value = Setting;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a setting")
    }

    fn visit_unit<E>(self) -> Result<Setting, E> {
        Ok(Setting::Null)
    }

    /// An empty file.
    fn visit_none<E>(self) -> Result<Setting, E> {
        Ok(Setting::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Setting, E> {
        Ok(Setting::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Setting, E> {
        Ok(Setting::Text(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Setting, E> {
        Ok(Setting::Text(number.to_string()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Setting, E> {
        Ok(Setting::Text(number.to_string()))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Setting, E> {
        Ok(Setting::Text(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Setting, E> {
        Ok(Setting::Text(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Setting, E> {
        Ok(Setting::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Setting, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Setting::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Setting, A::Error> {
        let mut table = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            table.push(entry);
        }
        Ok(Setting::Table(table))
    }
}

/// Sets one setting by the reference's name. Returns whether the name is known.
pub fn apply(config: &mut Config, name: &str, value: &Setting) -> Result<bool, SettingsError> {
    if *value == Setting::Null {
        return Ok(true);
    }
    let read = Reader { name, value };
    match name {
        "testMode" => config.test_mode = read.mode()?,
        "testLimit" => config.test_limit = read.integer()?,
        "seqLen" => config.sequence_length = read.size()?.max(1),
        "shrinkLimit" => config.shrink_limit = read.integer()?,
        "dictFreq" => config.dictionary_share = read.share()?,
        "workers" => config.workers = Some(read.size()?),
        "seed" => config.seed = Some(read.integer()?),
        "timeout" => config.timeout = Some(Duration::from_secs(read.integer()?)),
        "stopOnFail" => config.stop_on_fail = read.flag()?,
        "prefix" => read.text()?.clone_into(&mut config.prefix),
        "sender" => config.senders = read.list(Reader::address)?,
        "deployer" => config.deployer = read.address()?,
        "psender" => config.property_sender = read.address()?,
        "contractAddr" => config.contract_address = read.address()?,
        "balanceAddr" => config.sender_balance = read.number()?,
        "balanceContract" => config.contract_balance = read.number()?,
        "codeSize" => config.code_size_limit = read.size()?,
        "propMaxGas" => config.property_gas = read.integer()?,
        "testMaxGas" => config.transaction_gas = read.integer()?,
        "maxGasprice" => config.max_gas_price = read.integer()?,
        "maxTimeDelay" => config.max_time_delay = read.integer()?,
        "maxBlockDelay" => config.max_block_delay = read.integer()?,
        "maxValue" => config.max_value = read.number()?,
        "chainId" => config.chain_id = read.integer()?,
        "filterFunctions" => {
            config.filter_functions = read.list(|r| r.text().map(str::to_owned))?;
        }
        "filterBlacklist" => config.filter_excludes = read.flag()?,
        "excludeViewPure" | "excludeViewPureFunctions" => config.exclude_views = read.flag()?,
        "allContracts" | "multi-abi" => config.all_contracts = read.flag()?,
        "constructorArgs" => {
            config.constructor_arguments = read.list(|r| r.text().map(str::to_owned))?;
        }
        "deployContracts" => config.deploy_contracts = read.list(Reader::deployment)?,
        "deployBytecodes" => config.deploy_bytecodes = read.list(Reader::deployment)?,
        "corpusDir" => config.corpus_dir = Some(PathBuf::from(read.text()?)),
        "coverageFormats" => config.coverage_formats = read.list(Reader::format)?,
        "coverageDir" => config.coverage_dir = Some(PathBuf::from(read.text()?)),
        "allowFFI" => config.allow_ffi = read.flag()?,
        _ => return Ok(WITHOUT_EFFECT.contains(&name)),
    }
    Ok(true)
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    name: &'a str,
    value: &'a Setting,
}

impl<'a> Reader<'a> {
    fn wrong(self, expected: &'static str) -> SettingsError {
        let found = match self.value {
            Setting::Null => "nothing".to_owned(),
            Setting::Flag(flag) => flag.to_string(),
            Setting::Text(text) => format!("`{text}`"),
            Setting::List(_) => "a list".to_owned(),
            Setting::Table(_) => "a table".to_owned(),
        };
        SettingsError::Value { name: self.name.to_owned(), expected, found }
    }

    fn text(self) -> Result<&'a str, SettingsError> {
        match self.value {
            Setting::Text(text) => Ok(text),
            _ => Err(self.wrong("a text")),
        }
    }

    fn flag(self) -> Result<bool, SettingsError> {
        match self.value {
            Setting::Flag(flag) => Ok(*flag),
            _ => Err(self.wrong("true or false")),
        }
    }

    fn number(self) -> Result<U256, SettingsError> {
        let text = match self.value {
            Setting::Text(text) => text.replace('_', ""),
            _ => return Err(self.wrong("a number")),
        };
        let parsed = if let Some(hex) = text.strip_prefix("0x") {
            U256::from_str_radix(hex, 16).ok()
        } else if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
            let digits = U256::from_str_radix(mantissa, 10).ok();
            let power = exponent.trim_start_matches('+').parse::<u32>().ok().filter(|p| *p < 78);
            digits.zip(power).and_then(|(d, p)| d.checked_mul(U256::from(10).pow(U256::from(p))))
        } else {
            U256::from_str_radix(&text, 10).ok()
        };
        parsed.ok_or_else(|| self.wrong("a whole number (quote it if it is very large)"))
    }

    fn integer(self) -> Result<u64, SettingsError> {
        Ok(self.number()?.saturating_to())
    }

    fn size(self) -> Result<usize, SettingsError> {
        Ok(self.number()?.saturating_to())
    }

    fn share(self) -> Result<f64, SettingsError> {
        let number = self.text()?.parse::<f64>().ok();
        number.filter(|n| (0.0..=1.0).contains(n)).ok_or_else(|| self.wrong("a number from 0 to 1"))
    }

    fn address(self) -> Result<Address, SettingsError> {
        let number = self.number().map_err(|_| self.wrong("an address"))?;
        if number.bit_len() > 160 {
            return Err(self.wrong("an address of at most 20 bytes"));
        }
        Ok(Address::from_word(number.into()))
    }

    fn format(self) -> Result<CoverageFormat, SettingsError> {
        Ok(match self.text()? {
            "txt" | "text" => CoverageFormat::Text,
            "html" => CoverageFormat::Html,
            "lcov" => CoverageFormat::Lcov,
            _ => return Err(self.wrong("a list of txt, html and lcov")),
        })
    }

    fn mode(self) -> Result<TestMode, SettingsError> {
        let expected = "one of property, assertion, optimization, overflow, exploration, foundry";
        TestMode::parse(self.text()?).ok_or_else(|| self.wrong(expected))
    }

    fn list<T>(
        self,
        read: impl Fn(Reader<'a>) -> Result<T, SettingsError>,
    ) -> Result<Vec<T>, SettingsError> {
        match self.value {
            Setting::List(items) => {
                items.iter().map(|value| read(Reader { name: self.name, value })).collect()
            }
            _ => read(self).map(|one| vec![one]),
        }
    }

    /// A pair of address and text.
    fn deployment(self) -> Result<(Address, String), SettingsError> {
        match self.value {
            Setting::List(pair) if pair.len() == 2 => {
                let part = |value| Reader { name: self.name, value };
                Ok((part(&pair[0]).address()?, part(&pair[1]).text()?.to_owned()))
            }
            _ => Err(self.wrong("a list of [address, name] pairs")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_references_file_is_read_as_it_is() {
        let text = "testMode: assertion\ntestLimit: 10000\nsender: [\"0x1\", 0x20000]\nmaxValue: 100000000000000000000\nseqLen: 5\nfilterFunctions: [\"C.f(uint256)\"]\nfilterBlacklist: false\n# a remark\nfrobnicate: 3\ncoverage: true\ndeployContracts: [[\"0x1234\", \"Lib\"]]\nsymExec: true\n";
        let mut config = Config::default();
        let warnings = read_echidna_yaml(text, &mut config).unwrap();
        assert_eq!(
            warnings,
            [
                "line 9: unknown setting `frobnicate` is ignored",
                "`symExec` is not supported and has no effect"
            ]
        );
        assert_eq!(config.test_mode, TestMode::Assertion);
        assert_eq!(config.senders[1], Address::from_word(U256::from(0x20000).into()));
        assert_eq!(config.max_value, U256::from(10).pow(U256::from(20)));
        assert_eq!(config.deploy_contracts[0].1, "Lib");
        assert!(!config.filter_excludes);
    }

    #[test]
    fn an_empty_file_changes_nothing() {
        for text in ["", "# nothing\n", "testLimit:\n"] {
            let mut config = Config::default();
            assert!(read_echidna_yaml(text, &mut config).unwrap().is_empty());
            assert_eq!(config.test_limit, 50_000);
        }
    }

    #[test]
    fn what_is_not_supported_is_said_where_it_is_used() {
        let text = "cryticArgs: []\nsolcArgs: \"\"\ntestDestruction: false\ncoverageFormats: [txt, lcov]\ncoverageDir: out\n";
        let mut config = Config::default();
        assert!(read_echidna_yaml(text, &mut config).unwrap().is_empty());
        assert_eq!(config.coverage_formats, [CoverageFormat::Text, CoverageFormat::Lcov]);
        let used = "cryticArgs: [\"--solc\", \"x\"]\n";
        let warnings = read_echidna_yaml(used, &mut config).unwrap();
        assert_eq!(warnings, ["`cryticArgs` is not supported and has no effect"]);
        let wrong = read_echidna_yaml("coverageFormats: [pdf]", &mut config).unwrap_err();
        assert!(wrong.to_string().contains("txt, html and lcov"), "{wrong}");
    }

    #[test]
    fn wrong_values_are_named() {
        let mut config = Config::default();
        let mut problem =
            |text: &str| read_echidna_yaml(text, &mut config).unwrap_err().to_string();
        assert_eq!(
            problem("testLimit: many"),
            "`testLimit` must be a whole number (quote it if it is very large), found `many`"
        );
        assert_eq!(
            problem("testMode: magic"),
            "`testMode` must be one of property, assertion, optimization, overflow, exploration, foundry, found `magic`"
        );
        assert_eq!(problem("- 1\n- 2"), "the configuration must be a list of `name: value` lines");
        assert!(problem("a: [").starts_with("the configuration is not YAML"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in "(testLimit|sender|x|maxValue): \\PC{0,30}\n?") {
            let _ = read_echidna_yaml(&text, &mut Config::default());
        }
    }
}
