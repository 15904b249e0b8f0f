//! Executable lines and how often each ran, packed: a line takes two or three bytes, because a report
//! may have tens of millions.

use std::cmp::Ordering;

use crate::pack::{put, take};

/// A line is looked up from the nearest of these steps.
const STEP: u32 = 128;

/// Executable lines, ascending, and how often each ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// For each line how far it is from the one before, and its hits.
    bytes: Box<[u8]>,
    steps: Box<[Step]>,
    found: u32,
    hit: u32,
    last: u32,
}

/// Where every so many lines begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// The line before.
    after: u32,
    at: u32,
}

impl Lines {
    /// How many lines are executable.
    pub fn found(&self) -> u64 {
        u64::from(self.found)
    }

    /// How many lines ran.
    pub fn hit(&self) -> u64 {
        u64::from(self.hit)
    }

    /// How often a line ran; `None` where it is not executable.
    pub fn get(&self, line: u32) -> Option<u64> {
        let step = self.steps.partition_point(|step| step.after < line).checked_sub(1);
        let step = step.map_or(Step { after: 0, at: 0 }, |step| self.steps[step]);
        let rest = &self.bytes[step.at as usize..];
        let mut lines = Iter { rest, line: step.after };
        lines.find(|(number, _)| *number >= line).filter(|(number, _)| *number == line).map(|l| l.1)
    }

    /// Lines and hits, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        Iter { rest: &self.bytes, line: 0 }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found == 0
    }

    /// The last executable line.
    pub fn last(&self) -> Option<u32> {
        (self.found > 0).then_some(self.last)
    }

    /// Bytes this takes in memory, about.
    pub fn size(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.steps)
    }

    /// Adds the other's lines and counts.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        let mut packer = LinePacker::default();
        let (mut mine, mut theirs) = (self.iter().peekable(), other.iter().peekable());
        while let (Some(a), Some(b)) = (mine.peek().copied(), theirs.peek().copied()) {
            match a.0.cmp(&b.0) {
                Ordering::Less => packer.add(a.0, a.1),
                Ordering::Greater => packer.add(b.0, b.1),
                Ordering::Equal => packer.add(a.0, a.1.saturating_add(b.1)),
            }
            mine.next_if(|_| a.0 <= b.0);
            theirs.next_if(|_| b.0 <= a.0);
        }
        mine.chain(theirs).for_each(|(line, hits)| packer.add(line, hits));
        *self = packer.finish();
    }
}

impl FromIterator<(u32, u64)> for Lines {
    /// Lines in any order; those that come twice are added up.
    fn from_iter<I: IntoIterator<Item = (u32, u64)>>(lines: I) -> Self {
        let mut packer = LinePacker::default();
        lines.into_iter().for_each(|(line, hits)| packer.add(line, hits));
        packer.finish()
    }
}

struct Iter<'a> {
    rest: &'a [u8],
    line: u32,
}

impl Iterator for Iter<'_> {
    type Item = (u32, u64);

    #[inline]
    fn next(&mut self) -> Option<(u32, u64)> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += take(&mut self.rest) as u32;
        Some((self.line, take(&mut self.rest)))
    }
}

/// Packs lines as they come. What it holds is empty again after `finish`, but keeps its room.
#[derive(Debug, Default)]
pub(crate) struct LinePacker {
    bytes: Vec<u8>,
    steps: Vec<Step>,
    found: u32,
    hit: u32,
    last: u32,
    /// All lines, once one came out of order.
    loose: Vec<(u32, u64)>,
}

impl LinePacker {
    /// Adds a line; lines nearly always come in order.
    #[inline]
    pub(crate) fn add(&mut self, line: u32, hits: u64) {
        if line > self.last && self.loose.is_empty() {
            return self.pack(line, hits);
        }
        self.loosen(line, hits);
    }

    pub(crate) fn finish(&mut self) -> Lines {
        if !self.loose.is_empty() {
            self.tighten();
        }
        let lines = Lines {
            bytes: self.bytes.as_slice().into(),
            steps: self.steps.as_slice().into(),
            found: self.found,
            hit: self.hit,
            last: self.last,
        };
        self.clear();
        lines
    }

    #[inline]
    fn pack(&mut self, line: u32, hits: u64) {
        put(&mut self.bytes, u64::from(line - self.last));
        put(&mut self.bytes, hits);
        self.last = line;
        self.found += 1;
        self.hit += u32::from(hits > 0);
        if self.found.is_multiple_of(STEP) {
            self.steps.push(Step { after: line, at: self.bytes.len() as u32 });
        }
    }

    #[cold]
    fn loosen(&mut self, line: u32, hits: u64) {
        if self.loose.is_empty() {
            self.loose.extend(Iter { rest: &self.bytes, line: 0 });
        }
        self.loose.push((line, hits));
    }

    fn tighten(&mut self) {
        let mut loose = std::mem::take(&mut self.loose);
        loose.sort_by_key(|(line, _)| *line);
        self.clear();
        for same in loose.chunk_by(|a, b| a.0 == b.0) {
            let hits = same.iter().fold(0_u64, |sum, (_, hits)| sum.saturating_add(*hits));
            self.pack(same[0].0, hits);
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.steps.clear();
        (self.found, self.hit, self.last) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looked_up_over_every_step() {
        let hits = |line: u32| u64::from(line % 5).wrapping_mul(u64::from(line).wrapping_pow(3));
        let all: Vec<u32> = (1..2_000).filter(|line| line % 3 != 0).chain([u32::MAX]).collect();
        let lines: Lines = all.iter().rev().map(|line| (*line, hits(*line))).collect();
        assert!(lines.iter().eq(all.iter().map(|line| (*line, hits(*line)))));
        for line in (0..2_010).chain([u32::MAX - 1, u32::MAX]) {
            let expected = all.binary_search(&line).ok().map(|_| hits(line));
            assert_eq!(lines.get(line), expected, "{line}");
        }
        let ran = all.iter().filter(|line| hits(**line) > 0).count() as u64;
        assert_eq!(
            (lines.found(), lines.hit(), lines.last()),
            (all.len() as u64, ran, Some(u32::MAX))
        );
    }
}
