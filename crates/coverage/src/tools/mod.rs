//! The tools, one file each.

pub(crate) mod end_coverage_snapshot;
pub(crate) mod explain_coverage_change;
pub(crate) mod figures;
pub(crate) mod find_tests_for_lines;
pub(crate) mod get_file_coverage;
pub(crate) mod get_overall_coverage;
pub(crate) mod get_patch_coverage;
pub(crate) mod get_uncovered_lines;
pub(crate) mod remarks;
pub(crate) mod start_coverage_snapshot;
pub(crate) mod suggest_test_targets;
