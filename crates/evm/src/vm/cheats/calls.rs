//! Pranks, expected reverts and mocked calls: what happens between frames.

#![expect(clippy::unnecessary_wraps, reason = "all cheatcodes have one type, failing or not")]

use super::expect::{after_frame, count_call};
use super::{Answer, Desk, Row, address, bytes, done, error_data, word};
use crate::abi::Value;
use crate::vm::cheat_state::{CHEAT_ADDRESS, ExpectedRevert, Mock, Prank};
use crate::vm::machine::Context;
use crate::vm::probe::Probe;
use revm::context_interface::JournalTr;
use revm::handler::FrameResult;
use revm::interpreter::interpreter_action::FrameInit;
use revm::interpreter::{
    CallInputs, CallOutcome, FrameInput, Gas, InstructionResult, InterpreterResult,
};
use revm::primitives::{Address, Bytes, U256};

pub(super) const TABLE: &[Row] = &[
    ("prank(address)", "", |desk, v| prank(desk, v, None, true)),
    ("prank(address,address)", "", |desk, v| prank(desk, v, Some(address(v, 1)), true)),
    ("startPrank(address)", "", |desk, v| prank(desk, v, None, false)),
    ("startPrank(address,address)", "", |desk, v| prank(desk, v, Some(address(v, 1)), false)),
    ("stopPrank()", "", stop_prank),
    ("expectRevert()", "", |desk, _| expect_revert(desk, None)),
    ("expectRevert(bytes)", "", |desk, v| expect_revert(desk, Some(bytes(v, 0).to_vec()))),
    ("expectRevert(bytes4)", "", |desk, v| expect_revert(desk, Some(selector_at(v)))),
    ("expectPartialRevert(bytes4)", "", |desk, v| expect_revert(desk, Some(selector_at(v)))),
    ("mockCall(address,bytes,bytes)", "", |desk, v| mock(desk, v, None, (1, 2), false)),
    ("mockCall(address,uint256,bytes,bytes)", "", |desk, v| {
        mock(desk, v, Some(word(v, 1)), (2, 3), false)
    }),
    ("mockCallRevert(address,bytes,bytes)", "", |desk, v| mock(desk, v, None, (1, 2), true)),
    ("clearMockedCalls()", "", |desk, _| {
        desk.context.chain.cheats.mocks.clear();
        done()
    }),
    ("recordLogs()", "", |desk, _| {
        let logs = desk.context.journaled_state.inner.logs.len();
        desk.context.chain.cheats.recorded_logs = Some(logs);
        done()
    }),
    ("getRecordedLogs()", "(bytes32[],bytes,address)[]", recorded_logs),
];

/// Callers decode an answer of the type they expect; zeros satisfy every type.
const DUMMY_ANSWER: usize = 1024;

fn prank(desk: &mut Desk<'_>, values: &[Value], origin: Option<Address>, once: bool) -> Answer {
    let depth = desk.depth;
    let cheats = &mut desk.context.chain.cheats;
    cheats.in_use = true;
    cheats.prank = Some(Prank { caller: address(values, 0), origin, depth, once });
    done()
}

fn stop_prank(desk: &mut Desk<'_>, _: &[Value]) -> Answer {
    desk.context.chain.cheats.prank = None;
    done()
}

fn selector_at(values: &[Value]) -> Vec<u8> {
    word(values, 0).to_be_bytes::<32>()[..4].to_vec()
}

fn expect_revert(desk: &mut Desk<'_>, data: Option<Vec<u8>>) -> Answer {
    let depth = desk.depth;
    let cheats = &mut desk.context.chain.cheats;
    cheats.in_use = true;
    cheats.expected_revert = Some(ExpectedRevert { depth, data: data.map(Bytes::from) });
    done()
}

fn mock(
    desk: &mut Desk<'_>,
    values: &[Value],
    value: Option<U256>,
    (data, answer): (usize, usize),
    reverts: bool,
) -> Answer {
    let mock = Mock {
        to: address(values, 0),
        value,
        data: Bytes::copy_from_slice(bytes(values, data)),
        answer: Bytes::copy_from_slice(bytes(values, answer)),
        reverts,
    };
    let cheats = &mut desk.context.chain.cheats;
    cheats.in_use = true;
    // The latest mock of the same call wins.
    cheats.mocks.insert(0, mock);
    done()
}

