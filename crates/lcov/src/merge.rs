//! Putting sections together: lines, branches and conditions by union, counts by addition.
//!
//! Merging is commutative and associative in counts, and merging a report with itself changes
//! nothing about what is covered (tests/properties.rs).

use std::collections::{BTreeMap, HashMap};

use bstr::BString;

use crate::branches::Branches;
use crate::model::{
    Branch, BranchId, BranchKind, Condition, Coverage, Function, Section, Tracefile,
};
use crate::note::{NoteKind, Notes};
use crate::path::normal_path;
use crate::totals::larger;

impl Tracefile {
    /// Adds everything another tracefile says. What either declares in `LF`/`LH` says nothing about
    /// the union, so it is dropped; the notes stay.
    pub fn merge(&mut self, other: Self) {
        let mut index = SectionIndex::default();
        index.notes.extend(&self.notes);
        index.notes.extend(&other.notes);
        for section in std::mem::take(&mut self.sections).into_iter().chain(other.sections) {
            index.add(section);
        }
        *self = index.into_tracefile();
    }

    /// One section for each file, all tests together under an empty name.
    pub fn without_tests(self) -> Self {
        let mut index = SectionIndex { notes: self.notes, ..SectionIndex::default() };
        for section in self.sections {
            index.add(Section { test: BString::default(), ..section });
        }
        Self { declared: self.declared, ..index.into_tracefile() }
    }
}

/// Sections by test and file, merged as they come in.
#[derive(Debug, Default)]
pub(crate) struct SectionIndex {
    sections: Vec<Section>,
    by_key: HashMap<Box<[u8]>, u32>,
    notes: Notes,
}

impl SectionIndex {
    pub(crate) fn add(&mut self, section: Section) {
        let path = normal_path(&section.path);
        let key: Box<[u8]> = [section.test.as_slice(), b"\n", &path].concat().into();
        if let Some(at) = self.by_key.get(&key) {
            return self.sections[*at as usize].merge(section, &mut self.notes);
        }
        self.by_key.insert(key, self.sections.len() as u32);
        self.sections.push(section);
    }

    pub(crate) fn into_tracefile(self) -> Tracefile {
        Tracefile { sections: self.sections, notes: self.notes, declared: None }
    }
}

impl Section {
    fn merge(&mut self, other: Self, notes: &mut Notes) {
        match (&self.version, other.version) {
            (None, version) => self.version = version,
            (Some(mine), Some(theirs)) if *mine != theirs => {
                notes.add(NoteKind::VersionConflict, 0);
            }
            _ => {}
        }
        self.coverage.merge(other.coverage, notes);
    }
}

impl Coverage {
    /// Adds what another run did in the same file.
    pub fn merge(&mut self, other: Self, notes: &mut Notes) {
        self.lines.merge(&other.lines);
        if self.summary.is_some() || other.summary.is_some() {
            notes.add(NoteKind::SummaryMerged, 0);
        }
        self.summary = larger(self.summary, other.summary).filter(|_| self.lines.is_empty());
        self.functions.extend(other.functions);
        settle_functions(&mut self.functions);
        self.branches = merge_branches(std::mem::take(&mut self.branches), other.branches);
        self.conditions.extend(other.conditions);
        settle_conditions(&mut self.conditions);
        merge_checksums(&mut self.checksums, other.checksums, notes);
    }
}

/// Functions that begin on one line and share a name are one function.
pub(crate) fn settle_functions(functions: &mut Vec<Function>) {
    let one_name = functions.iter().all(|function| function.aliases.len() == 1);
    if one_name && functions.is_sorted_by(|a, b| a.start < b.start) {
        return;
    }
    let mut by_start: BTreeMap<u32, Vec<Function>> = BTreeMap::new();
    for function in functions.drain(..) {
        join(by_start.entry(function.start).or_default(), function);
    }
    *functions = by_start.into_values().flatten().collect();
    functions.shrink_to_fit();
}

fn join(group: &mut Vec<Function>, mut new: Function) {
    let related = |function: &mut Function| {
        function.aliases.iter().any(|a| new.aliases.iter().any(|b| a.name == b.name))
    };
    let same: Vec<Function> = group.extract_if(.., related).collect();
    for function in same {
        new.end = new.end.max(function.end);
        new.aliases.extend(function.aliases);
    }
    new.aliases.sort();
    new.aliases.dedup_by(|next, kept| {
        let same = next.name == kept.name;
        if same {
            kept.hits = kept.hits.saturating_add(next.hits);
        }
        same
    });
    let at = group.partition_point(|function| function.aliases < new.aliases);
    group.insert(at, new);
}

