//! Names for what a trace holds: functions, events, addresses, variables.

use crate::abi::{AbiType, Function, Value, decode, event_signature, render, render_call};
use crate::reason::revert_reason;
use crate::target::Target;
use crate::vm::{CHEAT_ADDRESS, CallKind, TraceCall};
use revm::primitives::{Address, Log, U256, hex, keccak256};
use rustc_hash::FxHashMap;

/// Knows the names of one target.
pub(super) struct Names<'a> {
    target: &'a Target,
    functions: FxHashMap<[u8; 4], &'a Function>,
    addresses: FxHashMap<Address, String>,
    /// Mapping slots seen: hash to `name[key]`.
    slots: FxHashMap<U256, String>,
}

impl<'a> Names<'a> {
    pub(super) fn new(target: &'a Target) -> Self {
        let contracts = target.artifacts.contracts.iter();
        let functions = contracts.flat_map(|c| &c.functions).map(|f| (f.selector, f)).collect();
        let mut addresses: FxHashMap<Address, String> = target
            .deployed
            .iter()
            .map(|(address, index)| (*address, target.artifacts.contracts[*index].name.clone()))
            .collect();
        addresses.insert(target.address, target.contract().name.clone());
        addresses.insert(CHEAT_ADDRESS, "vm".to_owned());
        Self { target, functions, addresses, slots: FxHashMap::default() }
    }

    pub(super) fn name(&mut self, address: Address, name: String) {
        self.addresses.entry(address).or_insert(name);
    }

    pub(super) fn address(&self, address: Address) -> String {
        self.addresses.get(&address).cloned().unwrap_or_else(|| format!("{address:#x}"))
    }

    /// `Contract.function(arguments)`, or raw data where no ABI tells.
    pub(super) fn call(&self, call: &TraceCall) -> String {
        let to = self.address(call.to);
        if call.kind == CallKind::Create {
            return format!("new {to}");
        }
        let function = call.input.first_chunk::<4>().and_then(|s| self.functions.get(s));
        let known = function.and_then(|f| Some((f, decode(&f.inputs, call.input.get(4..)?)?)));
        match known {
            Some((function, values)) => format!("{to}.{}", render_call(function, &values)),
            None if call.input.is_empty() => format!("{to}.()"),
            None => {
                format!("{to}.{}", hex::encode_prefixed(&call.input[..call.input.len().min(68)]))
            }
        }
    }

    /// What a frame gave back.
    pub(super) fn result(&self, call: &TraceCall) -> String {
        if call.kind == CallKind::Create {
            return if call.success { "created".to_owned() } else { self.reason(call) };
        }
        if !call.success {
            return self.reason(call);
        }
        let function = call.input.first_chunk::<4>().and_then(|s| self.functions.get(s));
        let outputs = function.map(|f| f.outputs.as_slice()).unwrap_or_default();
        match decode(outputs, &call.output) {
            Some(values) if !outputs.is_empty() => {
                let shown: Vec<_> =
                    outputs.iter().zip(&values).map(|(k, v)| render(k, v)).collect();
                format!("({})", shown.join(", "))
            }
            _ if call.output.is_empty() => "()".to_owned(),
            _ => hex::encode_prefixed(&call.output[..call.output.len().min(64)]),
        }
    }

    fn reason(&self, call: &TraceCall) -> String {
        if call.ending == "Revert" {
            let contracts: Vec<_> = self.target.artifacts.contracts.iter().collect();
            format!("reverted: {}", revert_reason(&call.output, &contracts))
        } else {
            format!("failed: {}", call.ending)
        }
    }

    /// `Event(name: value, …)`.
    pub(super) fn event(&self, log: &Log) -> String {
        self.decoded_event(log).unwrap_or_else(|| {
            let topics: Vec<_> = log.data.topics().iter().map(ToString::to_string).collect();
            format!("log([{}], {})", topics.join(", "), hex::encode_prefixed(&log.data.data))
        })
    }

    fn decoded_event(&self, log: &Log) -> Option<String> {
        let topic = log.data.topics().first()?;
        let events = self.target.artifacts.contracts.iter().flat_map(|c| c.abi.events());
        let event = events.into_iter().find(|e| e.selector() == *topic && !e.anonymous)?;
        let signature = event_signature(event).ok()?;
        let plain: Vec<AbiType> =
            signature.iter().filter(|(_, indexed)| !indexed).map(|(k, _)| k.clone()).collect();
        let mut data = decode(&plain, &log.data.data)?.into_iter();
        let mut topics = log.data.topics()[1..].iter();
        let mut shown = Vec::new();
        for ((kind, indexed), input) in signature.iter().zip(&event.inputs) {
            let value = if *indexed {
                let word = Value::Word((*topics.next()?).into());
                // Only the hash of an indexed string or array is in the topic.
                render(if kind.is_word() { kind } else { &AbiType::FixedBytes(32) }, &word)
            } else {
                render(kind, &data.next()?)
            };
            let name =
                if input.name.is_empty() { String::new() } else { format!("{}: ", input.name) };
            shown.push(format!("{name}{value}"));
        }
        Some(format!("{}({})", event.name, shown.join(", ")))
    }

    /// Learns the slots of mappings from a key that may be used in them.
    pub(super) fn learn_key(&mut self, kind: &AbiType, word: U256) {
        let contracts = self.target.deployed.values().copied().chain([self.target.contract]);
        for index in contracts.collect::<Vec<_>>() {
            let Some(layout) = &self.target.artifacts.contracts[index].storage else { continue };
            for variable in layout.variables.iter().filter(|v| v.encoding == "mapping") {
                let mut data = word.to_be_bytes::<32>().to_vec();
                data.extend_from_slice(&U256::from(variable.slot).to_be_bytes::<32>());
                let slot = U256::from_be_bytes(keccak256(data).0);
                let key = render(kind, &Value::Word(word));
                self.slots.entry(slot).or_insert_with(|| format!("{}[{key}]", variable.name));
            }
        }
    }

    /// The variables that changed in a slot, with their values before and after.
    pub(super) fn slot(
        &self,
        address: Address,
        slot: U256,
        before: U256,
        after: U256,
    ) -> Vec<(String, String, String)> {
        let index = self.target.deployed.get(&address);
        let layout = index.and_then(|i| self.target.artifacts.contracts[*i].storage.as_ref());
        let plain = u64::try_from(slot).ok();
        let variables = layout.zip(plain).map(|(l, s)| l.in_slot(s).collect::<Vec<_>>());
        let mut changes = Vec::new();
        for variable in variables.unwrap_or_default() {
            let part = |word: U256| {
                let width = 8 * variable.size.min(32);
                let shifted = word >> (8 * variable.offset);
                if width >= 256 {
                    shifted
                } else {
                    shifted & ((U256::from(1) << width) - U256::from(1))
                }
            };
            let kind = AbiType::parse(&variable.type_name).ok().filter(AbiType::is_word);
            let show = |word: U256| match &kind {
                Some(AbiType::Int(bits)) => {
                    let kind = AbiType::Int(*bits);
                    render(&kind, &Value::Word(kind.clamp(word)))
                }
                Some(AbiType::FixedBytes(_)) | None => format!("{word:#x}"),
                Some(kind) => render(kind, &Value::Word(word)),
            };
            let (old, new) = (part(before), part(after));
            if old != new {
                changes.push((variable.name.clone(), show(old), show(new)));
            }
        }
        if changes.is_empty() {
            let name = self.slots.get(&slot).cloned().unwrap_or_else(|| format!("slot {slot:#x}"));
            changes.push((name, before.to_string(), after.to_string()));
        }
        changes
    }
}
