//! `lint_server`: what makes a server's surface hard or dangerous for a model.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{ConnectionInfo, OnConnection, Timing, Watch, connected, failure};
use crate::connection::Connections;
use crate::{Surface, lint};

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    connection: ConnectionInfo,
    /// What to mend, the worst first: rule, severity, subject, place, message, fix
    #[schemars(extend("items" = { "type": "object" }))]
    advice: Vec<Value>,
    /// What each tool's definition costs in every conversation, the dearest first
    tool_costs: Vec<ToolCost>,
    /// What all tools cost together, in tokens (estimated: a quarter of the characters)
    total_tokens: usize,
    metadata: Timing,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ToolCost {
    tool: String,
    tokens: usize,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct LintServer(pub(crate) Arc<Connections>);

impl Tool for LintServer {
    const NAME: &'static str = "lint_server";
    const TITLE: &'static str = "Lint a server's surface";
    const DESCRIPTION: &'static str = "Looks over what the connected server advertises for what makes it \
        hard or dangerous for a model: missing descriptions, vague or ambiguous names, token cost of \
        each tool, text that tries to steer the model, hidden characters. Calls no tool.";
    const EFFECT: Effect = Effect::READS.in_open_world();
    type Input = OnConnection;
    type Output = Output;

    async fn call(&self, input: OnConnection, _cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let connection = connected(&self.0, input.connection.as_deref())?;
        let watch = Watch::start(&connection);
        let surface = Surface::of(&connection).await;
        let found = lint::lint(&surface.map_err(|fault| failure(&fault, &connection))?);
        let costs = found.costs.into_iter();
        Ok(Output {
            success: true,
            connection: ConnectionInfo::from(connection.as_ref()),
            advice: found.advice.iter().map(|advice| json!(advice)).collect(),
            tool_costs: costs
                .map(|cost| ToolCost { tool: cost.tool, tokens: cost.tokens })
                .collect(),
            total_tokens: found.tokens,
            metadata: watch.timing(Vec::new()),
        }
        .into())
    }
}
