//! A smaller corpus that reaches the same.

use super::shrink::run;
use crate::config::Config;
use crate::input::Sequence;
use crate::target::Target;
use rustc_hash::FxHashSet;

/// Indices of sequences that together take every edge that all of them take, short ones first.
pub fn minimize(target: &Target, config: &Config, sequences: &[Sequence]) -> Vec<usize> {
    let edges: Vec<FxHashSet<u16>> =
        sequences.iter().map(|s| edges_of(target, config, s)).collect();
    let mut left: FxHashSet<u16> = edges.iter().flatten().copied().collect();
    let mut kept = Vec::new();
    while !left.is_empty() {
        // The most new edges per transaction; the earlier one where two are equal.
        let gain =
            |i: usize| edges[i].intersection(&left).count() * 1000 / (sequences[i].len() + 4);
        let best = (0..sequences.len()).rev().max_by_key(|i| gain(*i));
        let Some(best) = best.filter(|i| !edges[*i].is_disjoint(&left)) else { break };
        left.retain(|edge| !edges[best].contains(edge));
        kept.push(best);
    }
    kept.sort_unstable();
    kept
}

fn edges_of(target: &Target, config: &Config, sequence: &Sequence) -> FxHashSet<u16> {
    let mut machine = target.machine();
    for transaction in sequence {
        run(&mut machine, target, config, transaction);
    }
    let counts = &machine.probe().edges;
    counts.iter().enumerate().filter(|(_, c)| **c > 0).map(|(edge, _)| edge as u16).collect()
}
