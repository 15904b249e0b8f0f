//! Line totals without the model: two bits a line, so that a file of any size is counted in little
//! memory and a line that appears in several sections of its file is still counted once.

use std::collections::HashMap;
use std::io::Read;

use bstr::BString;

use crate::error::Error;
use crate::model::{Summary, Taken};
use crate::note::{Declared, NoteKind, Notes};
use crate::path::{normal_path, path_beneath};
use crate::record::Record;
use crate::scan::{Log, SectionSummary, Sink, scan};
use crate::summary::Declarations;

/// How many lines a tracefile has and how many of them ran, in all and by file.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Executable lines.
    pub found: u64,
    /// Lines that ran.
    pub hit: u64,
    /// The same for each source file, in order of first appearance.
    pub files: Vec<FileTotals>,
    /// The sums of `LF` and `LH`, where they contradict the lines.
    pub declared: Option<Declared>,
    /// What the reader decided on its own.
    pub notes: Notes,
}

/// How many lines one file has and how many of them ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTotals {
    /// The file, as the report spells it first.
    pub path: BString,
    /// Executable lines.
    pub found: u64,
    /// Lines that ran.
    pub hit: u64,
    /// The last executable line; 0 where only a summary is known.
    pub last_line: u32,
}

impl Totals {
    /// Reads a tracefile in one pass.
    pub fn read(reader: impl Read) -> Result<Self, Error> {
        Self::read_beneath(reader, b"")
    }

    /// Reads a tracefile of a project at `root`: a file may be spelled relative to it or in full, and
    /// is one file all the same.
    pub fn read_beneath(reader: impl Read, root: &[u8]) -> Result<Self, Error> {
        let root = normal_path(root).into_owned();
        let mut sink = Counter { root, ..Counter::default() };
        let mut notes = scan(reader, &mut sink)?;
        if sink.summaries_merged {
            notes.add(NoteKind::SummaryMerged, 0);
        }
        let totals = sink.into_totals(notes);
        if totals.found == 0 {
            return Err(Error::NoData("no line of any file is executable"));
        }
        Ok(totals)
    }
}

/// 32 lines: which of them are executable, which ran.
#[derive(Clone, Copy, Debug)]
struct Block {
    at: u32,
    found: u32,
    hit: u32,
}

impl Block {
    fn last_line(&self) -> u32 {
        self.at * 32 + 31 - self.found.leading_zeros()
    }
}

#[derive(Debug)]
struct Entry {
    path: BString,
    blocks: Box<[Block]>,
    summary: Option<Summary>,
}

#[derive(Debug, Default)]
struct Counter {
    root: Vec<u8>,
    entries: Vec<Entry>,
    by_key: HashMap<Box<[u8]>, u32>,
    path: Vec<u8>,
    blocks: Vec<Block>,
    declarations: Declarations,
    summaries_merged: bool,
}

impl Sink for Counter {
    fn open(&mut self, _test: &[u8], path: &[u8]) {
        self.path.clear();
        self.path.extend_from_slice(path);
        self.blocks.clear();
    }

    #[inline]
    fn line(&mut self, number: u32, hits: u64) {
        let (at, bit) = (number >> 5, 1 << (number & 31));
        let hit = if hits > 0 { bit } else { 0 };
        match self.blocks.last_mut() {
            Some(block) if block.at == at => {
                block.found |= bit;
                block.hit |= hit;
            }
            _ => self.blocks.push(Block { at, found: bit, hit }),
        }
    }

    #[inline]
    fn branch(&mut self, _place: [u32; 3], _taken: Taken) {}

    fn record(&mut self, record: Record<'_>) {
        if let Record::Line { line, hits, .. } = record {
            self.line(line, hits.0);
        }
    }

    fn close(&mut self, declared: SectionSummary, log: &mut Log) -> Result<(), &'static str> {
        unite(&mut self.blocks);
        let summary = self.declarations.settle(declared, count(&self.blocks), log)?;
        let normal = normal_path(&self.path);
        let key = path_beneath(&normal, &self.root);
        if let Some(index) = self.by_key.get(key) {
            let entry = &mut self.entries[*index as usize];
            self.summaries_merged |= entry.join(&self.blocks, summary);
            return Ok(());
        }
        self.by_key.insert(key.into(), self.entries.len() as u32);
        let path = BString::from(self.path.as_slice());
        self.entries.push(Entry { path, blocks: self.blocks.as_slice().into(), summary });
        Ok(())
    }
}

impl Counter {
    fn into_totals(self, notes: Notes) -> Totals {
        drop(self.by_key);
        let declared = self.declarations.contradiction();
        let mut totals = Totals { declared, notes, ..Totals::default() };
        totals.files.reserve_exact(self.entries.len());
        for entry in self.entries {
            let Summary { found, hit } = entry.total();
            totals.found = totals.found.saturating_add(found);
            totals.hit = totals.hit.saturating_add(hit);
            let last_line = entry.blocks.last().map_or(0, Block::last_line);
            totals.files.push(FileTotals { path: entry.path, found, hit, last_line });
        }
        totals
    }
}

impl Entry {
    /// Takes in another section of the same file; true where that was not possible line by line.
    fn join(&mut self, blocks: &[Block], summary: Option<Summary>) -> bool {
        let mut all = [&self.blocks, blocks].concat();
        unite(&mut all);
        self.blocks = all.into();
        let both = self.summary.is_some() || summary.is_some();
        self.summary = larger(self.summary, summary);
        both
    }

    fn total(&self) -> Summary {
        match self.summary {
            Some(summary) if self.blocks.is_empty() => summary,
            _ => count(&self.blocks),
        }
    }
}

/// The summary with more lines: a lower bound for what the two have together.
pub(crate) fn larger(a: Option<Summary>, b: Option<Summary>) -> Option<Summary> {
    a.into_iter().chain(b).max_by_key(|summary| (summary.found, summary.hit))
}

/// Sorts the blocks and joins those for the same lines.
fn unite(blocks: &mut Vec<Block>) {
    if blocks.is_sorted_by(|a, b| a.at < b.at) {
        return;
    }
    blocks.sort_unstable_by_key(|block| block.at);
    blocks.dedup_by(|next, block| {
        let same = next.at == block.at;
        if same {
            block.found |= next.found;
            block.hit |= next.hit;
        }
        same
    });
}

fn count(blocks: &[Block]) -> Summary {
    blocks.iter().fold(Summary::default(), |sum, block| Summary {
        found: sum.found + u64::from(block.found.count_ones()),
        hit: sum.hit + u64::from(block.hit.count_ones()),
    })
}
