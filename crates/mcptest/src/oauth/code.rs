//! The authorization request, and reading the code out of where it leads.

use reqwest::Url;

use super::fetch::{Fetcher, bare};
use super::issuer::Issuer;
use super::{Ask, Trouble};

/// How many redirects of the authorization server are followed on the way back to us.
const HOPS: usize = 5;

/// The address that a person would open.
pub(super) fn address(ask: &Ask) -> Url {
    let mut url = ask.issuer.authorization.clone();
    {
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &ask.client.id)
            .append_pair("redirect_uri", &ask.redirect_uri)
            .append_pair("state", &ask.proof.state)
            .append_pair("code_challenge", &ask.proof.challenge())
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &ask.resource);
        if !ask.scopes.is_empty() {
            query.append_pair("scope", &ask.scopes.join(" "));
        }
        if ask.scopes.iter().any(|scope| scope == "offline_access") {
            query.append_pair("prompt", "consent");
        }
    }
    url
}

/// Opens the address as a browser would that knows no one: where nobody has to be asked, it leads back.
pub(super) async fn open(fetcher: Fetcher<'_>, ask: &Ask) -> Result<Url, Trouble> {
    let first = address(ask);
    let mut url = first.clone();
    for _ in 0..=HOPS {
        let answered = fetcher.page(&url).await?;
        match (answered.status, &answered.location) {
            (300..=399, Some(location)) => {
                let next = url.join(location).map_err(|error| {
                    Trouble::Answer(format!("{} redirects to no address: {error}", bare(&url)))
                })?;
                if leads_back(&next, &ask.redirect_uri) {
                    return Ok(next);
                }
                url = super::fetch::address(next.as_str())?;
            }
            (400.., _) => {
                answered.expect_json()?;
            }
            _ => break,
        }
    }
    let (url, redirect_uri) = (first.to_string(), ask.redirect_uri.clone());
    Err(Trouble::Person { url, redirect_uri })
}

fn leads_back(url: &Url, redirect_uri: &str) -> bool {
    let Ok(ours) = Url::parse(redirect_uri) else { return false };
    bare(url) == bare(&ours)
}

/// The code of an answer that is proved to be for us and from whom we asked.
pub(super) fn read(redirect: &Url, ask: &Ask) -> Result<String, Trouble> {
    let get = |name: &str| {
        let found = redirect.query_pairs().find(|(known, _)| known == name);
        found.map(|(_, value)| value.into_owned())
    };
    let refuse = |why: String| Err(Trouble::Answer(why));
    if !leads_back(redirect, &ask.redirect_uri) {
        return refuse(format!("it leads to {}, not to {}", bare(redirect), ask.redirect_uri));
    }
    if get("state").as_deref() != Some(ask.proof.state.as_str()) {
        return refuse("its state is not the one of our request".to_owned());
    }
    from_whom(get("iss").as_deref(), &ask.issuer)?;
    if let Some(error) = get("error") {
        let why = get("error_description").map(|why| format!(": {why}")).unwrap_or_default();
        return refuse(format!("{error}{why}").chars().take(300).collect());
    }
    get("code").map_or_else(|| refuse("it carries no code".to_owned()), Ok)
}

/// Whether the answer is from the authorization server that we asked (RFC 9207): compared as it is written.
fn from_whom(named: Option<&str>, issuer: &Issuer) -> Result<(), Trouble> {
    let expected = &issuer.name;
    match named {
        Some(named) if named == expected => Ok(()),
        Some(named) => {
            let named: String = named.chars().take(200).collect();
            Err(Trouble::Answer(format!("it is from the issuer `{named}`, not from `{expected}`")))
        }
        None if issuer.names_itself => Err(Trouble::Answer(format!(
            "it does not name its issuer (iss), as {expected} says that it does"
        ))),
        None => Ok(()),
    }
}
