//! Replacements for single instructions: each does what revm's own does and tells the probe.

#![expect(
    clippy::needless_pass_by_value,
    reason = "revm's instruction table holds functions that take their context by value"
)]

use super::cheats::after_event;
use super::machine::Context;
use super::probe::Operator;
use revm::bytecode::opcode;
use revm::context_interface::Host;
use revm::handler::instructions::EthInstructions;
use revm::interpreter::instructions::{arithmetic, bitwise, block_info, control, host, system};
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::{InputsTr, Jumps};
use revm::interpreter::{Instruction, InstructionContext, InstructionExecResult};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{B256, U256};

type Call<'a> = InstructionContext<'a, Context, EthInterpreter>;
type Instructions = EthInstructions<EthInterpreter, Context>;

/// Larger inputs are never string keys; copying them would cost.
const MAX_PREIMAGE: usize = 160;

/// The instruction table for fuzzing.
pub(crate) fn fuzzing(spec: SpecId) -> Instructions {
    let mut table = Instructions::new_mainnet_with_spec(spec);
    replace(&mut table, opcode::JUMP, jump);
    replace(&mut table, opcode::JUMPI, jumpi);
    replace(&mut table, opcode::EQ, eq);
    replace(&mut table, opcode::LT, lt);
    replace(&mut table, opcode::GT, gt);
    replace(&mut table, opcode::SLT, slt);
    replace(&mut table, opcode::SGT, sgt);
    replace(&mut table, opcode::ADD, add);
    replace(&mut table, opcode::SUB, sub);
    replace(&mut table, opcode::XOR, xor);
    replace(&mut table, opcode::KECCAK256, keccak256);
    replace(&mut table, opcode::TIMESTAMP, timestamp);
    replace(&mut table, opcode::NUMBER, number);
    replace(&mut table, opcode::SELFDESTRUCT, selfdestruct);
    replace(&mut table, opcode::LOG1, log::<1>);
    replace(&mut table, opcode::LOG2, log::<2>);
    replace(&mut table, opcode::LOG3, log::<3>);
    replace(&mut table, opcode::LOG4, log::<4>);
    table
}

/// The instruction table for traces: also events and storage writes are recorded in order.
pub(crate) fn tracing(spec: SpecId) -> Instructions {
    let mut table = fuzzing(spec);
    replace(&mut table, opcode::SSTORE, sstore);
    table
}

