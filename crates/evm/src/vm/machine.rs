//! Transactions, one after the other, on one thread.

use super::cheats::Cheats;
use super::codes::CodeLayout;
use super::hooks;
use super::message::{Ending, Message, Outcome, Settings, intrinsic_gas, panic_code};
use super::probe::Probe;
use super::reads::Reads;
use super::trace::{CallKind, Trace, TraceCall};
use super::world::{SharedWorld, World};
use revm::bytecode::Bytecode;
use revm::context::{BlockEnv, CfgEnv, Evm, Journal, LocalContext, TxEnv};
use revm::context_interface::journaled_state::JournalCheckpoint;
use revm::context_interface::{CreateScheme, JournalTr, LocalContextTr};
use revm::handler::instructions::EthInstructions;
use revm::handler::{EthFrame, EvmTr, FrameResult, ItemOrResult};
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_action::FrameInit;
use revm::interpreter::{
    CallInput, CallInputs, CallScheme, CallValue, CreateInputs, FrameInput, InstructionResult,
    SharedMemory,
};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, B256, Bytes, Log, U256};
use std::sync::Arc;

pub(crate) type Context =
    revm::Context<BlockEnv, TxEnv, CfgEnv, SharedWorld, Journal<SharedWorld>, Probe, LocalContext>;
type Engine =
    Evm<Context, (), EthInstructions<EthInterpreter, Context>, Cheats, EthFrame<EthInterpreter>>;

/// A point in time that a machine can go back to.
#[derive(Clone, Debug)]
pub struct Mark {
    checkpoint: JournalCheckpoint,
    block: BlockEnv,
    chain_id: u64,
    failed: bool,
}

/// An EVM with a world, a journal and probes.
pub struct Machine {
    engine: Engine,
    start: BlockEnv,
    chain_id: u64,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("block", &self.engine.ctx.block).finish_non_exhaustive()
    }
}

impl Machine {
    /// A machine for fuzzing.
    pub fn new(world: Arc<World>, layout: Arc<CodeLayout>, settings: &Settings) -> Self {
        Self::with_table(world, layout, settings, hooks::fuzzing(SpecId::OSAKA))
    }

    /// A machine that records traces, at some cost per storage write.
    pub fn tracing(world: Arc<World>, layout: Arc<CodeLayout>, settings: &Settings) -> Self {
        Self::with_table(world, layout, settings, hooks::tracing(SpecId::OSAKA))
    }

    fn with_table(
        world: Arc<World>,
        layout: Arc<CodeLayout>,
        settings: &Settings,
        table: EthInstructions<EthInterpreter, Context>,
    ) -> Self {
        let mut context = Context::new(SharedWorld(world), SpecId::OSAKA);
        context.cfg.limit_contract_code_size = Some(settings.code_size_limit);
        context.cfg.limit_contract_initcode_size = Some(settings.code_size_limit.saturating_mul(2));
        context.cfg.chain_id = settings.chain_id;
        context.cfg.memory_limit = 128 << 20;
        context.block.timestamp = U256::from(settings.timestamp);
        context.block.number = U256::from(settings.block_number);
        context.block.gas_limit = u64::MAX;
        context.block.basefee = 0;
        context.block.prevrandao = Some(B256::ZERO);
        context.chain = Probe::new(layout, settings.assertion_topics.clone());
        context.chain.cheats.start_with(&settings.environment);
        let cheats = Cheats::new(SpecId::OSAKA, settings);
        context.journaled_state.warm_precompiles(cheats.addresses());
        let start = context.block.clone();
        let engine = Engine::new(context, table, cheats);
        Self { engine, start, chain_id: settings.chain_id }
    }

    /// The probe with everything seen since the last call began.
    pub fn probe(&self) -> &Probe {
        &self.engine.ctx.chain
    }

    pub(crate) fn probe_mut(&mut self) -> &mut Probe {
        &mut self.engine.ctx.chain
    }

    /// Whether calls to an address never reach code there.
    pub(crate) fn is_precompile(&self, address: &Address) -> bool {
        self.engine.precompiles.addresses().contains(address)
    }

    /// The current block's time and number.
    pub fn now(&self) -> (U256, U256) {
        (self.engine.ctx.block.timestamp, self.engine.ctx.block.number)
    }

    /// The events of the last call that took effect.
    pub fn logs(&self) -> &[Log] {
        &self.engine.ctx.journaled_state.inner.logs
    }

    /// Lets time pass and blocks go by.
    pub fn advance(&mut self, seconds: u64, blocks: u64) {
        let block = &mut self.engine.ctx.block;
        block.timestamp = block.timestamp.saturating_add(U256::from(seconds));
        block.number = block.number.saturating_add(U256::from(blocks));
    }

