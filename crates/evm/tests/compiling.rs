//! Source compiled as another program's arguments say, by a real compiler.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use proofstone_evm::artifact::{Artifacts, LoadError, load_with};
use proofstone_evm::config::Config;
use proofstone_evm::settings::read_echidna_yaml;
use std::path::{Path, PathBuf};

fn compiler() -> PathBuf {
    let tools = std::env::var_os("PROOFSTONE_TOOLS").map(PathBuf::from);
    let tools =
        tools.expect("PROOFSTONE_TOOLS is not set: run ./ci/test, which installs what tests need");
    tools.join("fuzz/node_modules/solc")
}

/// A contract whose import only a remapping finds.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put(
        "vendor/parts/Counter.sol",
        "pragma solidity ^0.8.0; contract Counter { uint256 n; function add(uint256 x) public { for (uint256 i; i < x; i++) n += i * 2; } }",
    );
    put(
        "src/Test.sol",
        "pragma solidity ^0.8.0; import {Counter} from \"@parts/Counter.sol\"; contract Test is Counter { function echidna_n() public view returns (bool) { return n < 10; } }",
    );
    folder
}

fn compile(project: &Path, yaml: &str) -> Result<Artifacts, LoadError> {
    let mut config = Config::default();
    let warnings = read_echidna_yaml(yaml, &mut config).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    config.build.solc.get_or_insert_with(compiler);
    load_with(&project.join("src/Test.sol"), &config.build, None).map(|located| located.artifacts)
}

fn size(artifacts: &Artifacts) -> usize {
    let test = artifacts.contracts.iter().find(|c| c.name == "Test").unwrap();
    test.runtime.with_holes().len()
}

#[test]
fn arguments_reach_the_compiler() {
    let folder = project();
    let path = folder.path();
    let refused = compile(path, "").unwrap_err().to_string();
    assert!(refused.contains("@parts/Counter.sol"), "{refused}");

    let vendor = path.join("vendor/parts");
    let remap = format!("@parts/={}/", vendor.display());
    let plain = compile(path, &format!("cryticArgs: [\"--solc-remaps\", \"{remap}\"]\n")).unwrap();
    let same = compile(path, &format!("solcArgs: \"--allow-paths . {remap}\"\n")).unwrap();
    assert_eq!(size(&plain), size(&same));

    let optimized = compile(path, &format!("solcArgs: \"--optimize {remap}\"\n")).unwrap();
    assert!(size(&optimized) < size(&plain));
    let by_way_of_ir = compile(
        path,
        &format!(
            "cryticArgs: [\"--solc-args=--optimize --via-ir --evm-version london {remap}\"]\n"
        ),
    );
    assert_ne!(size(&by_way_of_ir.unwrap()), size(&optimized));

    let include = vendor.parent().unwrap().display().to_string();
    let found = compile(path, &format!("solcArgs: \"--include-path {include} @parts/=parts/\"\n"));
    assert_eq!(size(&found.unwrap()), size(&plain));
}

#[test]
fn the_compiler_that_is_named_is_asked() {
    let folder = project();
    let missing = compile(folder.path(), "cryticArgs: [\"--solc\", \"/no/such/solc\"]\n");
    let said = missing.unwrap_err().to_string();
    assert!(said.contains("/no/such/solc"), "{said}");
}

#[test]
fn an_unknown_version_of_the_evm_is_refused_in_the_compilers_words() {
    let folder = project();
    let refused = compile(folder.path(), "solcArgs: \"--evm-version tomorrow\"\n").unwrap_err();
    assert!(refused.to_string().contains("EVM version"), "{refused}");
}

#[test]
fn an_old_compiler_is_asked_for_standard_json() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("package.json", r#"{"name": "solc", "version": "0.4.25", "main": "index.js"}"#);
    // The interface up to 0.4: `compile` takes bare source and answers in another form.
    put(
        "index.js",
        "exports.compile = () => ({ contracts: {} }); exports.compileStandardWrapper = (input) => JSON.stringify({ contracts: { 'old.sol': { Old: { abi: [], evm: { bytecode: { object: '00' }, deployedBytecode: { object: JSON.parse(input).language === 'Solidity' ? '00' : '' } } } } } });",
    );
    put("old.sol", "contract Old {}");
    let mut build = Config::default().build;
    build.solc = Some(folder.path().to_owned());
    let located = load_with(&folder.path().join("old.sol"), &build, None).unwrap();
    assert_eq!(located.artifacts.contracts[0].name, "Old");
}
