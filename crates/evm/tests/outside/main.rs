//! Text from outside: examples that are right, changed in every way, against every reader. The fuzz targets in
//! `fuzz/` go on where these end.

mod readers;

use proptest::prelude::*;

const CALLS: &[&str] = &[
    "f(1, \"why, not\", 0x0102)",
    "f(-128,true,0x1234567890abcdef1234567890abcdef12345678,0xcafebabe)",
    "g([[0x1234567890abcdef1234567890abcdef12345678, 7]], [\"a\", \"b\"])",
    "h([[1,2],[3,4]], [-5, [0x01, [true,false]]])",
    "f(?, ?, ?)",
    "stop()",
];

const CORPUS: &[&str] = &[
    r#"[{"call":{"tag":"SolCall","contents":["f",[{"tag":"AbiUInt","contents":[256,"115792089237316195423570985008687907853269984665640564039457584007913129639935"]},{"tag":"AbiString","contents":"0x61"},{"tag":"AbiBytesDynamic","contents":"0x0102"}]]},"src":"0x10000","dst":"0x1","gas":12500000,"gasprice":"0x0","value":"0x5","delay":["0x1","0x2"]},{"call":{"tag":"NoCall"},"src":"0x1","dst":"0x0","gas":1,"gasprice":"0x0","value":"0x0","delay":["0xff","0x1"]}]"#,
    r#"[{"call":{"tag":"SolCall","contents":["h",[{"tag":"AbiArrayDynamic","contents":["uint8[2]",[{"tag":"AbiArray","contents":[2,"uint8",[{"tag":"AbiUInt","contents":[8,"1"]},{"tag":"AbiUInt","contents":[8,"255"]}]]}]]},{"tag":"AbiTuple","contents":[{"tag":"AbiInt","contents":[256,"-7"]},{"tag":"AbiTuple","contents":[{"tag":"AbiBytes","contents":[32,"0x0000000000000000000000000000000000000000000000000000000000000001"]},{"tag":"AbiArrayDynamic","contents":["bool",[{"tag":"AbiBool","contents":true}]]}]}]}]]},"src":"0x1","dst":"0x99","gas":1,"gasprice":"0x0","value":"0x0","delay":["0x0","0x0"]}]"#,
    r#"[{"call":{"tag":"SolCalldata","contents":"0x04000102"},"src":"1","dst":"2","gas":1,"gasprice":0,"value":0,"delay":[0,0]}]"#,
];

const SETTINGS: &[&str] = &[
    "testMode: assertion\ntestLimit: 10000\nsender: [\"0x1\", 0x20000]\nmaxValue: 100000000000000000000\ndictFreq: 0.4\nseqLen: 5\n",
    "filterFunctions: [\"C.f(uint256)\"]\nfilterBlacklist: false\ndeployContracts: [[\"0x1234\", \"Lib\"]]\n# a remark\nx: {y: [1, 2.5, ~]}\n",
    "coverageFormats: [txt, html]\nworkers: 3\nseed: 7\nprefix: \"p_\"\nbalanceAddr: 1e18\n",
    "solcArgs: \"--optimize --optimize-runs 9 a/=b/\"\ncryticArgs: [\"--solc-remaps\", \"x=y\", \"--solc-args=--via-ir\"]\ntestDestruction: true\n",
];

const ARTIFACTS: &[&str] = &[
    r#"{"abi":[{"type":"function","name":"f","inputs":[{"name":"a","type":"tuple[]","components":[{"name":"x","type":"uint256"}]}],"outputs":[],"stateMutability":"payable"},{"type":"fallback","stateMutability":"payable"}],"bytecode":{"object":"0x6000__$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$__00","sourceMap":"0:1:0","linkReferences":{"a.sol":{"L":[{"start":2,"length":20}]}}},"deployedBytecode":{"object":"0x6000","immutableReferences":{"7":[{"start":0,"length":1}]}},"id":0,"ast":{"absolutePath":"a.sol","src":"0:1:0"}}"#,
    r#"{"output":{"contracts":{"a.sol":{"A":{"abi":[],"evm":{"bytecode":{"object":"00"},"deployedBytecode":{"object":"00"}},"storageLayout":{"storage":[{"label":"x","offset":0,"slot":"0","type":"t_uint256"}],"types":{"t_uint256":{"encoding":"inplace","label":"uint256","numberOfBytes":"32"}}}}}},"sources":{"a.sol":{"id":0}}},"input":{"sources":{"a.sol":{"content":"contract A {}"}}}}"#,
];

/// An example with some of its characters replaced, cut off, or doubled.
fn changed(examples: &'static [&'static str]) -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), "\\PC{0,3}", 0usize..4);
    (prop::sample::select(examples), prop::collection::vec(edit, 0..6)).prop_map(|(text, edits)| {
        let mut characters: Vec<char> = text.chars().collect();
        for (place, new, removed) in edits {
            if !characters.is_empty() {
                let start = place.index(characters.len());
                let end = (start + removed).min(characters.len());
                characters.splice(start..end, new.chars());
            }
        }
        characters.into_iter().collect()
    })
}

#[test]
fn the_examples_are_right() {
    for text in CORPUS {
        assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
    }
    for text in CALLS {
        readers::call(text);
    }
    for text in CORPUS {
        readers::corpus(text);
    }
    for text in SETTINGS {
        readers::settings(text);
    }
    for text in ARTIFACTS {
        readers::artifact(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_call_is_answered(text in changed(CALLS)) {
        readers::call(&text);
    }

    #[test]
    fn any_file_of_the_corpus_is_answered(text in changed(CORPUS)) {
        readers::corpus(&text);
    }

    #[test]
    fn any_settings_are_answered(text in changed(SETTINGS)) {
        readers::settings(&text);
    }

    #[test]
    fn any_artifact_is_answered(text in changed(ARTIFACTS)) {
        readers::artifact(&text);
    }
}
