//! `get_mcp_config`: how this server is set up. Served only with `MCP_DEBUG=true` or `MCP_ENV=local`.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shapes::{Format, in_format};
use crate::desk::Desk;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What the text is: markdown unless given.
    #[serde(default)]
    format: Option<Format>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Output {
    #[serde(rename = "mcpConfig:v1")]
    Config(Config),
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Config {
    /// Where the library is served from: this program, no network.
    base_url: String,
    /// `MCP_ENV`; `local` where it is not set.
    mcp_env: String,
    debug: bool,
    /// No key is needed.
    has_api_key: bool,
    /// How many patterns are loaded.
    patterns: usize,
    /// The user's folder of patterns.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_folder: Option<String>,
    /// How many things are wrong with pattern files.
    diagnostics: usize,
}

/// The tool.
#[derive(Debug)]
pub(crate) struct GetMcpConfig(pub(crate) Arc<Desk>);

impl Tool for GetMcpConfig {
    const NAME: &'static str = "get_mcp_config";
    const TITLE: &'static str = "Show the configuration";
    const DESCRIPTION: &'static str = "Says how the patterns toolset is set up: environment, debugging, folders, and how much was loaded.";
    const EFFECT: Effect = Effect::READS;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let library = self.0.library(cx).await?;
        let options = &self.0.options;
        let config = Config {
            base_url: "embedded".to_owned(),
            mcp_env: options.surroundings.env.clone().unwrap_or_else(|| "local".to_owned()),
            debug: options.surroundings.is_debug(),
            has_api_key: false,
            patterns: library.patterns().len(),
            user_folder: options.user.as_ref().map(|folder| folder.display().to_string()),
            diagnostics: library.diagnostics().len(),
        };
        let text = format!(
            "## Configuration\n\n- environment: {}\n- debug: {}\n- library: embedded, {} patterns, {} diagnostics\n",
            config.mcp_env, config.debug, config.patterns, config.diagnostics
        );
        Ok(in_format(Output::Config(config), input.format.unwrap_or_default(), vec![text]))
    }
}
