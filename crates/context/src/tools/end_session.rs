//! `end_session`: end a stretch of work.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::ShownSession;
use crate::project::Project;

/// What came of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What came of the session, for those who look at it later
    #[schemars(length(max = 2000))]
    summary: Option<String>,
}

/// The session.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The session that has ended
    session: ShownSession,
}

/// The tool.
pub(super) struct EndSession(pub(super) Arc<Project>);

impl Tool for EndSession {
    const NAME: &'static str = "end_session";
    const TITLE: &'static str = "End the session";
    const DESCRIPTION: &'static str =
        "End the current session, with a summary that context_search finds later.";
    const EFFECT: Effect = Effect::SETS;

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        let session = cx
            .blocking(move |_| {
                Ok::<_, Failure>(project.memory()?.end_session(input.summary.as_deref())?)
            })
            .await??;
        Ok(Output { session: session.into() }.into())
    }
}
