//! Replacements for single instructions: each does what revm's own does and tells the probe.

#![expect(
    clippy::needless_pass_by_value,
    reason = "revm's instruction table holds functions that take their context by value"
)]

use super::cheats::after_event;
use super::hashes::PAIR;
use super::machine::Context;
use super::probe::{Operator, Probe};
use super::reads::code_hash;
use revm::bytecode::opcode;
use revm::context_interface::Host;
use revm::handler::instructions::EthInstructions;
use revm::interpreter::instructions::{arithmetic, bitwise, block_info, control, host, system};
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::{InputsTr, Jumps};
use revm::interpreter::{
    Instruction, InstructionContext, InstructionExecResult, InstructionResult,
};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, B256, U256};

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
    replace(&mut table, opcode::BLOCKHASH, blockhash);
    replace(&mut table, opcode::SLOAD, sload);
    replace(&mut table, opcode::SSTORE, sstore);
    replace(&mut table, opcode::BALANCE, balance);
    replace(&mut table, opcode::SELFBALANCE, selfbalance);
    replace(&mut table, opcode::EXTCODESIZE, extcodesize);
    replace(&mut table, opcode::EXTCODECOPY, extcodecopy);
    replace(&mut table, opcode::EXTCODEHASH, extcodehash);
    replace(&mut table, opcode::SELFDESTRUCT, selfdestruct);
    replace(&mut table, opcode::LOG1, log::<1>);
    replace(&mut table, opcode::LOG2, log::<2>);
    replace(&mut table, opcode::LOG3, log::<3>);
    replace(&mut table, opcode::LOG4, log::<4>);
    table
}

/// The instruction table for traces: also storage writes are recorded in order.
pub(crate) fn tracing(spec: SpecId) -> Instructions {
    let mut table = fuzzing(spec);
    replace(&mut table, opcode::SSTORE, traced_sstore);
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
    if let Some((offset, PAIR)) = range {
        return keccak256_of_pair(context, offset);
    }
    system::keccak256(inner!(context))?;
    if let Some((offset, size)) = range
        && (1..=MAX_PREIMAGE).contains(&size)
        && let Some(hash) = context.interpreter.stack.data().last()
    {
        let hash = B256::from(*hash);
        let data = context.interpreter.memory.slice_len(offset, size);
        context.host.chain.preimage(hash, &data);
    }
    Ok(())
}

/// Sixty-four bytes are a mapping's key and slot: nobody needs to guess them, and they come again.
fn keccak256_of_pair(context: Call<'_>, offset: usize) -> InstructionExecResult {
    let interpreter = context.interpreter;
    let gas = context.host.gas_params();
    if !interpreter.gas.record_regular_cost(gas.keccak256_cost(PAIR)) {
        return Err(InstructionResult::OutOfGas);
    }
    interpreter.resize_memory(gas, offset, PAIR)?;
    let pair = interpreter.memory.slice_len(offset, PAIR);
    let hash = match pair.first_chunk() {
        Some(pair) => context.host.chain.pairs.hash(pair),
        None => return Err(InstructionResult::MemoryOOG),
    };
    drop(pair);
    interpreter.stack.popn::<1>();
    if let Some(top) = interpreter.stack.top() {
        *top = hash;
    }
    Ok(())
}

fn timestamp(context: Call<'_>) -> InstructionExecResult {
    read_clock(&mut context.host.chain);
    block_info::timestamp(context)
}

fn number(context: Call<'_>) -> InstructionExecResult {
    read_clock(&mut context.host.chain);
    block_info::block_number(context)
}

/// Which hashes there are depends on the block's number.
fn blockhash(context: Call<'_>) -> InstructionExecResult {
    read_clock(&mut context.host.chain);
    host::blockhash(context)
}

fn read_clock(probe: &mut Probe) {
    probe.environment_read = true;
    probe.reads.clock();
}

fn sload(context: Call<'_>) -> InstructionExecResult {
    if !context.host.chain.reads.recording {
        return host::sload(context);
    }
    let slot = context.interpreter.stack.data().last().copied();
    host::sload(inner!(context))?;
    let value = context.interpreter.stack.data().last().copied();
    if let Some((slot, value)) = slot.zip(value) {
        let address = context.interpreter.input.target_address();
        context.host.chain.reads.slot(address, slot, value);
    }
    Ok(())
}

fn sstore(context: Call<'_>) -> InstructionExecResult {
    context.host.chain.reads.nothing_known();
    host::sstore(context)
}

fn balance(context: Call<'_>) -> InstructionExecResult {
    if !context.host.chain.reads.recording {
        return host::balance(context);
    }
    let address = context.interpreter.stack.data().last().map(|word| address_of(*word));
    host::balance(inner!(context))?;
    let balance = context.interpreter.stack.data().last().copied();
    if let Some((address, balance)) = address.zip(balance) {
        context.host.chain.reads.balance(address, balance);
    }
    Ok(())
}

fn selfbalance(context: Call<'_>) -> InstructionExecResult {
    if !context.host.chain.reads.recording {
        return host::selfbalance(context);
    }
    host::selfbalance(inner!(context))?;
    if let Some(balance) = context.interpreter.stack.data().last().copied() {
        let address = context.interpreter.input.target_address();
        context.host.chain.reads.balance(address, balance);
    }
    Ok(())
}

fn extcodesize(mut context: Call<'_>) -> InstructionExecResult {
    read_code(&mut context);
    host::extcodesize(context)
}

fn extcodecopy(mut context: Call<'_>) -> InstructionExecResult {
    read_code(&mut context);
    host::extcodecopy(context)
}

/// The hash of an account without code depends on whether there is an account at all.
fn extcodehash(context: Call<'_>) -> InstructionExecResult {
    context.host.chain.reads.nothing_known();
    host::extcodehash(context)
}

fn address_of(word: U256) -> Address {
    Address::from_word(word.into())
}

fn read_code(context: &mut Call<'_>) {
    if context.host.chain.reads.recording
        && let Some(word) = context.interpreter.stack.data().last()
    {
        let (address, journal) = (address_of(*word), &mut context.host.journaled_state);
        let hash = code_hash(&journal.inner.state, &mut journal.database, address);
        context.host.chain.reads.code(address, hash);
    }
}

fn selfdestruct(context: Call<'_>) -> InstructionExecResult {
    context.host.chain.self_destructed = true;
    context.host.chain.reads.nothing_known();
    let address = context.interpreter.input.target_address();
    let ended = host::selfdestruct(inner!(context));
    // The instruction's way of saying that it has worked.
    if ended == Err(InstructionResult::SelfDestruct) {
        context.host.chain.destroyed.push(address);
    }
    ended
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

fn traced_sstore(context: Call<'_>) -> InstructionExecResult {
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
