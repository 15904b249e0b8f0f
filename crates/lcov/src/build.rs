//! From records to the model: one section at a time, then sections of the same file and test merged.

use std::collections::HashMap;
use std::io::Read;

use bstr::BString;
use smallvec::smallvec;

use crate::branches::BranchPacker;
use crate::error::Error;
use crate::lines::LinePacker;
use crate::merge::SectionIndex;
use crate::model::{
    Alias, Aliases, Branch, Condition, Coverage, Function, Section, Summary, Taken, Tracefile,
};
use crate::note::NoteKind;
use crate::record::{BranchRecord, ConditionRecord, Record};
use crate::scan::{Log, SectionSummary, Sink, scan};
use crate::summary::Declarations;

impl Tracefile {
    /// Reads a tracefile and keeps all it says.
    pub fn read(reader: impl Read) -> Result<Self, Error> {
        let mut builder = Builder::default();
        let notes = scan(reader, &mut builder)?;
        let mut trace = builder.sections.into_tracefile();
        trace.notes.extend(&notes);
        trace.declared = builder.declarations.contradiction();
        if trace.sections.iter().all(|section| section.coverage.lines_found() == 0) {
            return Err(Error::NoData("no line of any file is executable"));
        }
        Ok(trace)
    }
}

#[derive(Debug, Default)]
struct Builder {
    sections: SectionIndex,
    section: Section,
    lines: LinePacker,
    branches: BranchPacker,
    functions: Functions,
    declarations: Declarations,
}

impl Sink for Builder {
    fn open(&mut self, test: &[u8], path: &[u8]) {
        self.section = Section { test: test.into(), path: path.into(), ..Section::default() };
    }

    #[inline]
    fn line(&mut self, number: u32, hits: u64) {
        self.lines.add(number, hits);
    }

    #[inline]
    fn branch(&mut self, [line, block, number]: [u32; 3], taken: Taken) {
        self.branches.add_plain(line, block, number, taken);
    }

    fn record(&mut self, record: Record<'_>) {
        let coverage = &mut self.section.coverage;
        match record {
            Record::Line { line, hits, checksum } => {
                self.lines.add(line, hits.0);
                coverage.checksums.extend(checksum.map(|text| (line, text.into())));
            }
            Record::Branch(branch) => self.branches.add(branch.into()),
            Record::Condition(condition) => coverage.conditions.push(condition.into()),
            Record::Version(version) => self.section.version = Some(version.into()),
            function => self.functions.record(&function),
        }
    }

    fn close(&mut self, declared: SectionSummary, log: &mut Log) -> Result<(), &'static str> {
        let mut section = std::mem::take(&mut self.section);
        section.coverage.lines = self.lines.finish();
        section.coverage.functions = self.functions.resolve(log);
        section.coverage.branches = self.branches.finish();
        section.coverage.settle();
        let lines = &section.coverage.lines;
        let counted = Summary { found: lines.found(), hit: lines.hit() };
        section.coverage.summary = self.declarations.settle(declared, counted, log)?;
        self.sections.add(section);
        Ok(())
    }
}

impl From<BranchRecord> for Branch {
    fn from(record: BranchRecord) -> Self {
        Self {
            line: record.line,
            block: record.block,
            kind: record.kind,
            unreachable: record.unreachable,
            id: record.id,
            taken: record.taken.0,
        }
    }
}

impl From<ConditionRecord<'_>> for Condition {
    fn from(record: ConditionRecord<'_>) -> Self {
        Self {
            line: record.line,
            group_size: record.group_size,
            index: record.index,
            sense: record.sense,
            unreachable: record.unreachable,
            expression: record.expression.into(),
            hits: record.hits.0,
        }
    }
}

/// The function records of one section. Counts may stand before or after what they belong to, so
/// nothing is decided before the section ends.
#[derive(Debug, Default)]
struct Functions {
    declared: Vec<Function>,
    /// `FNDA` names, one after the other, and for each its end in them and its count.
    names: Vec<u8>,
    counts: Vec<(usize, u64)>,
    groups: HashMap<u32, Group>,
    group_order: Vec<u32>,
    misfits: u64,
}

