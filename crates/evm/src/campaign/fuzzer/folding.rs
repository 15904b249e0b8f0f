//! Sequences without the transactions that had no effect; the time they took is kept.

use crate::input::{Action, Sequence, Transaction};
use revm::primitives::U256;

/// A transaction without effect only let time pass: its delays move to the next one. The last one
/// stays: what it reached is why the sequence is kept.
pub(super) fn without_idle(
    trail: &[Transaction],
    idle: &[bool],
    max_delays: (u64, u64),
) -> Sequence {
    let mut kept: Sequence = Vec::with_capacity(trail.len());
    let mut delays = (0, 0);
    for (index, transaction) in trail.iter().enumerate() {
        let mut transaction = transaction.clone();
        if idle[index] && index + 1 < trail.len() {
            transaction.action = Action::Wait;
            transaction.value = U256::ZERO;
        }
        push_folding(&mut kept, transaction, &mut delays, max_delays);
    }
    kept
}

/// Appends a transaction; one that only waits is folded into the next, as far as the longest
/// delay allows.
pub(crate) fn push_folding(
    kept: &mut Sequence,
    mut transaction: Transaction,
    delays: &mut (u64, u64),
    max_delays: (u64, u64),
) {
    let time = delays.0.saturating_add(transaction.time_delay);
    let blocks = delays.1.saturating_add(transaction.block_delay);
    transaction.time_delay = time.min(max_delays.0);
    transaction.block_delay = blocks.min(max_delays.1);
    let rest = (time - transaction.time_delay, blocks - transaction.block_delay);
    if rest != (0, 0) {
        let mut wait = transaction.clone();
        wait.action = Action::Wait;
        wait.value = U256::ZERO;
        (wait.time_delay, wait.block_delay) = rest;
        kept.push(wait);
    }
    *delays = (0, 0);
    if transaction.action == Action::Wait {
        *delays = (transaction.time_delay, transaction.block_delay);
    } else {
        kept.push(transaction);
    }
}
