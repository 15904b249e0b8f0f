//! Becoming a client of an authorization server: one that is registered, one named by a document about
//! it, or one that registers itself.

use serde_json::{Value, json};

use super::fetch::Fetcher;
use super::issuer::Issuer;
use super::{Login, Trouble};

/// A client, as one authorization server knows it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    pub(super) method: Method,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("id", &self.id).finish_non_exhaustive()
    }
}

/// How a client proves who it is at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// In the header.
    Basic,
    /// In the form.
    Post,
    /// Not at all.
    None,
}

impl Method {
    const ALL: [Self; 3] = [Self::Basic, Self::Post, Self::None];

    fn name(self) -> &'static str {
        match self {
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::None => "none",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The method for a client, by what it has and what the authorization server takes.
    fn fitting(secret: bool, issuer: &Issuer) -> Self {
        let takes = |method: Self| issuer.methods.iter().any(|known| known == method.name());
        match secret {
            false => Self::None,
            // What is supported where nothing is said (RFC 8414, 2).
            true if issuer.methods.is_empty() => Self::Basic,
            true => Self::ALL.into_iter().find(|method| takes(*method)).unwrap_or(Self::Basic),
        }
    }
}

/// The client that we are at an authorization server.
pub(super) async fn client(
    fetcher: Fetcher<'_>,
    issuer: &Issuer,
    login: &Login,
) -> Result<Credentials, Trouble> {
    if let Some(id) = &login.client_id {
        let (id, secret) = (id.clone(), login.client_secret.clone());
        let method = Method::fitting(secret.is_some(), issuer);
        return Ok(Credentials { id, secret, method });
    }
    match (&login.client_metadata_url, &issuer.registration) {
        (Some(document), _) if issuer.client_documents => {
            Ok(Credentials { id: document.clone(), secret: None, method: Method::None })
        }
        (_, Some(endpoint)) => {
            let request = fetcher.post(endpoint).header("Content-Type", "application/json");
            let request = request.body(about_us(issuer, login).to_string());
            let answer = fetcher.ask(request, "POST", endpoint).await?.expect_json()?;
            registered(&answer, issuer)
        }
        _ => Err(Trouble::NoRegistration { issuer: issuer.name.clone() }),
    }
}

/// What we say of ourselves.
fn about_us(issuer: &Issuer, login: &Login) -> Value {
    let public = issuer.methods.is_empty() || issuer.methods.iter().any(|method| method == "none");
    let known = issuer.methods.iter().find_map(|method| Method::named(method));
    let method = if public { Method::None } else { known.unwrap_or(Method::Basic) };
    let native = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let native = native.iter().any(|start| login.redirect_uri.starts_with(start));
    json!({
        "client_name": "Proofstone",
        "redirect_uris": [login.redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method.name(),
        "application_type": if native { "native" } else { "web" },
    })
}

/// The client that a registration gave us.
fn registered(answer: &Value, issuer: &Issuer) -> Result<Credentials, Trouble> {
    let text = |field: &str| answer.get(field).and_then(Value::as_str).map(str::to_owned);
    let missing = || Trouble::Incomplete { issuer: issuer.name.clone(), field: "client_id" };
    let (id, secret) = (text("client_id").ok_or_else(missing)?, text("client_secret"));
    let said = text("token_endpoint_auth_method").and_then(|name| Method::named(&name));
    let method = said.unwrap_or_else(|| Method::fitting(secret.is_some(), issuer));
    Ok(Credentials { id, secret, method })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_proves_itself_the_way_the_server_takes() {
        let issuer = |methods: &[&str]| Issuer {
            name: "https://as.example".into(),
            authorization: reqwest::Url::parse("https://as.example/a").unwrap(),
            token: reqwest::Url::parse("https://as.example/t").unwrap(),
            registration: None,
            scopes: Vec::new(),
            methods: methods.iter().map(|method| (*method).to_owned()).collect(),
            client_documents: false,
            names_itself: false,
        };
        assert_eq!(Method::fitting(true, &issuer(&[])), Method::Basic);
        assert_eq!(Method::fitting(true, &issuer(&["client_secret_post"])), Method::Post);
        assert_eq!(Method::fitting(true, &issuer(&["none"])), Method::None);
        assert_eq!(Method::fitting(false, &issuer(&["client_secret_post"])), Method::None);
        let answer = json!({ "client_id": "x", "client_secret": "y" });
        let given = registered(&answer, &issuer(&["none", "client_secret_post"])).unwrap();
        assert_eq!((given.id.as_str(), given.method), ("x", Method::Post));
        assert!(!format!("{given:?}").contains('y'));
    }
}
