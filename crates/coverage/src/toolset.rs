//! The toolset: its name, its dialect and the one list of its tools.

use std::sync::Arc;

use proofstone_contract::{Dialect, Entry, Resources, Tool, Toolset};

use crate::desk::{Desk, Options};
use crate::dialect::CoverageDialect;
use crate::resources::CoverageResources;
use crate::tools;

/// The coverage toolset.
#[derive(Debug)]
pub struct Coverage {
    desk: Arc<Desk>,
    resources: CoverageResources,
}

impl Coverage {
    /// The name people choose it by.
    pub const NAME: &'static str = "coverage";

    /// The toolset with these options.
    pub fn new(options: Options) -> Self {
        let desk = Arc::new(Desk::new(options));
        Self { resources: CoverageResources(Arc::clone(&desk)), desk }
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Toolset for Coverage {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn summary(&self) -> &'static str {
        "what is tested: percentages, uncovered lines, patch coverage, snapshots"
    }

    fn instructions(&self) -> &'static str {
        "Before changing code, call start_coverage_snapshot; after the change and a new test run, \
         call end_coverage_snapshot with its id, and explain_coverage_change if coverage fell. \
         get_patch_coverage says which of your changed lines no test runs; get_uncovered_lines and \
         suggest_test_targets say where a test is worth most. Every tool reads LCOV, Cobertura, \
         JaCoCo, Clover, Istanbul, coverage.py, Go and llvm-cov reports; run the tests first, these \
         tools never do."
    }

    fn dialect(&self) -> &dyn Dialect {
        &CoverageDialect
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&self.resources)
    }

    fn tools(&self) -> Vec<Entry> {
        fn entry<T: Tool>(tool: T) -> Entry {
            Entry::new(tool, Coverage::NAME, &CoverageDialect)
        }
        let desk = || Arc::clone(&self.desk);
        vec![
            entry(tools::get_overall_coverage::GetOverallCoverage(desk())),
            entry(tools::get_file_coverage::GetFileCoverage(desk())),
            entry(tools::start_coverage_snapshot::StartCoverageSnapshot(desk())),
            entry(tools::end_coverage_snapshot::EndCoverageSnapshot(desk())),
            entry(tools::get_uncovered_lines::GetUncoveredLines(desk())),
            entry(tools::get_patch_coverage::GetPatchCoverage(desk())),
            entry(tools::explain_coverage_change::ExplainCoverageChange(desk())),
            entry(tools::find_tests_for_lines::FindTestsForLines(desk())),
            entry(tools::suggest_test_targets::SuggestTestTargets(desk())),
        ]
    }
}
