//! Sequences that come from outside the loop: other workers', the disk's, and those that were put in.

use super::{Fuzzer, Sample};
use crate::abi::{AbiType, Argument, Value};
use crate::campaign::corpus::{Entry, Origin};
use crate::campaign::exchange::Template;
use crate::input::{Action, Transaction};
use std::sync::Arc;

impl Fuzzer {
    /// Takes a sequence of another worker into the corpus, if it reached what is new here.
    pub(crate) fn import(&mut self, entry: &Arc<Entry>) {
        let mut is_new = false;
        for edge in &entry.edges {
            let count = &mut self.machine.probe_mut().edges[*edge as usize];
            is_new |= *count == 0;
            *count = (*count).max(1);
        }
        if is_new {
            self.adopt(entry.clone());
        }
    }

    /// Runs a sequence verbatim with all checks and keeps it whatever it reaches.
    pub(crate) fn run_given(&mut self, sequence: &[Transaction], origin: Origin) {
        self.begin();
        for transaction in sequence {
            if self.stopped() {
                break;
            }
            self.step(transaction.clone(), false);
            if origin == Origin::Injected {
                let success = self.idle.last() == Some(&false);
                let gas = self.trail_gas.last().copied().unwrap_or_default();
                let transaction = transaction.clone();
                self.harvest.samples.push(Sample { transaction, gas, success, injected: true });
            }
        }
        let entry = Arc::new(Entry {
            sequence: if self.trail.len() == sequence.len() {
                self.trail.clone()
            } else {
                sequence.to_vec()
            },
            gas: self.trail_gas.clone(),
            edges: std::mem::take(&mut self.fresh),
            blocks: std::mem::take(&mut self.fresh_blocks),
            origin,
        });
        self.adopt(entry.clone());
        self.harvest.entries.push(entry);
    }

    /// Fills the holes of templates and runs the sequence.
    pub(crate) fn run_templates(&mut self, templates: &[Template]) {
        let mut sequence = Vec::with_capacity(templates.len());
        for template in templates {
            let target = self.target.clone();
            let types = &target.functions[template.function].function.inputs;
            let arguments =
                types.iter().zip(&template.arguments).map(|(kind, argument)| match argument {
                    Argument::Is(value) => value.clone(),
                    Argument::Any => self.draw_value(kind),
                });
            let arguments = arguments.collect();
            sequence.push(Transaction {
                action: Action::Call { function: template.function, arguments },
                to: None,
                sender: template.sender,
                value: template.value,
                gas_price: 0,
                time_delay: 0,
                block_delay: 0,
            });
        }
        self.run_given(&sequence, Origin::Injected);
    }

    pub(crate) fn prioritize(&mut self, functions: Vec<usize>) {
        self.balance = (0, 0);
        self.generator.prioritize(functions);
    }

    pub(super) fn draw_value(&mut self, kind: &AbiType) -> Value {
        self.generator.value(&mut self.rng, &self.dictionary, &self.target.functions, kind)
    }

    pub(super) fn adopt(&mut self, entry: Arc<Entry>) {
        self.queue.push(self.corpus.len());
        self.corpus.push(entry);
    }
}
