//! One transaction in many variants from the same state, steered by the comparisons it met.

use super::{BARE_VARIANTS, Fuzzer, Seen, VARIANTS};
use crate::abi::Value;
use crate::campaign::corpus::Entry;
use crate::input::{Action, Attempt, Scene, Transaction, distance, repair, secant};
use revm::primitives::U256;

impl Fuzzer {
    /// A sequence's last transaction in many variants, from the state before it.
    pub(super) fn vary_last(&mut self, entry: &Entry, calls_end: u64) {
        let Some((last, head)) = entry.sequence.split_last() else { return };
        if !self.replay(head, calls_end) {
            return;
        }
        let mark = self.machine.mark();
        let depth = self.trail.len();
        let mut current = last.clone();
        self.step(current.clone(), true);
        self.keep_if_fresh();
        let mut scene = std::mem::take(&mut self.seen);
        let mut follow_up = None;
        let bare = matches!(&last.action, Action::Call { arguments, .. } if arguments.is_empty());
        let mut left = if bare { BARE_VARIANTS } else { VARIANTS };
        while left > 0 {
            left -= 1;
            if self.calls >= calls_end || self.stopped() || !self.back_to(&mark, depth) {
                return;
            }
            let mut variant = current.clone();
            let attempt = match follow_up.take() {
                Some((next, attempt)) => {
                    variant = next;
                    Some(attempt)
                }
                None if self.rng.u8(0..4) > 0 => self.repair_in(&scene, &mut variant),
                None => None,
            };
            if attempt.is_none() {
                self.mutate(&mut variant);
            }
            let fresh = self.step(variant.clone(), true);
            self.keep_if_fresh();
            let closer = attempt.is_some_and(|a| self.came_closer(&a));
            if let Some(attempt) = attempt.filter(|_| !fresh) {
                follow_up = self.interpolate(&current, &variant, &attempt).map(|t| (t, attempt));
            }
            if fresh || closer {
                // The next comparison on the way is now within reach.
                current = variant;
                std::mem::swap(&mut scene, &mut self.seen);
                left += usize::from(fresh) * 2;
            }
        }
        if !self.stateless && !self.is_alone(last) {
            let length = self.rng.usize(1..6);
            self.tail(length, calls_end);
        }
    }

    pub(super) fn repair(&mut self, transaction: &mut Transaction) -> bool {
        let seen = std::mem::take(&mut self.seen);
        let attempt = self.repair_in(&seen, transaction);
        self.seen = seen;
        attempt.is_some()
    }

    fn repair_in(&mut self, seen: &Seen, transaction: &mut Transaction) -> Option<Attempt> {
        let scene =
            Scene { comparisons: &seen.comparisons, preimages: &seen.preimages, now: seen.now };
        let functions = &self.target.functions;
        repair(&mut self.rng, &self.generator, &self.dictionary, functions, scene, transaction)
    }

    /// The operand that an attempt was to move, as it is after the last transaction.
    fn operand(&self, attempt: &Attempt) -> Option<U256> {
        let comparison = self.seen.comparisons.iter().find(|c| c.site == attempt.site)?;
        Some(if attempt.left { comparison.left } else { comparison.right })
    }

    fn came_closer(&self, attempt: &Attempt) -> bool {
        let before = distance(attempt.have, attempt.want);
        self.operand(attempt).is_some_and(|now| distance(now, attempt.want) < before)
    }

    /// Two points tell the slope: where a single number was changed, goes to where it would fit.
    fn interpolate(
        &self,
        before: &Transaction,
        after: &Transaction,
        attempt: &Attempt,
    ) -> Option<Transaction> {
        let (Action::Call { arguments: old, .. }, Action::Call { arguments: new, function }) =
            (&before.action, &after.action)
        else {
            return None;
        };
        let changed = (0..old.len()).find(|i| old[*i] != new[*i])?;
        let (Value::Word(x0), Value::Word(x1)) = (&old[changed], &new[changed]) else {
            return None;
        };
        let now = self.operand(attempt)?;
        let kind = self.target.functions[*function].function.inputs.get(changed)?;
        let x = secant((*x0, *x1), (attempt.have, now), attempt.want)?;
        let mut next = after.clone();
        let Action::Call { arguments, .. } = &mut next.action else { return None };
        arguments[changed] = Value::Word(kind.clamp(x));
        (next != *after && next != *before).then_some(next)
    }
}
