//! What all pages share.

use std::sync::{Arc, Mutex};

use crate::Host;
use crate::history::History;

/// The state behind the pages.
pub(crate) struct Console {
    pub(crate) host: Arc<dyn Host>,
    /// What forms carry, so that no other page can post them.
    pub(crate) key: Arc<str>,
    pub(crate) history: Mutex<History>,
}

impl Console {
    pub(crate) fn new(host: Arc<dyn Host>, key: Arc<str>) -> Arc<Self> {
        Arc::new(Self { host, key, history: Mutex::default() })
    }

    /// Whether a toolset is served.
    pub(crate) fn serves(&self, toolset: &str) -> bool {
        self.host.gate().registry().toolsets().iter().any(|set| set.name() == toolset)
    }
}
