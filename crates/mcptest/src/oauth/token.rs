//! The token endpoint.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use reqwest::header::AUTHORIZATION;
use serde_json::Value;

use super::Trouble;
use super::fetch::Fetcher;
use super::registration::{Credentials, Method};

/// What a token endpoint gave.
#[derive(Clone)]
pub(super) struct Tokens {
    pub(super) access: String,
    pub(super) refresh: Option<String>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}

/// Asks for tokens, as the client that we are there.
pub(super) async fn request(
    fetcher: Fetcher<'_>,
    endpoint: &Url,
    client: &Credentials,
    form: &[(&str, &str)],
) -> Result<Tokens, Trouble> {
    let mut form = form.to_vec();
    let mut request = fetcher.post(endpoint);
    let secret = client.secret.as_deref().unwrap_or_default();
    match client.method {
        Method::Basic => request = request.header(AUTHORIZATION, basic(&client.id, secret)),
        Method::Post => form.extend([("client_id", client.id.as_str()), ("client_secret", secret)]),
        Method::None => form.push(("client_id", client.id.as_str())),
    }
    let answer = fetcher.ask(request.form(&form), "POST", endpoint).await?.expect_json()?;
    let text = |field: &str| answer.get(field).and_then(Value::as_str).map(str::to_owned);
    let broken = |why: &str| Trouble::Fetch { url: endpoint.to_string(), reason: why.to_owned() };
    let access = text("access_token").ok_or_else(|| broken("the answer has no access_token"))?;
    match text("token_type") {
        // Some leave it out, though they must not; then it is no other kind.
        None => {}
        Some(kind) if kind.eq_ignore_ascii_case("bearer") => {}
        Some(_) => return Err(broken("the answer's token_type is not Bearer")),
    }
    if access.is_empty() || !access.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(broken("the access_token has characters that HTTP headers do not allow"));
    }
    Ok(Tokens { access, refresh: text("refresh_token") })
}

/// Id and secret, each encoded as a form would (RFC 6749, 2.3.1), in the header.
fn basic(id: &str, secret: &str) -> String {
    let encoded = |text: &str| -> String {
        Url::parse_with_params("form:", [("", text)])
            .ok()
            .and_then(|url| url.query().map(|query| query.trim_start_matches('=').to_owned()))
            .unwrap_or_default()
    };
    format!("Basic {}", STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_secrets_are_encoded_before_they_are_joined() {
        let decoded = |text: &str| STANDARD.decode(text.strip_prefix("Basic ").unwrap()).unwrap();
        assert_eq!(decoded(&basic("me", "secret-1_2")), b"me:secret-1_2");
        assert_eq!(decoded(&basic("a:b", "x y&=é")), b"a%3Ab:x+y%26%3D%C3%A9");
        assert_eq!(decoded(&basic("=a", "=")), b"%3Da:%3D");
    }
}
