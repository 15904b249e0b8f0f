//! How source is to be compiled, and the arguments of other programs that say so: those of solc
//! (Echidna's `solcArgs`) and those of crytic-compile (`cryticArgs`).

use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// What the compiler is asked for beyond the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The compiler, if not the one that is found.
    pub solc: Option<PathBuf>,
    /// Remappings (`[context:]prefix=target`) that come before the project's own.
    pub remappings: Vec<String>,
    /// Folders to look for imports in.
    pub include: Vec<PathBuf>,
    /// Whether the optimiser runs.
    pub optimize: bool,
    /// For how many runs of the code it optimises.
    pub optimize_runs: Option<u64>,
    /// Whether code is made by way of the intermediate language.
    pub via_ir: bool,
    /// The version of the EVM that code is made for.
    pub evm_version: Option<String>,
}

impl Build {
    /// The defaults, with a compiler.
    pub fn with(solc: Option<&Path>) -> Self {
        Self { solc: solc.map(Path::to_owned), ..Self::default() }
    }

    /// Takes in arguments of solc, as on its command line. Returns those that have no effect here.
    pub fn read_solc_arguments(&mut self, text: &str) -> Vec<String> {
        let words: Vec<String> = words(text).map(str::to_owned).collect();
        self.read(&words, Self::take_solc_argument)
    }

    /// Takes in arguments of crytic-compile. Returns those that have no effect here.
    pub fn read_crytic_arguments(&mut self, arguments: &[String]) -> Vec<String> {
        self.read(arguments, Self::take_crytic_argument)
    }

    /// The arguments of solc that say the same, but for the compiler itself.
    pub(crate) fn solc_arguments(&self) -> String {
        let flag = |set: bool, flag: &str| set.then(|| flag.to_owned());
        let mut words: Vec<String> =
            [flag(self.optimize, "--optimize"), flag(self.via_ir, "--via-ir")]
                .into_iter()
                .flatten()
                .collect();
        words.extend(self.optimize_runs.map(|runs| format!("--optimize-runs={runs}")));
        words.extend(self.evm_version.iter().map(|version| format!("--evm-version={version}")));
        words.extend(self.include.iter().map(|path| format!("--include-path={}", path.display())));
        words.extend(self.remappings.iter().cloned());
        words.join(" ")
    }

    fn read(&mut self, arguments: &[String], take: Taking) -> Vec<String> {
        let mut ignored = Vec::new();
        let mut rest = arguments.iter().map(|a| a.trim()).filter(|a| !a.is_empty()).peekable();
        while let Some(argument) = rest.next() {
            let (flag, own) = match argument.find(['=', ' ']) {
                Some(at) if argument.starts_with('-') => {
                    (&argument[..at], Some(argument[at + 1..].trim()))
                }
                _ => (argument, None),
            };
            // A value may stand by itself, after its flag.
            let follows = |next: &&str| !next.starts_with('-') || flag == "--solc-args";
            let next = rest.peek().copied().filter(follows);
            match take(self, flag, own.or(next), &mut ignored) {
                Taken::Flag => {}
                Taken::WithValue if own.is_some() => {}
                Taken::WithValue => drop(rest.next()),
                Taken::No => {
                    let value = next.filter(|next| own.is_none() && !next.contains('='));
                    let value = value.and_then(|_| rest.next());
                    ignored.push(
                        [Some(argument), value]
                            .map(Option::unwrap_or_default)
                            .join(" ")
                            .trim_end()
                            .to_owned(),
                    );
                }
            }
        }
        ignored
    }

    fn take_solc_argument(
        &mut self,
        flag: &str,
        value: Option<&str>,
        _: &mut Vec<String>,
    ) -> Taken {
        match (flag, value) {
            ("--optimize", _) => self.optimize = true,
            ("--via-ir" | "--experimental-via-ir", _) => self.via_ir = true,
            ("--optimize-runs", Some(value)) => match value.parse() {
                Ok(runs) => {
                    self.optimize_runs = Some(runs);
                    return Taken::WithValue;
                }
                Err(_) => return Taken::No,
            },
            ("--evm-version", Some(value)) => {
                self.evm_version = Some(value.to_owned());
                return Taken::WithValue;
            }
            ("--include-path" | "--base-path", Some(value)) => {
                self.include.push(value.into());
                return Taken::WithValue;
            }
            // Files are read here, not by the compiler: nothing is forbidden.
            ("--allow-paths", Some(_)) => return Taken::WithValue,
            (word, _) if !word.starts_with('-') && word.contains('=') => {
                self.remappings.push(word.to_owned());
            }
            _ => return Taken::No,
        }
        Taken::Flag
    }

