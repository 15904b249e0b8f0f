//! What an authorization server says of itself (RFC 8414, or OpenID Connect discovery).

use reqwest::Url;
use serde_json::Value;

use super::Trouble;
use super::fetch::{Fetcher, address};
use super::resource::{Resource, at_path, strings};

/// An authorization server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Issuer {
    /// Its name, exactly as it is published.
    pub(super) name: String,
    pub(super) authorization: Url,
    pub(super) token: Url,
    pub(super) registration: Option<Url>,
    /// The scopes that there are.
    pub(super) scopes: Vec<String>,
    /// How clients may prove who they are at the token endpoint; empty if it does not say.
    pub(super) methods: Vec<String>,
    /// Whether a client may be named by the address of a document about it.
    pub(super) client_documents: bool,
    /// Whether its answers name it.
    pub(super) names_itself: bool,
}

/// Finds the metadata of a resource's authorization server.
pub(super) async fn discover(fetcher: Fetcher<'_>, resource: &Resource) -> Result<Issuer, Trouble> {
    let places = places(&address(&resource.issuer)?);
    for at in &places {
        let answered = fetcher.get(at).await?;
        if let (true, Some(metadata)) = (answered.is_success(), &answered.json) {
            return read(metadata, at, &resource.issuer);
        }
    }
    if !resource.published {
        return fallback(&resource.issuer);
    }
    let tried = places.iter().map(Url::to_string).collect();
    Err(Trouble::NoMetadata { issuer: resource.issuer.clone(), tried })
}

/// Where the metadata may stand, in the order of the protocol.
fn places(issuer: &Url) -> Vec<Url> {
    const OAUTH: &str = "/.well-known/oauth-authorization-server";
    const OPENID: &str = "/.well-known/openid-configuration";
    match issuer.path().trim_end_matches('/') {
        "" => vec![at_path(issuer, OAUTH), at_path(issuer, OPENID)],
        path => vec![
            at_path(issuer, &format!("{OAUTH}{path}")),
            at_path(issuer, &format!("{OPENID}{path}")),
            at_path(issuer, &format!("{path}{OPENID}")),
        ],
    }
}

fn read(metadata: &Value, at: &Url, expected: &str) -> Result<Issuer, Trouble> {
    let text = |field: &str| metadata.get(field).and_then(Value::as_str);
    let got = text("issuer").unwrap_or_default();
    if got != expected {
        let (at, expected, got) = (at.to_string(), expected.to_owned(), got.to_owned());
        return Err(Trouble::Issuer { at, expected, got });
    }
    let endpoint = |field: &'static str| {
        let missing = || Trouble::Incomplete { issuer: expected.to_owned(), field };
        address(text(field).ok_or_else(missing)?)
    };
    if !strings(metadata, "code_challenge_methods_supported").iter().any(|method| method == "S256")
    {
        return Err(Trouble::NoPkce { issuer: expected.to_owned() });
    }
    let says = |field: &str| metadata.get(field) == Some(&Value::Bool(true));
    Ok(Issuer {
        name: got.to_owned(),
        authorization: endpoint("authorization_endpoint")?,
        token: endpoint("token_endpoint")?,
        registration: text("registration_endpoint").map(address).transpose()?,
        scopes: strings(metadata, "scopes_supported"),
        methods: strings(metadata, "token_endpoint_auth_methods_supported"),
        client_documents: says("client_id_metadata_document_supported"),
        names_itself: says("authorization_response_iss_parameter_supported"),
    })
}

/// The endpoints that 2025-03-26 gives to a server that publishes nothing.
fn fallback(origin: &str) -> Result<Issuer, Trouble> {
    let endpoint = |path: &str| address(&format!("{origin}{path}"));
    Ok(Issuer {
        name: origin.to_owned(),
        authorization: endpoint("/authorize")?,
        token: endpoint("/token")?,
        registration: Some(endpoint("/register")?),
        scopes: Vec::new(),
        methods: Vec::new(),
        client_documents: false,
        names_itself: false,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_issuer_with_a_path_has_three_places() {
        let places = places(&Url::parse("https://as.example/tenant1").unwrap());
        expect![[r#"
            https://as.example/.well-known/oauth-authorization-server/tenant1
            https://as.example/.well-known/openid-configuration/tenant1
            https://as.example/tenant1/.well-known/openid-configuration"#]]
        .assert_eq(&places.iter().map(Url::to_string).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn the_issuer_is_compared_as_it_is_written_and_must_know_pkce() {
        let at = Url::parse("https://as.example/x").unwrap();
        let mut metadata = json!({
            "issuer": "https://as.example",
            "authorization_endpoint": "https://as.example/authorize",
            "token_endpoint": "https://as.example/token",
        });
        let refused = |metadata: &Value, expected: &str| {
            read(metadata, &at, expected).unwrap_err().to_string()
        };
        expect!["the metadata at https://as.example/x is of the issuer `https://as.example`, not of `https://as.example/`"]
            .assert_eq(&refused(&metadata, "https://as.example/"));
        assert!(refused(&metadata, "https://as.example").contains("PKCE with S256"));
        metadata["code_challenge_methods_supported"] = json!(["plain", "S256"]);
        assert!(read(&metadata, &at, "https://as.example").is_ok());
        metadata["token_endpoint"] = json!("file:///etc/passwd");
        assert!(refused(&metadata, "https://as.example").contains("not http or https"));
    }
}
