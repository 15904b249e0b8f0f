//! Any text as a source file; its first byte says of which language. Chunks cover every line once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_context::outside;

const NAMES: [&str; 24] = [
    "x.rs", "x.py", "x.js", "x.ts", "x.tsx", "x.go", "x.java", "x.c", "x.cpp", "x.cs", "x.rb",
    "x.php", "x.hs", "x.sol", "x.swift", "x.kt", "x.scala", "x.sh", "x.lua", "x.zig", "x.ex",
    "x.md", "x.yml", "x.json",
];

fuzz_target!(|input: (u8, &str)| {
    let (language, text) = input;
    outside::source_file(NAMES[usize::from(language) % NAMES.len()], text);
});
