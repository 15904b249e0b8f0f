//! From counters of code back to lines of source.
//!
//! The syntax tree says what can be covered (statements, functions, branches), the source map says
//! which instructions belong to it, and the counters say how often those ran.

mod coverage;
mod exclude;
mod frontier;
mod html;
mod lcov;
mod map;
mod text;
mod tree;

pub use coverage::{
    BranchCoverage, ContractCoverage, Coverage, FileCoverage, FunctionCoverage, Ratio,
};
pub(crate) use exclude::is_glob;
pub(crate) use frontier::frontiers;
pub use frontier::{Closest, Frontier};
pub use map::{SourceIndex, Span};
