//! The settings of a campaign told by the reference's names, so that it can be repeated without the file
//! that they came from.

use crate::config::Config;
use crate::settings::{Setting, apply};
use serde_json::{Map, Value as Json, json};

/// What differs from the defaults. What would let a program run (`allowFFI`, the path of a compiler) is left
/// out: a folder that somebody sent must not decide that.
pub(crate) fn told(config: &Config) -> Map<String, Json> {
    let (ours, usual) = (all(config), all(&Config::default()));
    ours.into_iter().filter(|(name, value)| usual.get(name) != Some(value)).collect()
}

/// Sets what was told. What this version does not understand is left as it is.
pub(crate) fn heed(told: &Map<String, Json>, config: &mut Config) {
    for (name, value) in told {
        if let Ok(setting) = serde_json::from_value::<Setting>(value.clone()) {
            let _ = apply(config, name, &setting);
        }
    }
}

fn all(config: &Config) -> Map<String, Json> {
    let pairs = |list: &[(revm::primitives::Address, String)]| -> Vec<Json> {
        list.iter().map(|(address, name)| json!([address.to_string(), name])).collect()
    };
    let senders: Vec<_> = config.senders.iter().map(ToString::to_string).collect();
    let settings = [
        ("dictFreq", json!(config.dictionary_share)),
        ("stopOnFail", json!(config.stop_on_fail)),
        ("prefix", json!(config.prefix)),
        ("sender", json!(senders)),
        ("deployer", json!(config.deployer.to_string())),
        ("psender", json!(config.property_sender.to_string())),
        ("contractAddr", json!(config.contract_address.to_string())),
        ("balanceAddr", json!(config.sender_balance.to_string())),
        ("balanceContract", json!(config.contract_balance.to_string())),
        ("codeSize", json!(config.code_size_limit)),
        ("propMaxGas", json!(config.property_gas)),
        ("testMaxGas", json!(config.transaction_gas)),
        ("maxGasprice", json!(config.max_gas_price)),
        ("maxTimeDelay", json!(config.max_time_delay)),
        ("maxBlockDelay", json!(config.max_block_delay)),
        ("maxValue", json!(config.max_value.to_string())),
        ("chainId", json!(config.chain_id)),
        ("filterFunctions", json!(config.filter_functions)),
        ("filterBlacklist", json!(config.filter_excludes)),
        ("excludeViewPure", json!(config.exclude_views)),
        ("deployContracts", json!(pairs(&config.deploy_contracts))),
        ("deployBytecodes", json!(pairs(&config.deploy_bytecodes))),
        ("coverageExcludes", json!(config.coverage_excludes)),
        ("estimateGas", json!(config.estimate_gas)),
        ("initialize", json!(config.initialize)),
        ("testDestruction", json!(config.test_destruction)),
        ("solcArgs", json!(config.build.solc_arguments())),
    ];
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::read_echidna_yaml;
    use expect_test::expect;

    #[test]
    fn what_was_set_is_told_and_heeded() {
        let text = "dictFreq: 0.75\nsender: [\"0x1\", \"0x2\"]\nmaxValue: 5\nprefix: p_\nfilterFunctions: [\"f()\"]\nfilterBlacklist: false\ndeployContracts: [[\"0x1f\", \"Far\"]]\ntestDestruction: true\nallowFFI: true\nsolcArgs: \"--optimize --optimize-runs 9 --via-ir --evm-version london a=b\"\ncryticArgs: [\"--solc\", \"x\"]\ncodeSize: 0x6000\n";
        let mut config = Config::default();
        assert!(read_echidna_yaml(text, &mut config).unwrap().is_empty());
        let first = told(&config);
        expect![[r#"{"dictFreq":0.75,"prefix":"p_","sender":["0x0000000000000000000000000000000000000001","0x0000000000000000000000000000000000000002"],"codeSize":24576,"maxValue":"5","filterFunctions":["f()"],"filterBlacklist":false,"deployContracts":[["0x000000000000000000000000000000000000001F","Far"]],"testDestruction":true,"solcArgs":"--optimize --via-ir --optimize-runs=9 --evm-version=london a=b"}"#]].assert_eq(&Json::from(first.clone()).to_string());
        let mut again = Config::default();
        heed(&first, &mut again);
        assert_eq!(told(&again), first);
        assert_eq!(again.senders, config.senders);
        assert!(!again.allow_ffi && again.build.solc.is_none());
    }

    #[test]
    fn nothing_is_told_of_the_defaults() {
        assert!(told(&Config::default()).is_empty());
    }
}
