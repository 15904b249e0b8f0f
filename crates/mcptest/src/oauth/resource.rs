//! What a protected server says of itself (RFC 9728): who gives tokens for it, and for which resource.

use reqwest::Url;
use serde_json::Value;

use super::Trouble;
use super::fetch::{Fetcher, address};

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What tokens are for and who gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resource {
    /// The resource, exactly as it is published.
    pub(super) name: String,
    /// The authorization server, exactly as it is named.
    pub(super) issuer: String,
    /// The scopes that there are.
    pub(super) scopes: Vec<String>,
    /// Whether the server published this itself. A server of 2025-03-26 does not.
    pub(super) published: bool,
}

/// Reads the metadata where the challenge says, or else at the well-known places.
pub(super) async fn discover(
    fetcher: Fetcher<'_>,
    server: &Url,
    named: Option<&str>,
) -> Result<Resource, Trouble> {
    if let Some(named) = named {
        let at = address(named)?;
        let metadata = fetcher.get(&at).await?.expect_json()?;
        return read(&metadata, &at, server);
    }
    for at in places(server) {
        let answered = fetcher.get(&at).await?;
        if let (true, Some(metadata)) = (answered.is_success(), &answered.json) {
            return read(metadata, &at, server);
        }
    }
    let (name, issuer) = (canonical(server), server.origin().ascii_serialization());
    Ok(Resource { name, issuer, scopes: Vec::new(), published: false })
}

/// The well-known places: that of the server's path, then that of its host.
fn places(server: &Url) -> Vec<Url> {
    let path = server.path().trim_end_matches('/');
    let mut places = vec![at_path(server, &format!("{WELL_KNOWN}{path}"))];
    if !path.is_empty() {
        places.push(at_path(server, WELL_KNOWN));
    }
    places
}

pub(super) fn at_path(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn read(metadata: &Value, at: &Url, server: &Url) -> Result<Resource, Trouble> {
    let at = at.to_string();
    let name = metadata.get("resource").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !covers(&name, server) {
        return Err(Trouble::Resource { at, published: name, server: canonical(server) });
    }
    let issuers = strings(metadata, "authorization_servers");
    let Some(issuer) = issuers.into_iter().next() else { return Err(Trouble::NoServer { at }) };
    Ok(Resource { name, issuer, scopes: strings(metadata, "scopes_supported"), published: true })
}

/// Whether a resource is the server or a folder that it stands in.
fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let (folder, path) = (resource.path().trim_end_matches('/'), server.path());
    let beneath =
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    resource.origin() == server.origin() && beneath && resource.fragment().is_none()
}

/// The server's address as a resource: without a fragment, and without the slash that stands for no path.
fn canonical(server: &Url) -> String {
    let mut server = server.clone();
    server.set_fragment(None);
    let text = server.to_string();
    match server.path() {
        "/" if server.query().is_none() => text.trim_end_matches('/').to_owned(),
        _ => text,
    }
}

/// A list of strings of the metadata.
pub(super) fn strings(metadata: &Value, field: &str) -> Vec<String> {
    let items = metadata.get(field).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_resource_is_the_server_or_a_folder_above_it() {
        let server = Url::parse("https://a.example/x/mcp").unwrap();
        for right in ["https://a.example/x/mcp", "https://a.example/x", "https://a.example"] {
            assert!(covers(right, &server), "{right}");
        }
        let wrong = [
            "https://a.example/x/mc",
            "https://a.example/x/mcp/more",
            "https://b.example/x/mcp",
            "http://a.example/x/mcp",
            "https://a.example:8443/x",
            "https://a.example/x#part",
            "nonsense",
            "",
        ];
        for wrong in wrong {
            assert!(!covers(wrong, &server), "{wrong}");
        }
    }

    #[test]
    fn the_place_of_the_path_comes_first() {
        let all = |server: &str| {
            let places = places(&Url::parse(server).unwrap());
            places.iter().map(Url::to_string).collect::<Vec<_>>().join("\n")
        };
        expect![[r#"
            https://a.example/.well-known/oauth-protected-resource/x/mcp
            https://a.example/.well-known/oauth-protected-resource"#]]
        .assert_eq(&all("https://a.example/x/mcp?y=1"));
        expect!["https://a.example/.well-known/oauth-protected-resource"]
            .assert_eq(&all("https://a.example/"));
    }

    #[test]
    fn the_name_of_a_server_without_metadata_is_its_address() {
        let named = |server: &str| canonical(&Url::parse(server).unwrap());
        assert_eq!(named("https://a.example"), "https://a.example");
        assert_eq!(named("https://a.example/mcp#x"), "https://a.example/mcp");
    }
}
