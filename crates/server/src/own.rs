//! The server's own resources: each tool's contract, and the figures of the calls so far.

use proofstone_contract::{Completion, CompletionTarget, Resource, ResourceBody, ResourceTemplate};
use proofstone_gate::Gate;
use serde_json::{Map, json};

const CONTRACTS: &str = "proofstone://contracts/";
const CONTRACT_TEMPLATE: &str = "proofstone://contracts/{tool}";
pub(crate) const METRICS: &str = "proofstone://metrics";
const JSON: &str = "application/json";

/// What the server itself offers for reading.
pub(crate) struct OwnResources<'a>(pub(crate) &'a Gate);

impl OwnResources<'_> {
    pub(crate) fn list(&self) -> Vec<Resource> {
        let metrics = Resource {
            uri: METRICS.into(),
            name: "metrics".into(),
            description: "Calls, failures and latencies of each tool since the server started"
                .into(),
            mime_type: JSON.into(),
        };
        let contracts = self.0.registry().descriptors().map(|tool| Resource {
            uri: format!("{CONTRACTS}{}", tool.name),
            name: format!("contract of {}", tool.name),
            description: format!("The full definition of {}, with its limits", tool.name),
            mime_type: JSON.into(),
        });
        std::iter::once(metrics).chain(contracts).collect()
    }

    pub(crate) fn templates() -> Vec<ResourceTemplate> {
        vec![ResourceTemplate {
            uri_template: CONTRACT_TEMPLATE.into(),
            name: "contract".into(),
            description: "The full definition of a tool, with its limits".into(),
            mime_type: JSON.into(),
        }]
    }

    pub(crate) fn read(&self, uri: &str) -> Option<ResourceBody> {
        let value = if uri == METRICS {
            let tools =
                self.0.figures().map(|(tool, figures)| (tool.name.to_owned(), json!(figures)));
            json!({ "tools": tools.collect::<Map<_, _>>() })
        } else {
            let name = uri.strip_prefix(CONTRACTS)?;
            self.0.registry().descriptor(name).ok()?.contract()
        };
        Some(ResourceBody::Text {
            uri: uri.to_owned(),
            mime_type: JSON.into(),
            text: format!("{value:#}"),
        })
    }

    pub(crate) fn complete(
        &self,
        target: &CompletionTarget,
        argument: &str,
        typed: &str,
    ) -> Option<Completion> {
        if *target != CompletionTarget::Resource(CONTRACT_TEMPLATE.into()) || argument != "tool" {
            return None;
        }
        let names = self.0.registry().descriptors().map(|tool| tool.name);
        let values: Vec<String> =
            names.filter(|name| name.starts_with(typed)).map(str::to_owned).collect();
        Some(Completion { total: values.len(), values })
    }
}
