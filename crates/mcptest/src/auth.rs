//! Being let in: a bearer token, one fetched with a client's own credentials, or one that a person grants.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::oauth::{self, Access, Login};
use crate::wire::http_client;
use crate::{Fault, Journal};

/// How to be let in.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Auth {
    /// A token that is at hand.
    Bearer {
        /// The token.
        token: String,
    },
    /// A token that a token endpoint gives for a client's id and secret.
    ClientCredentials {
        /// The token endpoint.
        token_url: String,
        /// The client's id.
        client_id: String,
        /// The client's secret.
        client_secret: String,
        /// The scopes asked for, separated by spaces.
        scope: Option<String>,
    },
    /// A token of the server's own authorization server, found and asked for as the protocol says (OAuth
    /// 2.1 with PKCE). Where a person must sign in, the answer is an error with the address to open.
    AuthorizationCode {
        /// The client's id, if one is registered there; else a client registers itself.
        client_id: Option<String>,
        /// The client's secret, if it has one.
        client_secret: Option<String>,
        /// Address of a document about the client, for authorization servers that take it as an id.
        client_metadata_url: Option<String>,
        /// Where the browser ends after signing in.
        redirect_uri: Option<String>,
        /// The scopes asked for, separated by spaces; what the server asks for if none.
        scope: Option<String>,
        /// The address at which the browser ended, after an answer that asked for it.
        redirected_to: Option<String>,
    },
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bearer { .. } => "Bearer",
            Self::ClientCredentials { .. } => "ClientCredentials",
            Self::AuthorizationCode { .. } => "AuthorizationCode",
        })
    }
}

/// What lets a connection in.
#[derive(Debug)]
pub(crate) enum Admission {
    /// The value of the `Authorization` header.
    Header(String),
    /// A login to go through when the server asks for it, and where a browser ended, if one did.
    Login(Login, Option<String>),
}

/// Gets what lets a connection in, as far as that can be had ahead of the server's challenge.
pub(crate) async fn admission(auth: Auth) -> Result<Admission, Fault> {
    match auth {
        Auth::Bearer { token } => Ok(Admission::Header(format!("Bearer {token}"))),
        Auth::ClientCredentials { token_url, client_id, client_secret, scope } => {
            let (client, journal) = (http_client()?, Journal::default());
            let fetcher = oauth::Fetcher { client: &client, journal: &journal };
            let secret = (client_id.as_str(), client_secret.as_str());
            let token = oauth::client_credentials(fetcher, &token_url, secret, scope.as_deref());
            Ok(Admission::Header(format!("Bearer {}", token.await?)))
        }
        Auth::AuthorizationCode {
            client_id,
            client_secret,
            client_metadata_url,
            redirect_uri,
            scope,
            redirected_to,
        } => {
            let redirect_uri = redirect_uri.unwrap_or_else(|| oauth::REDIRECT_URI.to_owned());
            let login =
                Login { client_id, client_secret, client_metadata_url, redirect_uri, scope };
            Ok(Admission::Login(login, redirected_to))
        }
    }
}

/// The way in for a login: a new one, or the one that waited for a person and now goes on.
pub(crate) async fn access(
    login: Login,
    redirected_to: Option<String>,
    waiting: Option<Access>,
) -> Result<Access, Fault> {
    let waiting = waiting.filter(|access| *access.login() == login);
    let access = waiting.unwrap_or_else(|| Access::new(login));
    if let Some(to) = redirected_to {
        access.redirected(&to).await?;
    }
    Ok(access)
}
