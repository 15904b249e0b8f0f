//! The block and the chain.

use super::{Answer, Desk, Row, address, done, one, word, word_of};
use crate::abi::Value;
use crate::vm::cheat_state::Snapshot;
use revm::primitives::{B256, U256, keccak256};

pub(super) const TABLE: &[Row] = &[
    ("warp(uint256)", "", warp),
    ("roll(uint256)", "", roll),
    ("fee(uint256)", "", fee),
    ("difficulty(uint256)", "", prevrandao),
    ("prevrandao(uint256)", "", prevrandao),
    ("prevrandao(bytes32)", "", prevrandao),
    ("chainId(uint256)", "", chain_id),
    ("coinbase(address)", "", coinbase),
    ("txGasPrice(uint256)", "", gas_price),
    ("getBlockTimestamp()", "uint256", |desk, _| one(desk.context.block.timestamp)),
    ("getBlockNumber()", "uint256", |desk, _| one(desk.context.block.number)),
    ("getChainId()", "uint256", |desk, _| one(U256::from(desk.context.cfg.chain_id))),
    ("skip(bool)", "", |desk, values| {
        assume(desk, &[Value::Word(U256::from(word(values, 0).is_zero()))])
    }),
    ("assume(bool)", "", assume),
    ("snapshot()", "uint256", snapshot),
    ("snapshotState()", "uint256", snapshot),
    ("revertTo(uint256)", "bool", revert_to),
    ("revertToState(uint256)", "bool", revert_to),
    ("revertToAndDelete(uint256)", "bool", revert_to),
    ("revertToStateAndDelete(uint256)", "bool", revert_to),
    ("deleteStateSnapshot(uint256)", "bool", |_, _| one(U256::from(1))),
    ("pauseGasMetering()", "", |_, _| done()),
    ("resumeGasMetering()", "", |_, _| done()),
    ("randomUint()", "uint256", |desk, _| one(random(desk))),
    ("randomUint(uint256,uint256)", "uint256", random_between),
    ("randomUint(uint256)", "uint256", |desk, v| {
        let bits = word(v, 0).saturating_to::<usize>().clamp(1, 256);
        one(random(desk) >> (256 - bits))
    }),
    ("randomInt()", "int256", |desk, _| one(random(desk))),
    ("bound(uint256,uint256,uint256)", "uint256", bound),
    ("randomAddress()", "address", |desk, _| one(random(desk) >> 96)),
    ("randomBool()", "bool", |desk, _| one(random(desk) & U256::from(1))),
    ("unixTime()", "uint256", |desk, _| one(desk.context.block.timestamp * U256::from(1000))),
];

fn warp(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    desk.context.block.timestamp = word(values, 0);
    done()
}

fn roll(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    desk.context.block.number = word(values, 0);
    done()
}

fn fee(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let fee = u64::try_from(word(values, 0));
    desk.context.block.basefee = fee.map_err(|_| "fee: the base fee must fit 64 bits")?;
    done()
}

fn prevrandao(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    desk.context.block.difficulty = word(values, 0);
    desk.context.block.prevrandao = Some(B256::from(word(values, 0)));
    done()
}

fn chain_id(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let id = u64::try_from(word(values, 0));
    desk.context.cfg.chain_id = id.map_err(|_| "chainId: the number must fit 64 bits")?;
    done()
}

fn coinbase(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    desk.context.block.beneficiary = address(values, 0);
    done()
}

fn gas_price(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let price = u128::try_from(word(values, 0));
    desk.context.tx.gas_price = price.map_err(|_| "txGasPrice: the price must fit 128 bits")?;
    done()
}

fn assume(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    if !word(values, 0).is_zero() {
        return done();
    }
    desk.context.chain.cheats.assume_failed = true;
    Err("PROOFSTONE_ASSUME".to_owned())
}

fn snapshot(desk: &mut Desk<'_>, _: &[Value]) -> Answer {
    let journal = &mut desk.context.journaled_state.inner;
    let checkpoint = journal.checkpoint();
    journal.checkpoint_commit();
    let block = &desk.context.block;
    let snapshot = Snapshot { checkpoint, timestamp: block.timestamp, number: block.number };
    let snapshots = &mut desk.context.chain.cheats.snapshots;
    snapshots.push(snapshot);
    one(U256::from(snapshots.len() - 1))
}

fn revert_to(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let index = usize::try_from(word(values, 0)).unwrap_or(usize::MAX);
    let snapshots = &mut desk.context.chain.cheats.snapshots;
    let Some(snapshot) = snapshots.get(index).cloned() else { return one(U256::ZERO) };
    // What came after the snapshot no longer exists, later snapshots included.
    snapshots.truncate(index + 1);
    let journal = &mut desk.context.journaled_state.inner;
    let depth = journal.depth;
    journal.checkpoint_revert(snapshot.checkpoint);
    journal.depth = depth;
    desk.context.block.timestamp = snapshot.timestamp;
    desk.context.block.number = snapshot.number;
    one(U256::from(1))
}

/// Into the bounds, evenly; what lies in them stays.
fn bound(_: &mut Desk<'_>, values: &[Value]) -> Answer {
    let (number, low, high) = (word(values, 0), word(values, 1), word(values, 2));
    if low > high {
        return Err("bound: the lower bound is above the upper".to_owned());
    }
    if (low..=high).contains(&number) {
        return one(number);
    }
    let span = (high - low).checked_add(U256::from(1));
    one(span.map_or(number, |span| low + number % span))
}

/// Random to the contract, the same in every replay.
fn random(desk: &mut Desk<'_>) -> U256 {
    let cheats = &mut desk.context.chain.cheats;
    cheats.random += 1;
    let mut seed = word_of(desk.caller).to_be_bytes::<32>().to_vec();
    seed.extend_from_slice(&cheats.random.to_be_bytes());
    seed.extend_from_slice(&desk.context.block.number.to_be_bytes::<32>());
    U256::from_be_bytes(keccak256(seed).0)
}

fn random_between(desk: &mut Desk<'_>, values: &[Value]) -> Answer {
    let (low, high) = (word(values, 0), word(values, 1));
    if low > high {
        return Err("randomUint: the lower bound is above the upper".to_owned());
    }
    let span = (high - low).checked_add(U256::from(1));
    let chosen = random(desk);
    one(span.map_or(chosen, |span| low + chosen % span))
}
