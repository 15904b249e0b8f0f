//! Branches that were reached but went only one way, and how close the corpus came to the other.

use super::coverage::{BranchCoverage, Coverage};
use super::map::{Span, parse_map};
use crate::campaign::{Corpus, shrink_run as run};
use crate::config::Config;
use crate::input::distance;
use crate::target::Target;
use crate::vm::{Comparison, Operator, instruction_starts};
use revm::primitives::U256;
use rustc_hash::FxHashMap;

/// Sequences replayed at most: the newest ones came furthest.
const REPLAYED: usize = 256;

/// A branch that only ever went one way.
#[derive(Clone, Debug)]
pub struct Frontier {
    /// The source file.
    pub file: String,
    /// Where the branch stands.
    pub line: usize,
    /// The condition as it is written.
    pub condition: String,
    /// What the condition would have to be.
    pub wanted: bool,
    /// How often it was the other.
    pub evaluated: u64,
    /// The operands of the comparison in it that came closest, and the transaction that brought them.
    pub closest: Option<Closest>,
}

/// How close a sequence came.
#[derive(Clone, Copy, Debug)]
pub struct Closest {
    /// One operand.
    pub left: U256,
    /// The other.
    pub right: U256,
    /// How they were compared.
    pub operator: Operator,
    /// Index of the corpus entry.
    pub entry: usize,
    /// Which of its transactions.
    pub position: usize,
}

/// Every branch that only went one way, in the order of files and lines.
pub(crate) fn frontiers(
    target: &Target,
    config: &Config,
    coverage: &Coverage,
    corpus: &Corpus,
) -> Vec<Frontier> {
    let mut open: Vec<(Span, Frontier)> = Vec::new();
    for file in &coverage.files {
        let text = file.text.as_deref().unwrap_or("");
        for branch in file.branches.iter().filter(|b| is_one_sided(b)) {
            let Span { start, length, .. } = branch.condition;
            let condition = text.get(start..start + length).unwrap_or_default().to_owned();
            open.push((
                branch.condition,
                Frontier {
                    file: file.path.clone(),
                    line: branch.line,
                    condition,
                    wanted: branch.when_true == 0,
                    evaluated: branch.when_true + branch.when_false,
                    closest: None,
                },
            ));
        }
    }
    let sites = comparison_sites(target);
    let from = corpus.entries().len().saturating_sub(REPLAYED);
    for (entry, sequence) in corpus.entries().iter().enumerate().skip(from) {
        let mut machine = target.machine();
        for (position, transaction) in sequence.sequence.iter().enumerate() {
            run(&mut machine, target, config, transaction);
            for comparison in &machine.probe().comparisons {
                let span = sites.get(&comparison.site);
                let here = open.iter_mut().filter(|(c, _)| span.is_some_and(|s| c.contains(*s)));
                here.for_each(|(_, f)| offer(f, comparison, entry, position));
            }
        }
    }
    open.into_iter().map(|(_, frontier)| frontier).collect()
}

fn is_one_sided(branch: &BranchCoverage) -> bool {
    (branch.when_true == 0) != (branch.when_false == 0)
}

fn offer(frontier: &mut Frontier, comparison: &Comparison, entry: usize, position: usize) {
    let Comparison { left, right, operator, .. } = *comparison;
    let closer = frontier.closest.is_none_or(|c| distance(left, right) < distance(c.left, c.right));
    if closer {
        frontier.closest = Some(Closest { left, right, operator, entry, position });
    }
}

/// The stretch of source of every instruction, by the site a comparison there reports.
fn comparison_sites(target: &Target) -> FxHashMap<u32, Span> {
    let mut sites = FxHashMap::default();
    for (slot, code) in target.layout.known() {
        let contract = slot.contract.map(|c| &target.artifacts.contracts[c as usize]);
        let map = contract.filter(|_| !slot.creation).and_then(|c| c.runtime_map.as_ref());
        let Some(map) = map else { continue };
        for (pc, span) in instruction_starts(code).into_iter().zip(parse_map(map)) {
            // A hook sees the program counter behind its instruction.
            sites.insert(slot.base + pc as u32 + 1, span);
        }
    }
    sites
}
