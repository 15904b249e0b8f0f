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

/// When a setting without effect here is worth no word.
#[derive(Clone, Copy)]
enum Harmless {
    /// What it sets has no meaning here, or is so anyway.
    Always,
    /// It is off or empty.
    Off,
    /// It has one of these values.
    Is(&'static [&'static str]),
}

/// Settings of the reference that have no effect here, when that is worth a word, and which.
const WITHOUT_EFFECT: &[(&str, Harmless, &str)] = &[
    ("coverage", Harmless::Is(&["true"]), "coverage always guides"),
    ("format", Harmless::Is(&["text", "null", ""]), "pass --json or --plain"),
    ("quiet", Harmless::Off, "progress goes to standard error, which can be sent elsewhere"),
    ("rpcUrl", Harmless::Off, "there is no chain state from a node"),
    ("rpcBlock", Harmless::Off, "there is no chain state from a node"),
    ("etherscanApiKey", Harmless::Always, ""),
    ("disableOnchainSources", Harmless::Always, ""),
    ("coverageLineHits", Harmless::Always, ""),
    ("coverageEdges", Harmless::Always, ""),
    ("allEvents", Harmless::Always, ""),
    ("outputRawTxs", Harmless::Always, ""),
    (
        "prefillCorpus",
        Harmless::Off,
        "give the calls of tests as a corpus, or with inject_transaction",
    ),
    ("mutConsts", Harmless::Is(&["1 1 1 1"]), "mutators are chosen by what they bring"),
    ("symExec", Harmless::Off, "there is no symbolic execution"),
    ("symExecTargets", Harmless::Always, ""),
    ("symExecSMTSolver", Harmless::Always, ""),
    ("symExecTimeout", Harmless::Always, ""),
    ("symExecNSolvers", Harmless::Always, ""),
    ("symExecMaxIters", Harmless::Always, ""),
    ("symExecMaxExplore", Harmless::Always, ""),
    ("symExecAskSMTIters", Harmless::Always, ""),
    ("symExecConcolic", Harmless::Always, ""),
    ("server", Harmless::Off, "pass --mcp"),
    // Libraries are deployed and linked by themselves.
    ("solcLibs", Harmless::Always, ""),
    ("disableSlither", Harmless::Always, ""),
    ("saveEvery", Harmless::Off, "the corpus is written when the campaign ends"),
    ("projectName", Harmless::Always, ""),
    ("genDict", Harmless::Always, ""),
    ("maxBlockDelayDefault", Harmless::Always, ""),
    ("dashboard", Harmless::Always, ""),
];

/// Reads Echidna's YAML. Returns warnings about settings that are unknown or have no effect, with
/// their lines.
pub fn read_echidna_yaml(text: &str, config: &mut Config) -> Result<Vec<String>, SettingsError> {
    let table: Setting = serde_yaml_ng::from_str(text)?;
    let table = match table {
        Setting::Null => return Ok(Vec::new()),
        Setting::Table(table) => table,
        _ => return Err(SettingsError::NotATable),
    };
    let mut warnings = Vec::new();
    for (name, value) in &table {
        let place = line_of(text, name).map_or_else(String::new, |line| format!("line {line}: "));
        let remarks = apply(config, name, value)?;
        warnings.extend(remarks.into_iter().map(|remark| format!("{place}{remark}")));
    }
    Ok(warnings)
}

/// The line where a setting is made, from 1.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let makes = |line: &str| {
        let bare = line.trim_start().trim_start_matches(['"', '\'']);
        let rest = bare.strip_prefix(name).map(|rest| rest.trim_start_matches(['"', '\'']));
        rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    text.lines().position(makes).map(|line| line + 1)
}

/// What is to be said about a setting that is not applied.
fn remark(name: &str, value: &Setting) -> Option<String> {
    let known = WITHOUT_EFFECT.iter().find(|(known, ..)| *known == name);
    let Some((_, harmless, instead)) = known else {
        return Some(format!("unknown setting `{name}` is ignored"));
    };
    let said = value.words();
    let is_harmless = match harmless {
        Harmless::Always => true,
        Harmless::Off => ["", "false"].contains(&said.as_str()),
        Harmless::Is(values) => values.contains(&said.as_str()),
    };
    (!is_harmless).then(|| format!("`{name}` has no effect here: {instead}"))
}

impl Setting {
    /// The plain words of a value, for comparing.
    fn words(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Flag(flag) => flag.to_string(),
            Self::Text(text) => text.clone(),
            Self::List(items) => items.iter().map(Self::words).collect::<Vec<_>>().join(" "),
            Self::Table(entries) => {
                entries.iter().map(|(_, value)| value.words()).collect::<Vec<_>>().join(" ")
            }
        }
    }
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

