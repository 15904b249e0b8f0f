//! Being let in: a bearer token, or one fetched with a client's own credentials (OAuth 2).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::Fault;
use crate::wire::http_client;

/// How to be let in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
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
}

/// The value of the `Authorization` header.
pub async fn authorization(auth: &Auth) -> Result<String, Fault> {
    match auth {
        Auth::Bearer { token } => Ok(format!("Bearer {token}")),
        Auth::ClientCredentials { token_url, client_id, client_secret, scope } => {
            let mut form = vec![("grant_type", "client_credentials")];
            form.extend(scope.as_deref().map(|scope| ("scope", scope)));
            let request = http_client()?
                .post(token_url)
                .basic_auth(client_id, Some(client_secret))
                .timeout(Duration::from_secs(30))
                .form(&form);
            let unreachable = |error: reqwest::Error| Fault::Unreachable {
                url: token_url.clone(),
                reason: error.to_string(),
            };
            let answer = request.send().await.map_err(unreachable)?;
            let status = answer.status().as_u16();
            let body = answer.text().await.map_err(unreachable)?;
            let token = serde_json::from_str::<Value>(&body)
                .ok()
                .and_then(|body| Some(body.get("access_token")?.as_str()?.to_owned()));
            match token {
                Some(token) => Ok(format!("Bearer {token}")),
                None => Err(Fault::Http { status, body, challenge: None, location: None }),
            }
        }
    }
}