/// Brings a section's own branches into order; one that is listed twice is added up.
pub(crate) fn settle_branches(branches: &mut Vec<Branch>) {
    if branches.is_sorted_by(|a, b| place(a) < place(b)) {
        return;
    }
    branches.sort_by(|a, b| place(a).cmp(&place(b)));
    branches.dedup_by(|next, kept| {
        let same = place(next) == place(kept);
        if same {
            add_branch(kept, next);
        }
        same
    });
}

pub(crate) fn place(branch: &Branch) -> (u32, u32, BranchKind, &BranchId) {
    (branch.line, branch.block, branch.kind, &branch.id)
}

fn add_branch(kept: &mut Branch, other: &Branch) {
    kept.taken = kept.taken.plus(other.taken);
    kept.unreachable &= other.unreachable;
}

/// Compilers number the blocks of a line anew in every object file, so blocks of two sections are
/// matched by what branches they have and by their order, not by number, as lcov 2.x does.
fn merge_branches(mine: Branches, theirs: Branches) -> Branches {
    if theirs.is_empty() || mine.is_empty() {
        return if mine.is_empty() { theirs } else { mine };
    }
    let (mut mine, theirs): (Vec<_>, Vec<_>) = (mine.iter().collect(), theirs.iter().collect());
    if mine.len() == theirs.len() && mine.iter().zip(&theirs).all(|(a, b)| place(a) == place(b)) {
        mine.iter_mut().zip(&theirs).for_each(|(a, b)| add_branch(a, b));
        return mine.into_iter().collect();
    }
    let mut blocks: BTreeMap<BlockKey, Vec<Branch>> = BTreeMap::new();
    for side in [mine, theirs] {
        for (key, block) in keyed_blocks(&side) {
            match blocks.entry(key) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(block);
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    entry.get_mut().iter_mut().zip(&block).for_each(|(a, b)| add_branch(a, b));
                }
            }
        }
    }
    renumbered(blocks).into_iter().collect()
}

/// Line, what branches the block has, and which of the line's blocks with those branches it is.
type BlockKey = (u32, Vec<(BranchKind, BranchId)>, usize);

fn keyed_blocks(branches: &[Branch]) -> Vec<(BlockKey, Vec<Branch>)> {
    let mut seen: HashMap<(u32, Vec<(BranchKind, BranchId)>), usize> = HashMap::new();
    let mut keyed = Vec::new();
    for block in branches.chunk_by(|a, b| (a.line, a.block) == (b.line, b.block)) {
        let signature: Vec<_> = block.iter().map(|b| (b.kind, b.id.clone())).collect();
        let turn = seen.entry((block[0].line, signature.clone())).or_default();
        keyed.push(((block[0].line, signature, *turn), block.to_vec()));
        *turn += 1;
    }
    keyed
}

fn renumbered(blocks: BTreeMap<BlockKey, Vec<Branch>>) -> Vec<Branch> {
    let mut branches = Vec::with_capacity(blocks.values().map(Vec::len).sum());
    let (mut line, mut number) = (0, 0);
    for ((at, ..), block) in blocks {
        number = if at == line { number + 1 } else { 0 };
        line = at;
        branches.extend(block.into_iter().map(|branch| Branch { block: number, ..branch }));
    }
    branches
}

/// Brings conditions into order; equal ones are added up.
pub(crate) fn settle_conditions(conditions: &mut Vec<Condition>) {
    conditions.sort();
    conditions.dedup_by(|next, kept| {
        let same = condition_place(next) == condition_place(kept);
        if same {
            kept.hits = kept.hits.saturating_add(next.hits);
            kept.unreachable &= next.unreachable;
        }
        same
    });
}

fn condition_place(c: &Condition) -> (u32, u32, u32, bool, &BString) {
    (c.line, c.group_size, c.index, c.sense, &c.expression)
}

fn merge_checksums(mine: &mut Vec<(u32, BString)>, theirs: Vec<(u32, BString)>, notes: &mut Notes) {
    if *mine == theirs || theirs.is_empty() {
        return;
    }
    let mut all: BTreeMap<u32, BString> = std::mem::take(mine).into_iter().collect();
    for (line, checksum) in theirs {
        let kept = all.entry(line).or_insert_with(|| checksum.clone());
        if *kept != checksum {
            notes.add(NoteKind::ChecksumConflict, 0);
        }
    }
    *mine = all.into_iter().collect();
}