fn replace(table: &mut Instructions, op: u8, hook: fn(Call<'_>) -> InstructionExecResult) {
    let gas = table.gas_table()[op as usize];
    table.insert_instruction(op, Instruction::new(hook), gas);
}

/// Lends the context to revm's own instruction.
macro_rules! inner {
    ($context:ident) => {
        InstructionContext { interpreter: &mut *$context.interpreter, host: &mut *$context.host }
    };
}

fn jump(context: Call<'_>) -> InstructionExecResult {
    let from = context.interpreter.bytecode.pc();
    control::jump(inner!(context))?;
    let to = context.interpreter.bytecode.pc();
    context.host.chain.edge(from, to);
    Ok(())
}

fn jumpi(context: Call<'_>) -> InstructionExecResult {
    let from = context.interpreter.bytecode.pc();
    control::jumpi(inner!(context))?;
    let to = context.interpreter.bytecode.pc();
    context.host.chain.edge(from, to);
    Ok(())
}

macro_rules! comparison {
    ($name:ident, $operator:expr) => {
        fn $name(context: Call<'_>) -> InstructionExecResult {
            if let [.., right, left] = context.interpreter.stack.data().as_slice() {
                let pc = context.interpreter.bytecode.pc();
                context.host.chain.compare(pc, $operator, *left, *right);
            }
            bitwise::$name(inner!(context))
        }
    };
}

comparison!(eq, Operator::Equal);
comparison!(lt, Operator::Unsigned);
comparison!(gt, Operator::Unsigned);
comparison!(slt, Operator::Signed);
comparison!(sgt, Operator::Signed);

/// The optimiser writes `a != b` before a conditional jump as a subtraction, as an exclusive or, or
/// as the sum of one and the other's negative.
#[inline]
fn compare_before_jump(context: &mut Call<'_>, negated: bool) {
    let pc = context.interpreter.bytecode.pc();
    let code = context.interpreter.bytecode.bytes_ref();
    let target = match code.get(pc) {
        Some(0x60) => pc + 2,
        Some(0x61) => pc + 3,
        Some(0x62) => pc + 4,
        _ => return,
    };
    if code.get(target) == Some(&opcode::JUMPI)
        && let [.., right, left] = context.interpreter.stack.data().as_slice()
    {
        let right = if negated { U256::ZERO.wrapping_sub(*right) } else { *right };
        context.host.chain.compare(pc, Operator::Equal, *left, right);
    }
}

fn add(mut context: Call<'_>) -> InstructionExecResult {
    compare_before_jump(&mut context, true);
    arithmetic::add(context)
}

fn sub(mut context: Call<'_>) -> InstructionExecResult {
    compare_before_jump(&mut context, false);
    arithmetic::sub(context)
}

fn xor(mut context: Call<'_>) -> InstructionExecResult {
    compare_before_jump(&mut context, false);
    bitwise::bitxor(context)
}

fn keccak256(context: Call<'_>) -> InstructionExecResult {
    let range = match context.interpreter.stack.data().as_slice() {
        [.., size, offset] => usize::try_from(*offset).ok().zip(usize::try_from(*size).ok()),
        _ => None,
    };
    system::keccak256(inner!(context))?;
    // Sixty-four bytes are a mapping's key and slot, which nobody needs to guess.
    if let Some((offset, size)) = range
        && size != 64
        && (1..=MAX_PREIMAGE).contains(&size)
        && let Some(hash) = context.interpreter.stack.data().last()
    {
        let hash = B256::from(*hash);
        let data = context.interpreter.memory.slice_len(offset, size);
        context.host.chain.preimage(hash, &data);
    }
    Ok(())
}

fn timestamp(context: Call<'_>) -> InstructionExecResult {
    context.host.chain.environment_read = true;
    block_info::timestamp(context)
}

fn number(context: Call<'_>) -> InstructionExecResult {
    context.host.chain.environment_read = true;
    block_info::block_number(context)
}

fn selfdestruct(context: Call<'_>) -> InstructionExecResult {
    context.host.chain.self_destructed = true;
    host::selfdestruct(context)
}

fn log<const N: usize>(context: Call<'_>) -> InstructionExecResult {
    if let [.., topic, _, _] = context.interpreter.stack.data().as_slice() {
        let topic = B256::from(*topic);
        if context.host.chain.assertion_topics.contains(&topic) {
            context.host.chain.assertion_event = true;
        }
    }
    host::log::<N, _>(inner!(context))?;
    let Context { chain, journaled_state, .. } = &mut *context.host;
    if chain.cheats.in_use
        && let Some(log) = journaled_state.inner.logs.last()
    {
        after_event(chain, log);
    }
    if let (Some(trace), Some(log)) = (&mut chain.trace, journaled_state.inner.logs.last()) {
        trace.event(log.clone());
    }
    Ok(())
}

fn sstore(context: Call<'_>) -> InstructionExecResult {
    let written = match context.interpreter.stack.data().as_slice() {
        [.., value, slot] => Some((*slot, *value)),
        _ => None,
    };
    let address = context.interpreter.input.target_address();
    let before = written.map_or(U256::ZERO, |(slot, _)| {
        context.host.sload(address, slot).map(|s| s.data).unwrap_or_default()
    });
    host::sstore(inner!(context))?;
    if let (Some(trace), Some((slot, value))) = (&mut context.host.chain.trace, written)
        && before != value
    {
        trace.store(address, slot, before, value);
    }
    Ok(())
}
