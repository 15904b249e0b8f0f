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
        let told = "Calls, failures and latencies of each tool since the server started";
        let metrics = Resource::new(METRICS, "metrics", told, JSON);
        let contracts = self.0.registry().descriptors().map(|tool| {
            let (uri, name) =
                (format!("{CONTRACTS}{}", tool.name), format!("contract of {}", tool.name));
            let told = format!("The full definition of {}, with its limits", tool.name);
            Resource::new(uri, name, told, JSON)
        });
        std::iter::once(metrics).chain(contracts).collect()
    }

    pub(crate) fn templates() -> Vec<ResourceTemplate> {
        let told = "The full definition of a tool, with its limits";
        vec![ResourceTemplate::new(CONTRACT_TEMPLATE, "contract", told, JSON)]
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