    /// Remembers this point.
    pub fn mark(&mut self) -> Mark {
        let journal = &mut self.engine.ctx.journaled_state.inner;
        journal.logs.clear();
        let checkpoint = journal.checkpoint();
        journal.checkpoint_commit();
        Mark {
            checkpoint,
            block: self.engine.ctx.block.clone(),
            chain_id: self.engine.ctx.cfg.chain_id,
            failed: self.engine.ctx.chain.cheats.failed,
        }
    }

    /// Goes back to a point that lies before now in the same life (see [`Machine::reset`]).
    pub fn rewind(&mut self, mark: &Mark) {
        let journal = &mut self.engine.ctx.journaled_state.inner;
        journal.logs.clear();
        journal.checkpoint_revert(mark.checkpoint);
        journal.transient_storage.clear();
        self.engine.ctx.block.clone_from(&mark.block);
        self.engine.ctx.cfg.chain_id = mark.chain_id;
        let cheats = &mut self.probe_mut().cheats;
        cheats.end_of_sequence();
        cheats.failed = mark.failed;
    }

    /// Undoes one call; what cheatcodes keep over calls stays.
    pub(crate) fn rewind_call(&mut self, mark: &Mark) {
        let context = &mut self.engine.ctx;
        let journal = &mut context.journaled_state.inner;
        journal.logs.clear();
        journal.checkpoint_revert(mark.checkpoint);
        journal.transient_storage.clear();
        if context.block != mark.block {
            context.block.clone_from(&mark.block);
        }
        context.cfg.chain_id = mark.chain_id;
        context.chain.cheats.failed = mark.failed;
    }

    /// Whether something happened that [`Machine::rewind`] can't undo.
    pub fn must_reset(&self) -> bool {
        self.probe().self_destructed
    }

    /// Back to the world as it was at the beginning. Marks made before are void.
    pub fn reset(&mut self) {
        let _ = self.engine.ctx.journaled_state.inner.finalize();
        self.engine.ctx.block.clone_from(&self.start);
        self.engine.ctx.cfg.chain_id = self.chain_id;
        let probe = self.probe_mut();
        probe.self_destructed = false;
        probe.cheats.end_of_sequence();
    }

    /// Takes the changed state out, to be made the world of other machines.
    pub(crate) fn take_state(&mut self) -> revm::state::EvmState {
        self.engine.ctx.journaled_state.inner.finalize()
    }

    /// Makes the current block the one sequences start from.
    pub(crate) fn keep_block(&mut self) -> (U256, U256) {
        self.start = self.engine.ctx.block.clone();
        self.now()
    }

    /// Sets the block that sequences start from.
    pub(crate) fn start_at(&mut self, (timestamp, number): (U256, U256)) {
        self.start.timestamp = timestamp;
        self.start.number = number;
        self.engine.ctx.block.clone_from(&self.start);
    }

    #[cfg(test)]
    pub(crate) fn set_base_fee(&mut self, fee: u64) {
        self.engine.ctx.block.basefee = fee;
    }

    /// Ether of an account.
    pub fn balance(&mut self, address: Address) -> U256 {
        let load = self.engine.ctx.journaled_state.load_account(address);
        load.map(|a| a.info.balance).unwrap_or_default()
    }

    /// Code of an account.
    pub fn code(&mut self, address: Address) -> Bytes {
        let load = self.engine.ctx.journaled_state.load_account_with_code(address);
        load.map(|a| a.info.code.as_ref().map(Bytecode::original_bytes).unwrap_or_default())
            .unwrap_or_default()
    }

    /// One storage slot.
    pub fn storage(&mut self, address: Address, slot: U256) -> U256 {
        let journal = &mut self.engine.ctx.journaled_state;
        let _ = journal.load_account(address);
        journal.sload(address, slot).map(|s| s.data).unwrap_or_default()
    }

    /// Runs a call and keeps its effects if it succeeds.
    pub fn call(&mut self, message: &Message) -> Outcome {
        self.call_code(message, None)
    }

    /// Runs a call as if the account called had this code.
    pub fn call_with_code(&mut self, message: &Message, code: &Bytecode) -> Outcome {
        self.call_code(message, Some(code))
    }

