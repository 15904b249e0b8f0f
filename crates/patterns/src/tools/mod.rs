//! The tools, one file each. Each turns arguments into a question to the domain and its answer into the
//! contract's shapes; [`shapes`] has what several of them share.

pub(crate) mod analyze_code;
pub(crate) mod apply_fix;
pub(crate) mod get_mcp_config;
pub(crate) mod get_pattern;
pub(crate) mod list_analysis_rules;
pub(crate) mod search_patterns;
mod shapes;
pub(crate) mod suggest_patterns;
