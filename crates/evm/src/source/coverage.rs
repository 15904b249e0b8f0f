//! Counters, source maps and syntax trees put together.

use super::map::{SourceIndex, Span, parse_map};
use super::tree::Outline;
use crate::artifact::{Artifacts, Contract, Source};
use crate::config::CoverageFormat;
use crate::target::Target;
use crate::vm::{CodeSlot, instruction_starts};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Hits out of what could be hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    /// How many were hit.
    pub hit: usize,
    /// How many there are.
    pub found: usize,
}

impl Ratio {
    fn add(&mut self, hits: u64) {
        self.found += 1;
        self.hit += usize::from(hits > 0);
    }

    /// Percent to one decimal; nothing to hit counts as all hit.
    pub fn percent(self) -> f64 {
        if self.found == 0 {
            return 100.0;
        }
        (self.hit as f64 * 1000.0 / self.found as f64).round() / 10.0
    }
}

/// The coverage of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Files, by path.
    pub files: Vec<FileCoverage>,
    /// Contracts that were deployed.
    pub contracts: Vec<ContractCoverage>,
}

/// One source file.
#[derive(Clone, Debug, Default)]
pub struct FileCoverage {
    /// The path as the compiler knows it.
    pub path: String,
    /// The text, when it is at hand.
    pub text: Option<String>,
    /// Hits by line.
    pub lines: BTreeMap<usize, u64>,
    /// Functions in order of their lines.
    pub functions: Vec<FunctionCoverage>,
    /// Branches in order of their lines.
    pub branches: Vec<BranchCoverage>,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// `Contract.function`.
    pub name: String,
    /// Where it begins.
    pub line: usize,
    /// How often its body was entered.
    pub hits: u64,
}

/// One fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCoverage {
    /// Where it stands.
    pub line: usize,
    /// The condition's stretch of source.
    pub condition: Span,
    /// How often the condition was true.
    pub when_true: u64,
    /// How often the condition was false.
    pub when_false: u64,
}

/// One contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractCoverage {
    /// Its name.
    pub name: String,
    /// Its source file.
    pub file: String,
    /// Lines inside it.
    pub lines: Ratio,
    /// Branch outcomes inside it.
    pub branches: Ratio,
}

impl FileCoverage {
    /// Lines hit and found.
    pub fn line_ratio(&self) -> Ratio {
        let mut ratio = Ratio::default();
        self.lines.values().for_each(|hits| ratio.add(*hits));
        ratio
    }

    /// Branch outcomes hit and found.
    pub fn branch_ratio(&self) -> Ratio {
        let mut ratio = Ratio::default();
        for branch in &self.branches {
            ratio.add(branch.when_true);
            ratio.add(branch.when_false);
        }
        ratio
    }
}

impl Coverage {
    /// Maps counters onto the sources of everything that was deployed.
    pub fn of(target: &Target, hits: &[u64]) -> Self {
        let deployed: BTreeSet<usize> =
            target.deployed.values().copied().chain([target.contract]).collect();
        let instructions = executed(target, hits, &deployed);
        let files: BTreeSet<i64> = instructions.iter().map(|i| i.span.file).collect();
        let sources = target.artifacts.sources.iter().filter(|s| files.contains(&s.id));
        let mut coverage = Self::default();
        for source in sources {
            let here: Vec<_> = instructions.iter().filter(|i| i.span.file == source.id).collect();
            coverage.files.push(file_coverage(source, &here));
        }
        coverage.files.sort_by(|a, b| a.path.cmp(&b.path));
        coverage.contracts = contract_coverage(&target.artifacts, &deployed, &coverage.files);
        coverage
    }

    /// Lines of all files.
    pub fn lines(&self) -> Ratio {
        sum(self.files.iter().map(FileCoverage::line_ratio))
    }

    /// Branch outcomes of all files.
    pub fn branches(&self) -> Ratio {
        sum(self.files.iter().map(FileCoverage::branch_ratio))
    }

