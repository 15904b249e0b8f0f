//! A call tree with events and storage writes in the order they happened.

use revm::primitives::{Address, Bytes, Log, U256};

/// How a frame was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// `CALL`.
    Call,
    /// `STATICCALL`.
    Static,
    /// `DELEGATECALL` or `CALLCODE`.
    Delegate,
    /// `CREATE` or `CREATE2`.
    Create,
}

/// One frame.
#[derive(Clone, Debug)]
pub struct TraceCall {
    /// How the frame was entered.
    pub kind: CallKind,
    /// Who called.
    pub from: Address,
    /// Whose code ran.
    pub to: Address,
    /// The ether sent.
    pub value: U256,
    /// Calldata, or creation code.
    pub input: Bytes,
    /// Return data, revert data, or runtime code.
    pub output: Bytes,
    /// Whether the frame succeeded.
    pub success: bool,
    /// revm's name for how the frame ended.
    pub ending: String,
    /// Gas spent in the frame.
    pub gas_used: u64,
    /// Nesting, from 0.
    pub depth: usize,
    /// What happened inside, in order.
    pub items: Vec<TraceItem>,
}

/// Something that happened in a frame.
#[derive(Clone, Debug)]
pub enum TraceItem {
    /// Another frame: its index in [`Trace::calls`].
    Call(usize),
    /// An event.
    Event(Log),
    /// A storage write that changed the slot.
    Store {
        /// Whose storage.
        address: Address,
        /// Which slot.
        slot: U256,
        /// The value before.
        before: U256,
        /// The value after.
        after: U256,
    },
}

/// The trace of one transaction. The first call is the outermost.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every frame, in the order of entering.
    pub calls: Vec<TraceCall>,
    open: Vec<usize>,
}

/// A trace longer than this is cut: nobody reads on, and memory is not free.
const MAX_CALLS: usize = 4096;

impl Trace {
    pub(crate) fn enter(&mut self, call: TraceCall) {
        let index = self.calls.len();
        if index >= MAX_CALLS {
            self.open.push(MAX_CALLS);
            return;
        }
        if let Some(parent) = self.innermost() {
            parent.items.push(TraceItem::Call(index));
        }
        self.calls.push(TraceCall { depth: self.open.len(), ..call });
        self.open.push(index);
    }

    pub(crate) fn leave(&mut self, success: bool, ending: String, output: Bytes, gas_used: u64) {
        let index = self.open.pop();
        if let Some(call) = index.and_then(|i| self.calls.get_mut(i)) {
            call.success = success;
            call.ending = ending;
            call.output = output;
            call.gas_used = gas_used;
        }
    }

    pub(crate) fn event(&mut self, log: Log) {
        if let Some(call) = self.innermost() {
            call.items.push(TraceItem::Event(log));
        }
    }

    pub(crate) fn store(&mut self, address: Address, slot: U256, before: U256, after: U256) {
        if let Some(call) = self.innermost() {
            call.items.push(TraceItem::Store { address, slot, before, after });
        }
    }

    fn innermost(&mut self) -> Option<&mut TraceCall> {
        let index = *self.open.last()?;
        self.calls.get_mut(index)
    }
}
