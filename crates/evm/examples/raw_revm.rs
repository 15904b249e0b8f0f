//! revm without a fuzzer: random calls to the vault of `bench/fuzz` and a property call after each.
//! The limit that `bench/fuzz` compares with.
//!
//! `cargo run --release -p proofstone-evm --example raw_revm -- VAULT.json CALLS`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use proofstone_evm::artifact::load;
use revm::context::{Context, TxEnv};
use revm::database::{CacheDB, EmptyDB};
use revm::handler::{ExecuteCommitEvm, ExecuteEvm, MainBuilder, MainContext};
use revm::primitives::{Address, Bytes, TxKind, U256};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("name the artifact")?;
    let calls: u64 = arguments.get(1).map_or(Ok(1_000_000), |n| n.parse())?;
    let artifacts = load(Path::new(path), None, None)?.artifacts;
    let vault = artifacts.contracts.iter().find(|c| c.name == "Vault").ok_or("no Vault")?;
    let mut evm = Context::mainnet().with_db(CacheDB::new(EmptyDB::default())).build_mainnet();
    evm.ctx.cfg.disable_nonce_check = true;
    evm.ctx.cfg.tx_chain_id_check = false;
    evm.ctx.block.gas_limit = u64::MAX;
    let sender = |n: u64| Address::from_word(U256::from(n).into());
    let tx = |from: Address, kind: TxKind, data: Bytes| TxEnv {
        caller: from,
        kind,
        data,
        gas_limit: 12_500_000,
        ..TxEnv::default()
    };
    let code = vault.creation.link(|_| None)?;
    let created = evm.transact_commit(tx(sender(0x30000), TxKind::Create, code))?;
    let address = created.created_address().ok_or("the vault was not created")?;
    let selector = |name: &str| {
        vault.functions.iter().find(|f| f.name == name).map(|f| f.selector).unwrap_or_default()
    };
    let property = Bytes::copy_from_slice(&selector("echidna_total"));
    let mut rng = fastrand::Rng::with_seed(1);
    let mut succeeded = 0u64;
    let start = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    for call in 0..calls {
        let from = sender(0x10000 * rng.u64(1..4));
        let amount = U256::from(rng.u64(..));
        let data = match rng.u8(0..3) {
            0 => [&selector("deposit")[..], &amount.to_be_bytes::<32>()].concat(),
            1 => [&selector("withdraw")[..], &amount.to_be_bytes::<32>()].concat(),
            _ => {
                let to = U256::from(0x10000 * rng.u64(1..4));
                [&selector("transfer")[..], &to.to_be_bytes::<32>(), &amount.to_be_bytes::<32>()]
                    .concat()
            }
        };
        let result = evm.transact_one(tx(from, TxKind::Call(address), data.into()))?;
        succeeded += u64::from(result.is_success());
        evm.transact_one(tx(sender(0x10000), TxKind::Call(address), property.clone()))?;
        if call % 100 == 99 {
            evm.finalize();
        }
    }
    let end = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = (end.tv_sec - start.tv_sec) as f64 + (end.tv_nsec - start.tv_nsec) as f64 / 1e9;
    println!(
        "{{\"calls\":{calls},\"succeeded\":{succeeded},\"cpuSeconds\":{seconds:.3},\"callsPerCpuSecond\":{:.0}}}",
        calls as f64 / seconds
    );
    Ok(())
}