/// Sets one setting by the reference's name. Returns what there is to say about it: that it is unknown,
/// or that it or a part of it has no effect.
pub fn apply(
    config: &mut Config,
    name: &str,
    value: &Setting,
) -> Result<Vec<String>, SettingsError> {
    if *value == Setting::Null {
        return Ok(Vec::new());
    }
    let read = Reader { name, value };
    match name {
        "testMode" => config.test_mode = read.mode()?,
        // The reference's older name for the mode.
        "checkAsserts" if read.flag()? => config.test_mode = TestMode::Assertion,
        "checkAsserts" => {}
        "testLimit" => config.test_limit = read.integer()?,
        "seqLen" => config.sequence_length = read.size()?.max(1),
        "shrinkLimit" => config.shrink_limit = read.integer()?,
        "dictFreq" => config.dictionary_share = read.share()?,
        "workers" => config.workers = Some(read.size()?),
        "seed" => config.seed = Some(read.integer()?),
        "timeout" => config.timeout = Some(Duration::from_secs(read.integer()?)),
        "stopOnFail" => config.stop_on_fail = read.flag()?,
        "prefix" => read.text()?.clone_into(&mut config.prefix),
        "sender" => config.senders = read.some(Reader::address)?,
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
        "coverageExcludes" => config.coverage_excludes = read.list(Reader::glob)?,
        "estimateGas" => config.estimate_gas = read.flag()?,
        "initialize" => {
            config.initialize =
                Some(PathBuf::from(read.text()?)).filter(|p| !p.as_os_str().is_empty());
        }
        "allowFFI" => config.allow_ffi = read.flag()?,
        "testDestruction" => config.test_destruction = read.flag()?,
        "solcArgs" => {
            let ignored = config.build.read_solc_arguments(&value.words());
            return Ok(ignored
                .into_iter()
                .map(|argument| idle_argument(name, &argument))
                .collect());
        }
        "cryticArgs" => {
            let arguments = read.list(|r| r.text().map(str::to_owned))?;
            let ignored = config.build.read_crytic_arguments(&arguments);
            return Ok(ignored
                .into_iter()
                .map(|argument| idle_argument(name, &argument))
                .collect());
        }
        _ => return Ok(remark(name, value).into_iter().collect()),
    }
    Ok(Vec::new())
}

fn idle_argument(name: &str, argument: &str) -> String {
    format!("`{argument}` in `{name}` has no effect here")
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

    fn glob(self) -> Result<String, SettingsError> {
        let text = self.text()?;
        if crate::source::is_glob(text) {
            Ok(text.to_owned())
        } else {
            Err(self.wrong("a list of globs"))
        }
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

    /// A list that must not be empty.
    fn some<T>(
        self,
        read: impl Fn(Reader<'a>) -> Result<T, SettingsError>,
    ) -> Result<Vec<T>, SettingsError> {
        let items = self.list(read)?;
        if items.is_empty() { Err(self.wrong("a list of at least one address")) } else { Ok(items) }
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
                "line 12: `symExec` has no effect here: there is no symbolic execution"
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
    fn what_has_no_effect_is_said_where_it_is_used() {
        let text = "cryticArgs: []\nsolcArgs: \"\"\ntestDestruction: false\ncoverageFormats: [txt, lcov]\ncoverageDir: out\nmutConsts: [1, 1, 1, 1]\nformat: text\nsymExec: false\nsymExecTimeout: 30\ninitialize: null\n";
        let mut config = Config::default();
        assert_eq!(read_echidna_yaml(text, &mut config).unwrap(), Vec::<String>::new());
        assert_eq!(config.coverage_formats, [CoverageFormat::Text, CoverageFormat::Lcov]);
        let wrong = read_echidna_yaml("coverageFormats: [pdf]", &mut config).unwrap_err();
        assert!(wrong.to_string().contains("txt, html and lcov"), "{wrong}");
        let used = "symExecTimeout: 3\n\"symExec\" : true\ncoverage: false\nformat: json\nserver: 3000\nmutConsts: [1, 2, 3, 4]\n";
        expect_test::expect![[r#"
            line 2: `symExec` has no effect here: there is no symbolic execution
            line 3: `coverage` has no effect here: coverage always guides
            line 4: `format` has no effect here: pass --json or --plain
            line 5: `server` has no effect here: pass --mcp
            line 6: `mutConsts` has no effect here: mutators are chosen by what they bring"#]]
        .assert_eq(&read_echidna_yaml(used, &mut config).unwrap().join("\n"));
    }

    #[test]
    fn arguments_of_other_programs_are_honoured_or_named() {
        let text = "solcArgs: \"--optimize --yul\"\ncryticArgs: [\"--solc-remaps\", \"a=b\", \"--hardhat-ignore-compile\"]\n";
        let mut config = Config::default();
        expect_test::expect![[r#"
            line 1: `--yul` in `solcArgs` has no effect here
            line 2: `--hardhat-ignore-compile` in `cryticArgs` has no effect here"#]]
        .assert_eq(&read_echidna_yaml(text, &mut config).unwrap().join("\n"));
        assert!(config.build.optimize);
        assert_eq!(config.build.remappings, ["a=b"]);
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
        assert_eq!(
            problem("sender: []"),
            "`sender` must be a list of at least one address, found a list"
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
