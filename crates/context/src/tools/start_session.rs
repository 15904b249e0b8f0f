//! `start_session`: begin a stretch of work.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::ShownSession;
use crate::project::Project;

/// What for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What the session is for
    #[schemars(length(max = 500))]
    goal: Option<String>,
}

/// The session.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The session that has begun
    session: ShownSession,
}

/// The tool.
pub(super) struct StartSession(pub(super) Arc<Project>);

impl Tool for StartSession {
    const NAME: &'static str = "start_session";
    const TITLE: &'static str = "Begin a session";
    const DESCRIPTION: &'static str = "Begin a session with a goal, ending the one before. Sessions also begin with the first call and end after 30 minutes of \
        silence by themselves.";
    const EFFECT: Effect = Effect::ADDS;

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let project = Arc::clone(&self.0);
        let session = cx
            .blocking(move |_| {
                Ok::<_, Failure>(project.memory()?.start_session(input.goal.as_deref())?)
            })
            .await??;
        Ok(Output { session: session.into() }.into())
    }
}
