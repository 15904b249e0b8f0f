//! The fixtures of the protocol's official conformance suite, served through our own gate.
//!
//! Hidden: served only when the toolset is named, for the suite that `ci/test` runs.

use std::sync::Arc;

use proofstone_contract::{Dialect, Entry, PlainDialect, Toolset};
use rmcp::model::{GetPromptRequestParams, GetPromptResponse};

/// The toolset of the fixtures.
#[derive(Debug, Default)]
pub struct Conformance {}

impl Toolset for Conformance {
    fn name(&self) -> &'static str {
        "conformance"
    }

    fn summary(&self) -> &'static str {
        "Fixtures of the protocol's conformance suite."
    }

    fn dialect(&self) -> &dyn Dialect {
        &PlainDialect
    }

    fn tools(&self) -> Vec<Entry> {
        Vec::new()
    }
}

pub(crate) fn prompt_with_input(
    _toolsets: &[Arc<dyn Toolset>],
    _request: &GetPromptRequestParams,
) -> Option<GetPromptResponse> {
    None
}