    /// The report in LCOV's format.
    pub fn lcov(&self) -> String {
        super::lcov::write(self)
    }

    /// The report in a format.
    pub fn report(&self, format: CoverageFormat) -> String {
        match format {
            CoverageFormat::Text => super::text::write(self),
            CoverageFormat::Html => self.html(),
            CoverageFormat::Lcov => self.lcov(),
        }
    }

    /// The report as one page of HTML.
    pub fn html(&self) -> String {
        super::html::write(self)
    }
}

fn sum(ratios: impl Iterator<Item = Ratio>) -> Ratio {
    ratios.fold(Ratio::default(), |a, b| Ratio { hit: a.hit + b.hit, found: a.found + b.found })
}

/// An instruction, how often it ran and, for a conditional jump, how often it went on.
struct Executed {
    span: Span,
    count: u64,
    fallthrough: Option<u64>,
}

fn executed(target: &Target, hits: &[u64], deployed: &BTreeSet<usize>) -> Vec<Executed> {
    let mut all = Vec::new();
    for (slot, code) in target.layout.known() {
        let Some(index) = slot.contract.map(|c| c as usize).filter(|c| deployed.contains(c)) else {
            continue;
        };
        let contract: &Contract = &target.artifacts.contracts[index];
        let map = if slot.creation { &contract.creation_map } else { &contract.runtime_map };
        if let Some(map) = map {
            count_instructions(slot, code, &parse_map(map), hits, &mut all);
        }
    }
    all
}

/// Counters stand where blocks begin; inside a block every instruction runs as often as the first.
fn count_instructions(
    slot: CodeSlot,
    code: &[u8],
    spans: &[Span],
    hits: &[u64],
    out: &mut Vec<Executed>,
) {
    const JUMP: u8 = 0x56;
    const JUMPI: u8 = 0x57;
    const JUMPDEST: u8 = 0x5b;
    let at = |pc: usize| hits.get(slot.base as usize + pc).copied().unwrap_or(0);
    let mut count = at(0);
    let mut after_jumpi = false;
    for (pc, span) in instruction_starts(code).into_iter().zip(spans) {
        let op = code[pc];
        if after_jumpi {
            // Going on after a conditional jump is counted like a jump to here.
            count = at(pc);
        } else if op == JUMPDEST && pc > 0 {
            count += at(pc);
        }
        after_jumpi = op == JUMPI;
        let fallthrough = after_jumpi.then(|| at(pc + 1).min(count));
        if span.file >= 0 {
            out.push(Executed { span: *span, count, fallthrough });
        }
        let ends = matches!(op, JUMP | 0x00 | 0xf3 | 0xfd | 0xfe | 0xff);
        if ends {
            count = 0;
        }
    }
}

fn file_coverage(source: &Source, instructions: &[&Executed]) -> FileCoverage {
    let index = SourceIndex::new(source.text.as_deref().unwrap_or(""));
    let mut file = FileCoverage {
        path: source.path.clone(),
        text: source.text.clone(),
        ..FileCoverage::default()
    };
    if source.text.is_none() {
        return file;
    }
    let Some(ast) = &source.ast else {
        lines_without_tree(&index, instructions, &mut file);
        return file;
    };
    let outline = Outline::of(ast);
    let counts = Counts::new(instructions);
    for statement in &outline.statements {
        if let Some(hits) = counts.inside(*statement) {
            let line = file.lines.entry(index.line(statement.start)).or_insert(0);
            *line = (*line).max(hits);
        }
    }
    for function in &outline.functions {
        let hits = counts.inside(function.body).or_else(|| counts.inside(function.span));
        file.functions.push(FunctionCoverage {
            name: function.name.clone(),
            line: index.line(function.span.start),
            hits: hits.unwrap_or(0),
        });
    }
    for branch in &outline.branches {
        let jump = counts.jump(branch.span).or_else(|| counts.jump(branch.condition));
        let Some((count, fallthrough)) = jump else { continue };
        let jumped = count.saturating_sub(fallthrough);
        let (when_true, when_false) =
            if branch.jumps_when_true { (jumped, fallthrough) } else { (fallthrough, jumped) };
        let line = index.line(branch.span.start);
        let condition = branch.condition;
        file.branches.push(BranchCoverage { line, condition, when_true, when_false });
    }
    file.functions.sort_by_key(|f| f.line);
    file.branches.sort_by_key(|b| b.line);
    file
}