    fn take_crytic_argument(
        &mut self,
        flag: &str,
        value: Option<&str>,
        ignored: &mut Vec<String>,
    ) -> Taken {
        match (flag, value) {
            ("--solc", Some(value)) => self.solc = Some(value.into()),
            ("--solc-remaps" | "--remappings", Some(value)) => {
                self.remappings.extend(words(value).map(str::to_owned));
            }
            ("--solc-args", Some(value)) => {
                let left = self.read_solc_arguments(value);
                ignored.extend(left.into_iter().map(|word| format!("--solc-args {word}")));
            }
            // Libraries are deployed and linked by themselves; warnings of the compiler are not shown.
            ("--compile-libraries", Some(_)) => {}
            ("--solc-disable-warnings" | "--compile-autolink", _) => return Taken::Flag,
            _ => return Taken::No,
        }
        Taken::WithValue
    }

    /// Prefixes and targets of the remappings, as far as they hold everywhere.
    pub(super) fn remapped(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let pairs = self.remappings.iter().filter_map(|line| line.split_once('='));
        pairs.map(|(prefix, target)| {
            let prefix = prefix.split_once(':').map_or(prefix, |(_, prefix)| prefix);
            (prefix.to_owned(), target.to_owned())
        })
    }

    /// Puts what differs from the defaults into the settings of a standard-JSON request.
    pub(super) fn apply(&self, settings: &mut Json) {
        if self.optimize {
            settings["optimizer"] =
                json!({ "enabled": true, "runs": self.optimize_runs.unwrap_or(200) });
        }
        if self.via_ir {
            settings["viaIR"] = json!(true);
        }
        if let Some(version) = &self.evm_version {
            settings["evmVersion"] = json!(version);
        }
    }
}

/// What became of an argument.
enum Taken {
    Flag,
    /// Together with the value that stands in it or after it.
    WithValue,
    No,
}

type Taking = fn(&mut Build, &str, Option<&str>, &mut Vec<String>) -> Taken;

/// The arguments in a text; quotes around one are left out.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|w| w.trim_matches(['"', '\''])).filter(|w| !w.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(solc: &str, crytic: &[&str], expected: Expect) {
        let mut build = Build::default();
        let mut ignored = build.read_solc_arguments(solc);
        let crytic: Vec<_> = crytic.iter().map(|a| (*a).to_owned()).collect();
        ignored.extend(build.read_crytic_arguments(&crytic));
        let mut settings = json!({});
        build.apply(&mut settings);
        let Build { solc, remappings, include, .. } = build;
        expected.assert_eq(&format!(
            "{settings} {solc:?} {remappings:?} {include:?} ignored {ignored:?}"
        ));
    }

    #[test]
    fn arguments_of_the_compiler_are_taken() {
        check(
            "--optimize --optimize-runs=1000 --via-ir --evm-version london --allow-paths .,.. @oz/=lib/oz/",
            &[],
            expect![[
                r#"{"optimizer":{"enabled":true,"runs":1000},"viaIR":true,"evmVersion":"london"} None ["@oz/=lib/oz/"] [] ignored []"#
            ]],
        );
        check(
            "--optimize-runs many --metadata-hash none --base-path src",
            &[],
            expect![[
                r#"{} None [] ["src"] ignored ["--optimize-runs many", "--metadata-hash none"]"#
            ]],
        );
    }

    #[test]
    fn arguments_of_crytic_compile_are_taken() {
        check(
            "",
            &["--solc", "/opt/solc", "--solc-remaps", "a=b c/=d/"],
            expect![[r#"{} Some("/opt/solc") ["a=b", "c/=d/"] [] ignored []"#]],
        );
        check(
            "",
            &["--solc-remaps=@=node_modules/@", "--solc-args=--optimize --yul"],
            expect![[
                r#"{"optimizer":{"enabled":true,"runs":200}} None ["@=node_modules/@"] [] ignored ["--solc-args --yul"]"#
            ]],
        );
        check(
            "",
            &["--solc-args", "--optimize"],
            expect![[r#"{"optimizer":{"enabled":true,"runs":200}} None [] [] ignored []"#]],
        );
        check(
            "",
            &[
                "--compile-libraries=(Lib,0x1f)",
                "--foundry-compile-all",
                "--compile-force-framework",
                "foundry",
            ],
            expect![[
                r#"{} None [] [] ignored ["--foundry-compile-all", "--compile-force-framework foundry"]"#
            ]],
        );
    }

    proptest::proptest! {
        #[test]
        fn any_arguments_are_answered(solc in "[-=a-z ,]{0,40}", crytic in proptest::collection::vec("(--solc(-args|-remaps)?)?[-= a-z]{0,10}", 0..6)) {
            let mut build = Build::default();
            build.read_solc_arguments(&solc);
            build.read_crytic_arguments(&crytic);
        }
    }
}
