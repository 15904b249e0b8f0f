//! `record_discovery`: remember something about the code.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::ShownDiscovery;
use crate::memory::{DiscoveryKind, NewDiscovery, Recorded};
use crate::project::Project;

/// What was learned.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    /// What sort of thing it is
    r#type: Kind,
    /// What was learned, in a sentence or a few
    #[schemars(length(min = 10, max = 1000))]
    content: String,
    /// The module it is about
    #[schemars(length(min = 1, max = 100))]
    module: Option<String>,
    /// A file it is about, relative to the project root: when that changes, the discovery is marked suspect
    anchor_path: Option<String>,
    /// A definition in that file
    anchor_symbol: Option<String>,
    /// Who says so
    #[schemars(length(min = 1, max = 100))]
    author: Option<String>,
    /// How sure that is, 0 to 1
    #[serde(default = "certain")]
    #[schemars(range(min = 0, max = 1))]
    confidence: f64,
}

fn certain() -> f64 {
    1.0
}

/// The sorts of discoveries.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Kind {
    Pattern,
    Rule,
    Decision,
    Issue,
}

impl From<Kind> for DiscoveryKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Pattern => Self::Pattern,
            Kind::Rule => Self::Rule,
            Kind::Decision => Self::Decision,
            Kind::Issue => Self::Issue,
        }
    }
}

/// What was recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The discovery
    discovery: ShownDiscovery,
    /// False when the same thing was known already: that one is returned and nothing was written
    recorded: bool,
}

/// The tool.
pub(super) struct RecordDiscovery(pub(super) Arc<Project>);

impl Tool for RecordDiscovery {
    const NAME: &'static str = "record_discovery";
    const TITLE: &'static str = "Remember something";
    const DESCRIPTION: &'static str = "Remember a pattern, rule, decision or issue of this project, for later sessions and other people. Kept as a file under \
        .context/discoveries/ that can be reviewed and committed. Anchor it to the code it is about and it is marked suspect when that code changes.";
    const EFFECT: Effect = Effect::ADDS;

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        if input.anchor_symbol.is_some() && input.anchor_path.is_none() {
            return Err(Failure::invalid(
                "/anchorPath",
                "`anchorSymbol` needs `anchorPath`: the file it is defined in",
            ));
        }
        let project = Arc::clone(&self.0);
        let output = cx.blocking(move |_| {
            let memory = project.memory()?;
            let session = memory.use_session()?;
            let new = NewDiscovery {
                kind: input.r#type.into(),
                content: input.content,
                module: input.module,
                session: Some(session.clone()),
                author: input.author,
                confidence: input.confidence,
                anchor: input.anchor_path.map(|path| (path, input.anchor_symbol)),
            };
            let (discovery, recorded) = match memory.record(project.root(), new)? {
                Recorded::New(discovery) => (discovery, true),
                Recorded::Known(discovery) => (discovery, false),
            };
            if recorded {
                memory.note_discovery(&session)?;
            }
            Ok::<_, Failure>(Output { discovery: discovery.into(), recorded })
        });
        Ok(output.await??.into())
    }
}