    fn call_code(&mut self, message: &Message, code: Option<&Bytecode>) -> Outcome {
        self.prepare(message.from, message.gas_price);
        let intrinsic = intrinsic_gas(&message.data);
        let Some(gas_limit) = message.gas.checked_sub(intrinsic) else {
            let (ending, gas_used) = (Ending::OutOfGas, message.gas);
            return Outcome { ending, output: Bytes::new(), gas_used, created: None };
        };
        let journal = &mut self.engine.ctx.journaled_state;
        let outer = journal.checkpoint();
        let mut known_bytecode = journal
            .load_account_with_code(message.to)
            .map(|a| (a.info.code_hash, a.info.code.clone().unwrap_or_default()))
            .unwrap_or_default();
        match code {
            Some(code) => known_bytecode = (code.hash_slow(), code.clone()),
            None => self.engine.ctx.chain.reads.code(message.to, known_bytecode.0),
        }
        if !message.value.is_zero() {
            let _ = journal.balance_incr(message.from, message.value);
        }
        let inputs = CallInputs {
            input: CallInput::Bytes(message.data.clone()),
            return_memory_offset: 0..0,
            gas_limit,
            reservoir: 0,
            bytecode_address: message.to,
            known_bytecode,
            target_address: message.to,
            caller: message.from,
            value: CallValue::Transfer(message.value),
            scheme: CallScheme::Call,
            is_static: false,
            charged_new_account_state_gas: false,
        };
        let result = self.run(FrameInput::Call(Box::new(inputs)));
        let outcome = self.conclude(outer, result);
        Outcome { gas_used: outcome.gas_used + intrinsic, ..outcome }
    }

    /// Runs calls and tells what they read of the world.
    pub(crate) fn recording<T>(
        &mut self,
        reads: &mut Reads,
        calls: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let context = &mut self.engine.ctx;
        std::mem::swap(&mut context.chain.reads, reads);
        context.chain.reads.begin(&context.block, context.cfg.chain_id);
        // A mocked call, an expected revert: what cheatcodes have prepared is no part of the world.
        if context.chain.cheats.in_use || context.chain.cheats.failed {
            context.chain.reads.nothing_known();
        }
        let result = calls(self);
        let own = &mut self.engine.ctx.chain.reads;
        own.recording = false;
        std::mem::swap(own, reads);
        result
    }

    /// Whether calls that have read this would read the same now.
    pub(crate) fn would_read_the_same(&mut self, reads: &Reads) -> bool {
        let context = &mut self.engine.ctx;
        let prepared = context.chain.cheats.in_use || context.chain.cheats.failed;
        let journal = &mut context.journaled_state;
        !prepared
            && !reads.is_opaque()
            && reads.still_hold(
                &journal.inner.state,
                &mut journal.database,
                &context.block,
                context.cfg.chain_id,
            )
    }

    /// Runs creation code, putting the contract at `address` when one is given.
    pub fn create(
        &mut self,
        from: Address,
        address: Option<Address>,
        value: U256,
        code: Bytes,
        gas: u64,
    ) -> Outcome {
        self.prepare(from, 0);
        let journal = &mut self.engine.ctx.journaled_state;
        let outer = journal.checkpoint();
        if !value.is_zero() {
            let _ = journal.balance_incr(from, value);
        }
        let scheme = match address {
            Some(address) => CreateScheme::Custom { address },
            None => CreateScheme::Create,
        };
        let inputs = CreateInputs::new(from, scheme, value, code, gas, 0);
        let result = self.run(FrameInput::Create(Box::new(inputs)));
        self.conclude(outer, result)
    }

    /// Records a trace of the next call.
    pub fn record(&mut self) {
        self.probe_mut().trace = Some(Trace::default());
    }

