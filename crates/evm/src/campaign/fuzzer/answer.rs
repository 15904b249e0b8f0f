//! A test's last answer, and whether it would be the same now.

use crate::checks::{Test, Verdict, ask};
use crate::vm::{Comparison, Machine, Reads};
use revm::primitives::Address;

/// Comparisons of one test that are noted: the last ones decide.
const HEATED: usize = 4;

/// What came of asking a test, with what the answer rests on.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    /// The last comparisons the test made, the last one first.
    pub(super) comparisons: Vec<Comparison>,
    /// None before the first question.
    reads: Option<Reads>,
}

impl Answer {
    pub(super) fn none() -> Self {
        Self { verdict: Verdict::Holds, comparisons: Vec::new(), reads: None }
    }

    /// Whether the test would read nothing but what it has read, and so answer the same.
    pub(super) fn still_holds(&self, machine: &mut Machine) -> bool {
        self.reads.as_ref().is_some_and(|reads| machine.would_read_the_same(reads))
    }

    /// Asks the test by a call.
    pub(super) fn ask(&mut self, machine: &mut Machine, test: &Test, sender: Address, gas: u64) {
        let reads = self.reads.get_or_insert_default();
        self.verdict = machine.recording(reads, |machine| ask(machine, test, sender, gas));
        self.comparisons.clear();
        let last = machine.probe().comparisons.iter().rev().take(HEATED);
        self.comparisons.extend(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::TestKind;
    use crate::vm::{CodeLayout, Mark, Message, Settings, World};
    use proptest::prelude::*;
    use revm::bytecode::Bytecode;
    use revm::primitives::{Bytes, U256, address};
    use std::sync::Arc;

    const SENDER: Address = address!("0000000000000000000000000000000000010000");
    /// The contract whose test is asked, one that it calls, one that destroys itself, an empty place.
    const PLACES: [Address; 4] = [
        address!("00000000000000000000000000000000000000a0"),
        address!("00000000000000000000000000000000000000a1"),
        address!("00000000000000000000000000000000000000a2"),
        address!("00000000000000000000000000000000000000a3"),
    ];

    /// A part of a test: adds something it reads to what it has.
    #[derive(Clone, Debug)]
    enum Part {
        Slot(u8),
        SlotByWhatIsRead,
        Plain(u8),
        OfPlace(u8, usize),
        BlockHash,
        Call(usize),
        Write(u8),
        IfOdd(Box<Part>),
    }

    impl Part {
        fn code(&self, at: usize) -> Vec<u8> {
            let place =
                |op: u8, index: usize| [&[0x73], PLACES[index].as_slice(), &[op, 0x01]].concat();
            match self {
                Self::Slot(slot) => vec![0x60, *slot, 0x54, 0x01],
                Self::SlotByWhatIsRead => vec![0x80, 0x60, 3, 0x16, 0x54, 0x01],
                Self::Plain(op) => vec![*op, 0x01],
                Self::OfPlace(op, index) => place(*op, *index),
                Self::BlockHash => vec![0x60, 1, 0x43, 0x03, 0x40, 0x01],
                // Into memory from 32 on; a failed call leaves zero there.
                Self::Call(index) => [
                    &[0x60, 32, 0x60, 32, 0x5f, 0x5f, 0x73],
                    PLACES[*index].as_slice(),
                    &[0x5a, 0xfa, 0x01, 0x60, 32, 0x51, 0x01],
                ]
                .concat(),
                Self::Write(slot) => vec![0x80, 0x60, *slot, 0x55],
                Self::IfOdd(part) => {
                    let inner = part.code(at + 8);
                    let end = (at + 8 + inner.len()) as u16;
                    let [high, low] = end.to_be_bytes();
                    let skip = [0x80, 0x60, 1, 0x16, 0x61, high, low, 0x57];
                    [&skip, inner.as_slice(), &[0x5b]].concat()
                }
            }
        }
    }

    fn parts() -> impl Strategy<Value = Vec<Part>> {
        let simple = prop_oneof![
            4 => (0u8..4).prop_map(Part::Slot),
            2 => Just(Part::SlotByWhatIsRead),
            // The gas left, the account's own balance, time, number, base fee, the block's author.
            2 => prop::sample::select(vec![0x5a, 0x47, 0x42, 0x43, 0x48, 0x41]).prop_map(Part::Plain),
            // Balance, size of code, hash of code.
            2 => (prop::sample::select(vec![0x31, 0x3b, 0x3f]), 0usize..4)
                .prop_map(|(op, place)| Part::OfPlace(op, place)),
            1 => Just(Part::BlockHash),
            2 => (1usize..4).prop_map(Part::Call),
            1 => (0u8..4).prop_map(Part::Write),
        ];
        let part = prop_oneof![
            3 => simple.clone(),
            1 => simple.prop_map(|part| Part::IfOdd(Box::new(part))),
        ];
        prop::collection::vec(part, 1..6)
    }

    /// Something that happens between two questions.
    #[derive(Clone, Debug)]
    enum Event {
        Write(usize, u8, u8),
        Send(usize, u8),
        Wait(u8, u8),
        Create,
        Destroy,
        Fail,
        BaseFee,
        Rewind,
        Nothing,
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            6 => (0usize..2, 0u8..4, 0u8..3).prop_map(|(place, slot, value)| Event::Write(place, slot, value)),
            2 => (0usize..4, 0u8..2).prop_map(|(place, value)| Event::Send(place, value)),
            2 => (0u8..2, 0u8..2).prop_map(|(time, blocks)| Event::Wait(time, blocks)),
            1 => Just(Event::Create),
            1 => Just(Event::Destroy),
            1 => Just(Event::Fail),
            1 => Just(Event::BaseFee),
            2 => Just(Event::Rewind),
            2 => Just(Event::Nothing),
        ];
        prop::collection::vec(event, 1..40)
    }

    /// With calldata it writes a slot (or fails, where there is too much of it); without, it runs `asked`.
    fn contract(asked: impl Fn(usize) -> Vec<u8>) -> Bytecode {
        let head = [
            &[0x36, 0x15, 0x61, 0, 23, 0x57, 0x60, 64, 0x36, 0x11, 0x60, 20, 0x57][..],
            &[0x60, 32, 0x35, 0x5f, 0x35, 0x55, 0x00],
            &[0x5b, 0x5f, 0xfd, 0x5b],
        ]
        .concat();
        let asked = asked(head.len());
        Bytecode::new_raw([head, asked].concat().into())
    }

    fn asking(parts: &[Part]) -> Bytecode {
        contract(|start| {
            let mut code = vec![0x5f];
            for part in parts {
                code.extend(part.code(start + code.len()));
            }
            code.extend([0x5f, 0x52, 0x60, 32, 0x5f, 0xf3]);
            code
        })
    }

    fn machine(parts: &[Part]) -> Machine {
        let mut world = World::default();
        world.put(SENDER, U256::from(1_000_000u64), None);
        world.put(PLACES[0], U256::from(1), Some(asking(parts)));
        world.put(PLACES[1], U256::ZERO, Some(asking(&[Part::Slot(0), Part::Slot(1)])));
        let destroys = [&[0x73], PLACES[0].as_slice(), &[0xff]].concat();
        world.put(PLACES[2], U256::from(5), Some(Bytecode::new_raw(destroys.into())));
        let settings = Settings {
            code_size_limit: 0x6000,
            chain_id: 1,
            timestamp: 1000,
            block_number: 1000,
            assertion_topics: Vec::new(),
            allow_ffi: false,
            codes: None,
            environment: std::collections::BTreeMap::new(),
        };
        Machine::new(Arc::new(world), Arc::new(CodeLayout::new(&[])), &settings)
    }

    fn happen(machine: &mut Machine, event: &Event, base: &mut Mark) {
        let send = |machine: &mut Machine, place: usize, value: u8, data: Vec<u8>| {
            machine.call(&Message {
                from: SENDER,
                to: PLACES[place],
                value: U256::from(value),
                data: Bytes::from(data),
                gas: 1_000_000,
                gas_price: 0,
            });
        };
        let word = |number: u8| U256::from(number).to_be_bytes::<32>();
        match event {
            Event::Write(place, slot, value) => {
                send(machine, *place, 0, [word(*slot), word(*value)].concat());
            }
            Event::Send(place, value) => send(machine, *place, *value, vec![0; 64]),
            Event::Wait(time, blocks) => machine.advance((*time).into(), (*blocks).into()),
            Event::Create => {
                // Its code is one byte: STOP.
                let code = Bytes::from(vec![0x60, 1, 0x5f, 0xf3]);
                machine.create(SENDER, Some(PLACES[3]), U256::ZERO, code, 1_000_000);
            }
            Event::Destroy => send(machine, 2, 0, Vec::new()),
            Event::Fail => send(machine, 0, 0, vec![0; 96]),
            Event::BaseFee => machine.set_base_fee(7),
            Event::Rewind if machine.must_reset() => {
                machine.reset();
                *base = machine.mark();
            }
            Event::Rewind => machine.rewind(base),
            Event::Nothing => {}
        }
    }

    fn question() -> Test {
        Test {
            name: "asked".to_owned(),
            kind: TestKind::Optimization,
            address: PLACES[0],
            selector: [0; 4],
            call: Bytes::new(),
            added: None,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn an_answer_that_still_holds_is_the_answer(parts in parts(), events in events()) {
            let mut machine = machine(&parts);
            let mut base = machine.mark();
            let (test, gas) = (question(), 1_000_000);
            let mut answer = Answer::none();
            for event in events {
                happen(&mut machine, &event, &mut base);
                if !answer.still_holds(&mut machine) {
                    answer.ask(&mut machine, &test, SENDER, gas);
                }
                let asked = ask(&mut machine, &test, SENDER, gas);
                prop_assert_eq!(&answer.verdict, &asked, "after {:?}", event);
                let last: Vec<_> = machine.probe().comparisons.iter().rev().take(HEATED).copied().collect();
                prop_assert_eq!(&answer.comparisons, &last);
            }
        }
    }

    /// Whether the answer is taken again after an event.
    fn holds_after(parts: &[Part], event: &Event) -> bool {
        let mut machine = machine(parts);
        let mut base = machine.mark();
        let mut answer = Answer::none();
        answer.ask(&mut machine, &question(), SENDER, 1_000_000);
        happen(&mut machine, event, &mut base);
        answer.still_holds(&mut machine)
    }

    #[test]
    fn only_what_was_read_matters() {
        let slot = [Part::Slot(1)];
        assert!(holds_after(&slot, &Event::Nothing));
        assert!(holds_after(&slot, &Event::Write(0, 2, 1)));
        assert!(holds_after(&slot, &Event::Write(0, 1, 0)));
        assert!(holds_after(&slot, &Event::Wait(1, 1)));
        assert!(holds_after(&slot, &Event::Fail));
        assert!(!holds_after(&slot, &Event::Write(0, 1, 1)));
        assert!(!holds_after(&[Part::Plain(0x42)], &Event::Wait(1, 0)));
        assert!(!holds_after(&[Part::Plain(0x47)], &Event::Send(0, 1)));
        assert!(!holds_after(&[Part::OfPlace(0x3b, 3)], &Event::Create));
        assert!(!holds_after(&[Part::Call(1)], &Event::Write(1, 0, 1)));
        assert!(holds_after(&[Part::Call(1)], &Event::Write(1, 3, 1)));
        // What writes is asked every time.
        assert!(!holds_after(&[Part::Write(1)], &Event::Nothing));
    }
}
