//! Expected events and expected calls: promises about what is still to come, kept or broken when the
//! frame that made them goes on.

use super::calls::fail;
use super::{Answer, Desk, Row, address, bytes, done, word};
use crate::abi::Value;
use crate::vm::cheat_state::{ExpectedCall, ExpectedEvent};
use crate::vm::probe::Probe;
use revm::handler::FrameResult;
use revm::primitives::{Address, Bytes, Log, U256, hex};

pub(super) const TABLE: &[Row] = &[
    ("expectEmit()", "", |desk, _| expect_event(desk, [true; 4], None)),
    ("expectEmit(address)", "", |desk, v| expect_event(desk, [true; 4], Some(address(v, 0)))),
    ("expectEmit(bool,bool,bool,bool)", "", |desk, v| expect_event(desk, checked(v), None)),
    ("expectEmit(bool,bool,bool,bool,address)", "", |desk, v| {
        expect_event(desk, checked(v), Some(address(v, 4)))
    }),
    ("expectCall(address,bytes)", "", |desk, v| expect_call(desk, v, None, 1, None)),
    ("expectCall(address,bytes,uint64)", "", |desk, v| {
        expect_call(desk, v, None, 1, Some(word(v, 2)))
    }),
    ("expectCall(address,uint256,bytes)", "", |desk, v| {
        expect_call(desk, v, Some(word(v, 1)), 2, None)
    }),
    ("expectCall(address,uint256,bytes,uint64)", "", |desk, v| {
        expect_call(desk, v, Some(word(v, 1)), 2, Some(word(v, 3)))
    }),
];

/// Which topics and whether the data must be the same.
fn checked(values: &[Value]) -> [bool; 4] {
    [0, 1, 2, 3].map(|index| !word(values, index).is_zero())
}

fn expect_event(desk: &mut Desk<'_>, checked: [bool; 4], emitter: Option<Address>) -> Answer {
    let depth = desk.depth;
    let cheats = &mut desk.context.chain.cheats;
    cheats.in_use = true;
    cheats.expected_events.push(ExpectedEvent {
        depth,
        checked,
        emitter,
        pattern: None,
        seen: false,
    });
    done()
}

fn expect_call(
    desk: &mut Desk<'_>,
    values: &[Value],
    value: Option<U256>,
    data: usize,
    count: Option<U256>,
) -> Answer {
    let depth = desk.depth;
    let cheats = &mut desk.context.chain.cheats;
    cheats.in_use = true;
    cheats.expected_calls.push(ExpectedCall {
        depth,
        to: address(values, 0),
        value,
        data: Bytes::copy_from_slice(bytes(values, data)),
        count: count.map(|count| count.saturating_to()),
        seen: 0,
    });
    done()
}

/// An event was emitted: the pattern of a promise that has none yet, or one that was promised.
pub(in crate::vm) fn after_event(probe: &mut Probe, log: &Log) {
    let depth = probe.depth();
    let events = &mut probe.cheats.expected_events;
    let waiting = events.iter_mut().find(|e| e.pattern.is_none() && e.depth == depth);
    if let Some(waiting) = waiting {
        waiting.pattern = Some(log.clone());
        return;
    }
    // In the order they were promised.
    let next = events.iter_mut().find(|e| !e.seen);
    if let Some(next) = next.filter(|e| e.fits(log)) {
        next.seen = true;
    }
}

/// A call is about to be made.
pub(super) fn count_call(probe: &mut Probe, to: Address, value: U256, data: &[u8]) {
    for expected in &mut probe.cheats.expected_calls {
        let fits = expected.to == to
            && expected.value.is_none_or(|v| v == value)
            && data.starts_with(&expected.data);
        expected.seen += u64::from(fits);
    }
}

/// A frame has ended: a promise of its caller about this call, or of the frame itself.
pub(super) fn after_frame(probe: &mut Probe, result: &mut FrameResult) {
    let depth = probe.depth();
    let over = |made_at: usize| depth <= made_at;
    let ready = |e: &ExpectedEvent| over(e.depth) && (e.pattern.is_some() || depth < e.depth);
    let events = &mut probe.cheats.expected_events;
    let broken = events.iter().any(|e| ready(e) && !e.seen);
    events.retain(|e| !ready(e));
    if broken && result.interpreter_result().result.is_ok() {
        fail(result, "log != expected log: the expected event was not emitted by the next call");
    }
    let calls = &mut probe.cheats.expected_calls;
    let missed = calls.iter().find(|c| depth < c.depth && !c.is_kept()).cloned();
    calls.retain(|c| depth >= c.depth);
    if let Some(missed) = missed.filter(|_| result.interpreter_result().result.is_ok()) {
        fail(result, &missed.complaint());
    }
}

impl ExpectedEvent {
    fn fits(&self, log: &Log) -> bool {
        let Some(pattern) = &self.pattern else { return false };
        let (ours, theirs) = (pattern.data.topics(), log.data.topics());
        let topic = |index: usize| ours.get(index) == theirs.get(index);
        self.emitter.is_none_or(|emitter| emitter == log.address)
            && ours.len() == theirs.len()
            && topic(0)
            && (1..4).all(|index| !self.checked[index - 1] || topic(index))
            && (!self.checked[3] || pattern.data.data == log.data.data)
    }
}

impl ExpectedCall {
    fn is_kept(&self) -> bool {
        self.count.map_or(self.seen > 0, |count| count == self.seen)
    }

    fn complaint(&self) -> String {
        format!(
            "expected call to {} with data {} to be made {} time(s), but it was made {} time(s)",
            self.to,
            hex::encode_prefixed(&self.data),
            self.count.unwrap_or(1),
            self.seen
        )
    }
}