/// Without a syntax tree, every line that an instruction begins on can be covered.
fn lines_without_tree(index: &SourceIndex, instructions: &[&Executed], file: &mut FileCoverage) {
    let whole = instructions.iter().map(|i| i.span.length).max().unwrap_or(0);
    for instruction in instructions.iter().filter(|i| i.span.length < whole) {
        let line = file.lines.entry(index.line(instruction.span.start)).or_insert(0);
        *line = (*line).max(instruction.count);
        if let Some(fallthrough) = instruction.fallthrough {
            file.branches.push(BranchCoverage {
                line: index.line(instruction.span.start),
                condition: instruction.span,
                when_true: fallthrough,
                when_false: instruction.count - fallthrough,
            });
        }
    }
    file.branches.sort_by_key(|b| b.line);
}

/// Instructions of one file, ready to be asked by stretch.
struct Counts<'a> {
    sorted: Vec<&'a Executed>,
    jumps: FxHashMap<(usize, usize), (u64, u64)>,
}

impl<'a> Counts<'a> {
    fn new(instructions: &[&'a Executed]) -> Self {
        let mut sorted = instructions.to_vec();
        sorted.sort_by_key(|i| i.span.start);
        let mut jumps = FxHashMap::default();
        for instruction in instructions {
            if let Some(fallthrough) = instruction.fallthrough {
                let key = (instruction.span.start, instruction.span.length);
                let entry: &mut (u64, u64) = jumps.entry(key).or_default();
                entry.0 += instruction.count;
                entry.1 += fallthrough;
            }
        }
        Self { sorted, jumps }
    }

    /// The highest count of an instruction inside a stretch; none if no instruction is there.
    fn inside(&self, span: Span) -> Option<u64> {
        let from = self.sorted.partition_point(|i| i.span.start < span.start);
        let until = span.start + span.length;
        let inside = self.sorted[from..].iter().take_while(|i| i.span.start < until);
        inside.filter(|i| span.contains(i.span)).map(|i| i.count).max()
    }

    fn jump(&self, span: Span) -> Option<(u64, u64)> {
        self.jumps.get(&(span.start, span.length)).copied()
    }
}

fn contract_coverage(
    artifacts: &Artifacts,
    deployed: &BTreeSet<usize>,
    files: &[FileCoverage],
) -> Vec<ContractCoverage> {
    let mut contracts = Vec::new();
    for index in deployed {
        let contract = &artifacts.contracts[*index];
        let source = artifacts.sources.iter().find(|s| s.path == contract.file);
        let file = files.iter().find(|f| f.path == contract.file);
        let (Some(source), Some(file)) = (source, file) else { continue };
        let text = SourceIndex::new(source.text.as_deref().unwrap_or(""));
        let outline = source.ast.as_ref().map(Outline::of).unwrap_or_default();
        let span = outline.contracts.iter().find(|(name, _)| *name == contract.name);
        let range = span
            .map_or(0..=usize::MAX, |(_, s)| text.line(s.start)..=text.line(s.start + s.length));
        let (mut lines, mut branches) = (Ratio::default(), Ratio::default());
        for (_, hits) in file.lines.iter().filter(|(line, _)| range.contains(line)) {
            lines.add(*hits);
        }
        for branch in file.branches.iter().filter(|b| range.contains(&b.line)) {
            branches.add(branch.when_true);
            branches.add(branch.when_false);
        }
        let (name, file) = (contract.name.clone(), contract.file.clone());
        contracts.push(ContractCoverage { name, file, lines, branches });
    }
    contracts
}
