//! The branches of a file, packed: six bytes each in most reports, which may have millions.

use bstr::BString;

use crate::merge::settle_branches;
use crate::model::{Branch, BranchId, BranchKind, Taken};
use crate::pack::{put, take};

/// The bits of a branch's first byte: two for its kind, then these.
const UNREACHABLE: u8 = 4;
const NAMED: u8 = 8;

/// Branches, by line, block, kind and name; each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    bytes: Box<[u8]>,
    count: u32,
}

impl Branches {
    /// The branches, in order.
    pub fn iter(&self) -> impl Iterator<Item = Branch> + '_ {
        Iter { rest: &self.bytes, line: 0 }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes this takes in memory, about.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

impl FromIterator<Branch> for Branches {
    /// Branches in any order; one that comes twice is added up.
    fn from_iter<I: IntoIterator<Item = Branch>>(branches: I) -> Self {
        let mut packer =
            BranchPacker { loose: branches.into_iter().collect(), ..Default::default() };
        packer.finish()
    }
}

struct Iter<'a> {
    rest: &'a [u8],
    line: u32,
}

impl Iterator for Iter<'_> {
    type Item = Branch;

    fn next(&mut self) -> Option<Branch> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.line += take(&mut self.rest) as u32;
        let block = take(&mut self.rest) as u32;
        let id = self.id(first & NAMED != 0);
        let kind = match first & 3 {
            0 => BranchKind::Plain,
            1 => BranchKind::Exception,
            _ => BranchKind::Fallthrough,
        };
        let unreachable = first & UNREACHABLE != 0;
        let taken = take(&mut self.rest).checked_sub(1);
        let taken = taken.map_or(Taken::NEVER_EVALUATED, Taken::times);
        Some(Branch { line: self.line, block, kind, unreachable, id, taken })
    }
}

impl Iter<'_> {
    fn id(&mut self, named: bool) -> BranchId {
        let number = take(&mut self.rest);
        if !named {
            return BranchId::Number(number as u32);
        }
        let (name, rest) = self.rest.split_at(self.rest.len().min(number as usize));
        self.rest = rest;
        BranchId::Name(Box::new(BString::from(name)))
    }
}

/// Packs branches as they come. What it holds is empty again after `finish`, but keeps its room.
#[derive(Debug, Default)]
pub(crate) struct BranchPacker {
    bytes: Vec<u8>,
    count: u32,
    /// Line, block and number of the last one.
    last: (u32, u32, u32),
    /// All branches, once one came that has a name or is out of order.
    loose: Vec<Branch>,
}

impl BranchPacker {
    /// Adds a plain branch with a number; those nearly always come in order.
    #[inline]
    pub(crate) fn add_plain(&mut self, line: u32, block: u32, number: u32, taken: Taken) {
        let next = (line, block, number);
        if (next > self.last || self.count == 0) && self.loose.is_empty() {
            self.bytes.push(0);
            put(&mut self.bytes, u64::from(line - self.last.0));
            put(&mut self.bytes, u64::from(block));
            put(&mut self.bytes, u64::from(number));
            put(&mut self.bytes, taken.count().map_or(0, |times| times + 1));
            self.count += 1;
            self.last = next;
            return;
        }
        let (kind, id) = (BranchKind::Plain, BranchId::Number(number));
        self.loosen(Branch { line, block, kind, unreachable: false, id, taken });
    }

    /// Adds any branch.
    pub(crate) fn add(&mut self, branch: Branch) {
        match branch {
            Branch {
                line,
                block,
                kind: BranchKind::Plain,
                unreachable: false,
                id: BranchId::Number(number),
                taken,
            } => self.add_plain(line, block, number, taken),
            branch => self.loosen(branch),
        }
    }

    pub(crate) fn finish(&mut self) -> Branches {
        if !self.loose.is_empty() {
            let mut loose = std::mem::take(&mut self.loose);
            settle_branches(&mut loose);
            self.clear();
            for branch in &loose {
                self.pack(branch);
            }
        }
        let branches = Branches { bytes: self.bytes.as_slice().into(), count: self.count };
        self.clear();
        branches
    }

    fn loosen(&mut self, branch: Branch) {
        if self.loose.is_empty() {
            self.loose.extend(Iter { rest: &self.bytes, line: 0 });
        }
        self.loose.push(branch);
    }

    fn pack(&mut self, branch: &Branch) {
        let kind = match branch.kind {
            BranchKind::Plain => 0,
            BranchKind::Exception => 1,
            BranchKind::Fallthrough => 2,
        };
        let unreachable = if branch.unreachable { UNREACHABLE } else { 0 };
        let named = if matches!(branch.id, BranchId::Name(_)) { NAMED } else { 0 };
        self.bytes.push(kind | unreachable | named);
        put(&mut self.bytes, u64::from(branch.line - self.last.0));
        put(&mut self.bytes, u64::from(branch.block));
        match &branch.id {
            BranchId::Number(number) => put(&mut self.bytes, u64::from(*number)),
            BranchId::Name(name) => {
                put(&mut self.bytes, name.len() as u64);
                self.bytes.extend_from_slice(name);
            }
        }
        put(&mut self.bytes, branch.taken.count().map_or(0, |times| times + 1));
        self.count += 1;
        self.last.0 = branch.line;
    }

    fn clear(&mut self) {
        self.bytes.clear();
        (self.count, self.last) = (0, (0, 0, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::place;

    #[test]
    fn every_kind_comes_back() {
        let kinds = [BranchKind::Plain, BranchKind::Exception, BranchKind::Fallthrough];
        let ids = ["0", "7", "4294967295", "07", "jump to, line 7", ""];
        let times =
            [Taken::NEVER_EVALUATED, Taken::times(0), Taken::times(3), Taken::times(u64::MAX)];
        let mut all = Vec::new();
        for (at, (kind, id)) in kinds.iter().flat_map(|k| ids.map(|id| (*k, id))).enumerate() {
            let id = BranchId::from_bytes(id.as_bytes());
            let (line, block) = (3 + at as u32 * 70, at as u32 % 3);
            let (unreachable, taken) = (at % 2 == 0, times[at % 4]);
            all.push(Branch { line, block, kind, unreachable, id, taken });
        }
        let packed: Branches = all.iter().rev().cloned().collect();
        assert_eq!(packed.len(), all.len());
        assert!(packed.iter().eq(all.iter().cloned()));
        assert!(all.is_sorted_by(|a, b| place(a) < place(b)));
        let mut packer = BranchPacker::default();
        for branch in &all {
            packer.add(branch.clone());
        }
        assert_eq!(packer.finish(), packed);
    }
}