fn recorded_logs(desk: &mut Desk<'_>, _: &[Value]) -> Answer {
    let logs = &desk.context.journaled_state.inner.logs;
    let recorded = desk.context.chain.cheats.logs_since(logs);
    let entries = recorded.iter().map(|log| {
        let topics = log.data.topics().iter().map(|t| Value::Word((*t).into())).collect();
        let emitter = super::word_of(log.address);
        let data = Value::Bytes(log.data.data.to_vec());
        Value::List(vec![Value::List(topics), data, Value::Word(emitter)])
    });
    let entries = Value::List(entries.collect());
    desk.context.chain.cheats.recorded_logs = Some(logs.len());
    Ok(vec![entries])
}

/// Applies pranks and mocks to a frame that is about to open.
pub(in crate::vm) fn before_call(
    context: &mut Context,
    init: &mut FrameInit,
) -> Option<FrameResult> {
    let depth = context.chain.depth();
    if let FrameInput::Call(call) = &init.frame_input {
        if call.bytecode_address == CHEAT_ADDRESS {
            return None;
        }
        if !context.chain.cheats.expected_calls.is_empty() {
            let data = call.input.bytes_local(&context.local);
            count_call(&mut context.chain, call.bytecode_address, call.value.get(), &data);
        }
        if let Some(answer) = mocked(context, call) {
            return Some(answer);
        }
    }
    let prank = context.chain.cheats.prank.clone().filter(|p| p.depth == depth)?;
    if prank.once {
        context.chain.cheats.prank = None;
    }
    if let Some(origin) = prank.origin {
        context.tx.caller = origin;
    }
    let _ = context.journaled_state.load_account(prank.caller);
    match &mut init.frame_input {
        FrameInput::Call(call) if !call.scheme.is_delegate_call() => call.caller = prank.caller,
        FrameInput::Create(create) => create.set_call(prank.caller),
        _ => {}
    }
    None
}

fn mocked(context: &Context, call: &CallInputs) -> Option<FrameResult> {
    let mocks = &context.chain.cheats.mocks;
    if mocks.is_empty() {
        return None;
    }
    let data = call.input.bytes_local(&context.local);
    let fits = |m: &&Mock| {
        m.to == call.bytecode_address
            && data.starts_with(&m.data)
            && m.value.is_none_or(|v| v == call.value.get())
    };
    let mock = mocks.iter().find(fits)?;
    let result = if mock.reverts { InstructionResult::Revert } else { InstructionResult::Return };
    Some(FrameResult::Call(CallOutcome::new(
        InterpreterResult::new(result, mock.answer.clone(), Gas::new(call.gas_limit)),
        call.return_memory_offset.clone(),
    )))
}

/// Turns an expected revert into success, and its absence into a revert.
pub(in crate::vm) fn after_call(probe: &mut Probe, result: &mut FrameResult) {
    let depth = probe.depth();
    if let FrameResult::Call(call) = &*result
        && call.was_precompile_called
    {
        // The call was the cheatcode itself.
        return;
    }
    let cheats = &probe.cheats;
    if !cheats.expected_events.is_empty() || !cheats.expected_calls.is_empty() {
        after_frame(probe, result);
    }
    let Some(expected) = probe.cheats.expected_revert.clone() else { return };
    if depth < expected.depth {
        // The frame that expected a revert is over.
        probe.cheats.expected_revert = None;
        if result.interpreter_result().result.is_ok() {
            fail(result, "the call that was expected to revert never came");
        }
        return;
    }
    if depth > expected.depth {
        return;
    }
    probe.cheats.expected_revert = None;
    let ended = result.interpreter_result();
    if ended.result.is_ok() {
        fail(result, "next call did not revert as expected");
    } else if expected.data.as_ref().is_some_and(|data| !revert_matches(data, &ended.output)) {
        fail(result, "the call reverted, but not with the expected data");
    } else {
        succeed(result);
    }
}

/// The expected data is the whole revert data, its selector, or the text of `Error(string)`.
fn revert_matches(expected: &Bytes, found: &Bytes) -> bool {
    expected == found
        || expected.len() == 4 && found.starts_with(expected)
        || error_data(&String::from_utf8_lossy(expected)) == *found
}

pub(super) fn fail(result: &mut FrameResult, reason: &str) {
    set(result, InstructionResult::Revert, error_data(reason));
}

fn succeed(result: &mut FrameResult) {
    set(result, InstructionResult::Return, vec![0; DUMMY_ANSWER].into());
}

fn set(result: &mut FrameResult, ending: InstructionResult, output: Bytes) {
    match result {
        FrameResult::Call(call) => {
            call.result.result = ending;
            call.result.output = output;
        }
        FrameResult::Create(create) => {
            create.result.result = ending;
            create.result.output = output;
            // Solidity takes the zero address for a failed creation.
            create.address = ending.is_ok().then(|| Address::with_last_byte(1));
        }
    }
}
