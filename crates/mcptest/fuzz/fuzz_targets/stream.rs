//! Any bytes, cut anywhere: the events are the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_mcptest::Cutter;

fuzz_target!(|input: (u8, &[u8])| {
    let (at, bytes) = input;
    let whole = Cutter::default().push(bytes).expect("no event is that long");
    let (first, second) = bytes.split_at(usize::from(at).min(bytes.len()));
    let mut cutter = Cutter::default();
    let mut pieces = cutter.push(first).expect("no event is that long");
    pieces.extend(cutter.push(second).expect("no event is that long"));
    assert_eq!(whole, pieces);
});