    /// The trace of the last call, if one was asked for.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.probe_mut().trace.take()
    }

    fn prepare(&mut self, from: Address, gas_price: u128) {
        let context = &mut self.engine.ctx;
        context.tx.caller = from;
        context.tx.gas_price = gas_price;
        context.journaled_state.inner.logs.clear();
        let _ = context.journaled_state.load_account(from);
        context.chain.begin();
        context.chain.cheats.begin(from);
    }

    fn conclude(&mut self, outer: JournalCheckpoint, result: FrameResult) -> Outcome {
        let (created, result) = match result {
            FrameResult::Call(call) => (None, call.result),
            FrameResult::Create(create) => (create.address, create.result),
        };
        let journal = &mut self.engine.ctx.journaled_state;
        if result.result.is_ok() {
            journal.checkpoint_commit();
        } else {
            journal.checkpoint_revert(outer);
            let cheats = &mut self.engine.ctx.chain.cheats;
            cheats.failed = cheats.failed_before;
        }
        let journal = &mut journal.inner;
        journal.transient_storage.clear();
        journal.depth = 0;
        journal.transaction_id.increment();
        journal.warm_addresses.clear_coinbase_and_access_list();
        self.engine.ctx.local.clear();
        self.engine.frame_stack.clear();
        Outcome {
            ending: result.result.into(),
            gas_used: result.gas.total_gas_spent(),
            output: result.output,
            created,
        }
    }

    fn run(&mut self, frame_input: FrameInput) -> FrameResult {
        let local = &self.engine.ctx.local;
        let mut memory = SharedMemory::new_with_buffer(local.shared_memory_buffer().clone());
        memory.set_memory_limit(self.engine.ctx.cfg.memory_limit);
        if let Some(result) = self.enter(FrameInit { depth: 0, memory, frame_input }) {
            return result;
        }
        loop {
            let result = match self.engine.frame_run().expect("an in-memory world never fails") {
                ItemOrResult::Item(init) => match self.enter(init) {
                    None => continue,
                    Some(result) => result,
                },
                ItemOrResult::Result(result) => {
                    let success = result.interpreter_result().result.is_ok();
                    self.engine.ctx.chain.leave(success);
                    self.after(result)
                }
            };
            let handed_up = self.engine.frame_return_result(result);
            if let Some(last) = handed_up.expect("an in-memory world never fails") {
                return last;
            }
        }
    }

    /// Opens a frame; a call that has no code to run is answered at once.
    fn enter(&mut self, mut init: FrameInit) -> Option<FrameResult> {
        if self.engine.ctx.chain.cheats.in_use
            && let Some(answer) = super::cheats::before_call(&mut self.engine.ctx, &mut init)
        {
            return Some(answer);
        }
        if self.engine.ctx.chain.trace.is_some() {
            self.trace_enter(&init.frame_input);
        }
        if self.engine.ctx.chain.reads.recording && init.depth > 0 {
            note_frame(&mut self.engine.ctx.chain, &init.frame_input);
        }
        let creation = matches!(init.frame_input, FrameInput::Create(_));
        let opened = self.engine.frame_init(init).expect("an in-memory world never fails");
        if let ItemOrResult::Result(result) = opened {
            return Some(self.after(result));
        }
        let bytecode = &self.engine.frame_stack.get().interpreter.bytecode;
        let hash = if creation { None } else { bytecode.hash() };
        self.engine.ctx.chain.enter(hash, bytecode.original_byte_slice());
        None
    }

    /// Looks at a frame's result before its caller does.
    fn after(&mut self, mut result: FrameResult) -> FrameResult {
        let ended = result.interpreter_result();
        let probe = &mut self.engine.ctx.chain;
        if ended.result == InstructionResult::Revert
            && let Some(code) = panic_code(&ended.output)
        {
            probe.assertion_panic |= code == 0x01;
            probe.overflow_panic |= code == 0x11;
        }
        if let FrameResult::Create(create) = &result {
            probe.created.extend(create.address.filter(|_| create.result.result.is_ok()));
        }
        if let Some(trace) = &mut probe.trace {
            let ending = format!("{:?}", ended.result);
            let gas = ended.gas.total_gas_spent();
            trace.leave(ended.result.is_ok(), ending, ended.output.clone(), gas);
        }
        if probe.cheats.in_use {
            super::cheats::after_call(probe, &mut result);
        }
        result
    }

    fn trace_enter(&mut self, input: &FrameInput) {
        let nothing = TraceCall {
            kind: CallKind::Call,
            from: Address::ZERO,
            to: Address::ZERO,
            value: U256::ZERO,
            input: Bytes::new(),
            output: Bytes::new(),
            success: false,
            ending: String::new(),
            gas_used: 0,
            depth: 0,
            items: Vec::new(),
        };
        let call = match input {
            FrameInput::Empty => nothing,
            FrameInput::Call(call) => TraceCall {
                kind: match call.scheme {
                    CallScheme::Call => CallKind::Call,
                    CallScheme::StaticCall => CallKind::Static,
                    CallScheme::DelegateCall | CallScheme::CallCode => CallKind::Delegate,
                },
                from: call.caller,
                to: call.bytecode_address,
                value: call.value.get(),
                input: call.input.bytes(&self.engine.ctx),
                ..nothing
            },
            FrameInput::Create(create) => {
                let load = self.engine.ctx.journaled_state.load_account(create.caller());
                let nonce = load.map(|a| a.info.nonce).unwrap_or_default();
                TraceCall {
                    kind: CallKind::Create,
                    from: create.caller(),
                    to: create.created_address(nonce),
                    value: create.value(),
                    input: create.init_code().clone(),
                    ..nothing
                }
            }
        };
        if let Some(trace) = &mut self.engine.ctx.chain.trace {
            trace.enter(call);
        }
    }
}

/// A frame reads the code it runs; one that creates or sends ether does more than read.
fn note_frame(probe: &mut Probe, input: &FrameInput) {
    match input {
        FrameInput::Call(call) if !call.transfers_value() => {
            probe.reads.code(call.bytecode_address, call.known_bytecode.0);
        }
        _ => probe.reads.nothing_known(),
    }
}
