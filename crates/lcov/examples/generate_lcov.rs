//! Writes a seeded, realistic tracefile to standard output: `generate_lcov FILES [SEED]`.
//! The benches in `bench/coverage` read it.

use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        |default: u64| arguments.next().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (files, seed) = (number(5_000), number(1));
    let mut random = Random(seed.max(1));
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    writeln!(out, "TN:")?;
    for index in 0..files {
        section(&mut out, &mut random, index)?;
    }
    out.flush()
}

/// About 400 executable lines among 800, one function every 20 lines, one branch every 4.
fn section(out: &mut impl Write, random: &mut Random, index: u64) -> io::Result<()> {
    writeln!(out, "SF:src/package{:03}/module{:02}/file_{index:06}.ts", index % 500, index % 37)?;
    let last = 500 + random.below(600);
    let functions: Vec<_> = (1..last).step_by(20).map(|at| (at, random.hits())).collect();
    for (at, _) in &functions {
        writeln!(out, "FN:{at},function_{at}")?;
    }
    for (at, hits) in &functions {
        writeln!(out, "FNDA:{hits},function_{at}")?;
    }
    let hit = functions.iter().filter(|(_, hits)| *hits > 0).count();
    writeln!(out, "FNF:{}\nFNH:{hit}", functions.len())?;
    branches(out, random, last)?;
    lines(out, random, last)?;
    writeln!(out, "end_of_record")
}

fn branches(out: &mut impl Write, random: &mut Random, last: u64) -> io::Result<()> {
    let (mut found, mut hit) = (0, 0);
    for at in (1..last).step_by(16) {
        for branch in 0..2 {
            let hits = random.hits();
            writeln!(out, "BRDA:{at},{},{branch},{hits}", at / 16)?;
            (found, hit) = (found + 1, hit + u64::from(hits > 0));
        }
    }
    writeln!(out, "BRF:{found}\nBRH:{hit}")
}

fn lines(out: &mut impl Write, random: &mut Random, last: u64) -> io::Result<()> {
    let (mut found, mut hit) = (0, 0);
    for at in 1..=last {
        if random.below(2) == 0 {
            continue;
        }
        let hits = random.hits();
        writeln!(out, "DA:{at},{hits}")?;
        (found, hit) = (found + 1, hit + u64::from(hits > 0));
    }
    writeln!(out, "LF:{found}\nLH:{hit}")
}

/// Xorshift: the same file for the same seed on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// One line in four never runs; most run a few times, some very often.
    fn hits(&mut self) -> u64 {
        match self.below(8) {
            0 | 1 => 0,
            2..=5 => 1 + self.below(9),
            6 => self.below(1_000),
            _ => self.below(1_000_000),
        }
    }
}