impl Functions {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Function { start, end, name } => {
                let alias = Alias { name: name.into(), hits: 0 };
                self.declared.push(Function { start, end, aliases: smallvec![alias] });
            }
            Record::FunctionHits { hits, name } => {
                self.names.extend_from_slice(name);
                self.counts.push((self.names.len(), hits.0));
            }
            Record::FunctionLeader { index, start, end } => {
                let group = self.group(index);
                let again = group.place.replace((start, end)).is_some();
                self.misfits += u64::from(again);
            }
            Record::FunctionAlias { index, hits, name } => {
                let alias = Alias { name: name.into(), hits: hits.0 };
                self.group(index).aliases.push(alias);
            }
            _ => {}
        }
    }

    fn group(&mut self, index: u32) -> &mut Group {
        let order = &mut self.group_order;
        self.groups.entry(index).or_insert_with(|| {
            order.push(index);
            Group::default()
        })
    }

    /// The functions of a section; this is empty again for the next.
    fn resolve(&mut self, log: &mut Log) -> Vec<Function> {
        let mut functions: Vec<Function> = self.declared.drain(..).collect();
        assign_counts(&mut functions, &self.named_counts(), log);
        self.names.clear();
        self.counts.clear();
        for index in std::mem::take(&mut self.group_order) {
            match self.groups.remove(&index).and_then(Group::function) {
                Some(function) => functions.push(function),
                None => self.misfits += 1,
            }
        }
        if std::mem::take(&mut self.misfits) > 0 {
            log.note(NoteKind::MisfitFunction);
        }
        functions
    }

    fn named_counts(&self) -> Vec<(&[u8], u64)> {
        let starts = std::iter::once(0).chain(self.counts.iter().map(|(end, _)| *end));
        let named = starts.zip(&self.counts);
        named.map(|(start, (end, hits))| (&self.names[start..*end], *hits)).collect()
    }
}

/// A function of the newer style: `FNL` says where it is, each `FNA` adds a name.
#[derive(Debug, Default)]
struct Group {
    place: Option<(u32, Option<u32>)>,
    aliases: Aliases,
}

impl Group {
    fn function(self) -> Option<Function> {
        let (start, end) = self.place.filter(|_| !self.aliases.is_empty())?;
        Some(Function { start, end, aliases: self.aliases })
    }
}

/// `FNDA` names a function, and two functions of a file may share a name: the first count of a name
/// goes to its first declaration, the second to the second, and so on.
fn assign_counts(functions: &mut Vec<Function>, counts: &[(&[u8], u64)], log: &mut Log) {
    let in_step = counts.len() == functions.len()
        && functions
            .iter()
            .zip(counts)
            .all(|(function, count)| function.aliases[0].name == count.0);
    if in_step {
        for (function, count) in functions.iter_mut().zip(counts) {
            function.aliases[0].hits = count.1;
        }
        return;
    }
    let mut places: HashMap<BString, (Vec<usize>, usize)> = HashMap::new();
    for (at, function) in functions.iter().enumerate() {
        places.entry(function.aliases[0].name.clone()).or_default().0.push(at);
    }
    for (name, hits) in counts {
        let (places, turn) = places.entry(BString::from(*name)).or_default();
        if places.is_empty() {
            log.note(NoteKind::UndeclaredFunction);
            places.push(functions.len());
            let alias = Alias { name: BString::from(*name), hits: 0 };
            functions.push(Function { start: 0, end: None, aliases: smallvec![alias] });
        }
        let alias = &mut functions[places[*turn % places.len()]].aliases[0];
        alias.hits = alias.hits.saturating_add(*hits);
        *turn += 1;
    }
}

impl Coverage {
    /// Brings what was read into the model's order, equal entries added up.
    pub(crate) fn settle(&mut self) {
        crate::merge::settle_functions(&mut self.functions);
        crate::merge::settle_conditions(&mut self.conditions);
        if !self.checksums.is_sorted_by(|a, b| a.0 < b.0) {
            self.checksums.sort_by_key(|(line, _)| *line);
            self.checksums.dedup_by_key(|(line, _)| *line);
        }
    }
}
