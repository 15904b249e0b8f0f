//! The toolsets, by name: the one place that knows all of them.

use std::sync::Arc;

use proofstone_contract::Toolset;

use crate::out::BadUsage;
use crate::settings::Settings;

/// The toolsets that are served unless others are named.
pub(crate) const NAMES: [&str; 0] = [];

/// A toolset that is served only when it is named: the fixtures of the protocol's conformance suite.
const HIDDEN: &str = "conformance";

/// Makes the named toolsets, in the order of [`NAMES`] whatever the order asked for.
pub(crate) fn make(names: &[String], settings: &Settings) -> anyhow::Result<Vec<Arc<dyn Toolset>>> {
    if let Some(unknown) = names.iter().find(|n| !NAMES.contains(&n.as_str()) && *n != HIDDEN) {
        let known = NAMES.join(", ");
        return Err(
            BadUsage(format!("there is no toolset `{unknown}`; the toolsets are {known}")).into()
        );
    }
    let mut made = Vec::new();
    for name in NAMES.iter().chain([&HIDDEN]).filter(|name| names.iter().any(|n| n == *name)) {
        made.push(one(name, settings)?);
    }
    Ok(made)
}

fn one(name: &str, _settings: &Settings) -> anyhow::Result<Arc<dyn Toolset>> {
    Ok(match name {
        HIDDEN => Arc::new(proofstone_server::conformance::Conformance::default()),
        other => anyhow::bail!("the toolset `{other}` is not part of this build"),
    })
}
