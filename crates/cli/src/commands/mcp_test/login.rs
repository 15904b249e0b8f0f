//! Signing in to a server that wants it, from the command line.

use std::io::{BufRead, IsTerminal};

use proofstone_mcptest::oauth::{Access, Login, REDIRECT_URI};

use crate::out::{self, BadUsage};

/// How to be let in.
#[derive(Debug, clap::Args)]
pub(super) struct SignIn {
    /// Get a token as the server's authorization server wants it (OAuth 2.1)
    #[arg(long)]
    oauth: bool,
    /// The client's id there, if one is registered [default: a client registers itself]
    #[arg(long, value_name = "ID", requires = "oauth")]
    client_id: Option<String>,
    /// The client's secret, if it has one
    #[arg(long, value_name = "SECRET", env = "PROOFSTONE_CLIENT_SECRET", hide_env_values = true)]
    client_secret: Option<String>,
    /// The scopes to ask for [default: what the server asks for]
    #[arg(long, value_name = "SCOPES", requires = "oauth")]
    scope: Option<String>,
    /// Where the browser ends after signing in
    #[arg(long, value_name = "URL", requires = "oauth", default_value = REDIRECT_URI)]
    redirect_uri: String,
}

impl SignIn {
    /// The way into the server, if one is wanted.
    pub(super) fn access(&self) -> Option<Access> {
        self.oauth.then(|| {
            Access::new(Login {
                client_id: self.client_id.clone(),
                client_secret: self.client_secret.clone(),
                client_metadata_url: None,
                redirect_uri: self.redirect_uri.clone(),
                scope: self.scope.clone(),
            })
        })
    }
}

/// Asks the person at the terminal to sign in, and for the address at which the browser ends.
pub(super) async fn sign_in(access: &Access, url: &str, ends_at: &str) -> anyhow::Result<()> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let said = "a person must sign in: run this at a terminal, or give a token with --header";
        return Err(BadUsage(said.to_owned()).into());
    }
    out::note(format!("Open this address and sign in:\n\n{url}\n"));
    out::note(format!(
        "The browser ends at {ends_at}, which may show nothing. Paste that address:"
    ));
    let mut ended = String::new();
    stdin.lock().read_line(&mut ended)?;
    Ok(access.redirected(ended.trim()).await?)
}
