//! Being let in by a server that wants a token of its authorization server (OAuth 2.1, as the protocol
//! profiles it): the challenge, the metadata of both servers, registration, the code with PKCE, the token.
//!
//! One [`Access`] belongs to one server and is shared by all connections to it. It knows no JSON-RPC. Only
//! what a challenge asks for is done, and no answer is used that is not proved to be from whom we asked.

pub mod challenge;
mod code;
mod fetch;
mod issuer;
mod proof;
mod registration;
mod resource;
mod scope;
mod token;
mod trouble;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;
use tokio::sync::Mutex as AsyncMutex;

use self::challenge::Challenge;
pub(crate) use self::fetch::Fetcher;
use self::issuer::Issuer;
use self::proof::Proof;
use self::registration::Credentials;
use self::resource::Resource;
use self::token::Tokens;
pub use self::trouble::Trouble;

/// Where a browser ends where the caller names no other place.
pub const REDIRECT_URI: &str = "http://127.0.0.1:33418/callback";

/// Who asks for access, and for how much.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The client's id, if it is registered.
    pub client_id: Option<String>,
    /// The client's secret.
    pub client_secret: Option<String>,
    /// The address of a document about the client, for servers that take such as an id.
    pub client_metadata_url: Option<String>,
    /// Where a browser ends.
    pub redirect_uri: String,
    /// The scopes to ask for, separated by spaces; what the server asks for if none.
    pub scope: Option<String>,
}

impl Default for Login {
    fn default() -> Self {
        Self {
            client_id: None,
            client_secret: None,
            client_metadata_url: None,
            redirect_uri: REDIRECT_URI.to_owned(),
            scope: None,
        }
    }
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

/// The way into one server. Clones share it.
#[derive(Clone)]
pub struct Access(Arc<Shared>);

struct Shared {
    login: Login,
    token: Mutex<Option<String>>,
    known: AsyncMutex<Known>,
}

/// What was found out and agreed on so far.
#[derive(Default)]
struct Known {
    clients: BTreeMap<String, Credentials>,
    grant: Option<Grant>,
    waiting: Option<Ask>,
    redirected_to: Option<String>,
}

/// What was granted, and by whom.
struct Grant {
    issuer: String,
    scopes: Vec<String>,
    refresh: Option<String>,
}

/// A question to an authorization server that is under way.
#[derive(Debug, Clone)]
struct Ask {
    issuer: Issuer,
    resource: String,
    client: Credentials,
    scopes: Vec<String>,
    redirect_uri: String,
    proof: Proof,
}

/// Why a server did not let us in.
#[derive(Debug)]
pub(crate) struct Turned<'a> {
    /// The server.
    pub(crate) server: &'a Url,
    /// 401, or 403.
    pub(crate) status: u16,
    /// The token that was shown.
    pub(crate) shown: Option<String>,
    /// Whether that token was fetched for this very request.
    pub(crate) fresh: bool,
    /// What it asks for.
    pub(crate) challenge: Challenge,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("login", &self.0.login).finish_non_exhaustive()
    }
}

impl PartialEq for Access {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Access {}

impl Access {
    /// A way in for a client.
    pub fn new(login: Login) -> Self {
        let (token, known) = (Mutex::default(), AsyncMutex::default());
        Self(Arc::new(Shared { login, token, known }))
    }

    /// Who asks.
    pub fn login(&self) -> &Login {
        &self.0.login
    }

    /// The token to show, if there is one.
    pub(crate) fn token(&self) -> Option<String> {
        self.0.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes on where a person had to sign in: the address at which the browser ended.
    pub async fn redirected(&self, to: &str) -> Result<(), Trouble> {
        let mut known = self.0.known.lock().await;
        if known.waiting.is_none() {
            let why = "nobody was asked to sign in here; connect without redirected_to first";
            return Err(Trouble::Answer(why.to_owned()));
        }
        known.redirected_to = Some(to.to_owned());
        Ok(())
    }

    /// Gets a token that the server may take instead.
    pub(crate) async fn renew(
        &self,
        fetcher: Fetcher<'_>,
        turned: Turned<'_>,
    ) -> Result<(), Trouble> {
        let mut known = self.0.known.lock().await;
        // Another request may have done it while we waited.
        if self.token() != turned.shown {
            return Ok(());
        }
        if let (true, 401, Some(grant)) = (turned.fresh, turned.status, &known.grant) {
            return Err(Trouble::Rejected { issuer: grant.issuer.clone() });
        }
        let tokens = match (known.waiting.take(), known.redirected_to.take()) {
            (Some(ask), Some(to)) => {
                let to = Url::parse(to.trim());
                let to = to.map_err(|error| Trouble::Answer(format!("redirected_to: {error}")))?;
                redeem(fetcher, &ask, &to, &mut known).await?
            }
            _ => self.ask(fetcher, &turned, &mut known).await?,
        };
        *self.0.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(tokens.access);
        Ok(())
    }

    /// Finds out whom to ask, and asks.
    async fn ask(
        &self,
        fetcher: Fetcher<'_>,
        turned: &Turned<'_>,
        known: &mut Known,
    ) -> Result<Tokens, Trouble> {
        let challenged = turned.challenge.scopes();
        let named = turned.challenge.get("resource_metadata");
        let resource = resource::discover(fetcher, turned.server, named).await?;
        let issuer = issuer::discover(fetcher, &resource).await?;
        // What one authorization server gave is of no use to another.
        known.grant.take_if(|grant| grant.issuer != issuer.name);
        let before = known.grant.as_ref().map(|grant| grant.scopes.clone()).unwrap_or_default();
        if turned.status == 403 && challenged.iter().all(|scope| before.contains(scope)) {
            return Err(Trouble::Scope { scopes: challenged });
        }
        let scopes = scope::choose(scope::Known {
            wanted: self.0.login.scope.as_deref(),
            challenged: &challenged,
            resource: &resource.scopes,
            issuer: &issuer.scopes,
            before: &before,
        });
        let client = self.client(fetcher, &issuer, known).await?;
        if turned.status == 401
            && let Some(tokens) = refreshed(fetcher, &issuer, &resource, &client, known).await
        {
            return Ok(tokens);
        }
        let redirect_uri = self.0.login.redirect_uri.clone();
        let (resource, proof) = (resource.name, Proof::new()?);
        let ask = Ask { issuer, resource, client, scopes, redirect_uri, proof };
        match code::open(fetcher, &ask).await {
            Ok(redirect) => redeem(fetcher, &ask, &redirect, known).await,
            Err(trouble) => {
                if matches!(trouble, Trouble::Person { .. }) {
                    known.waiting = Some(ask);
                }
                Err(trouble)
            }
        }
    }

    /// The client that we are at an authorization server, and at no other.
    async fn client(
        &self,
        fetcher: Fetcher<'_>,
        issuer: &Issuer,
        known: &mut Known,
    ) -> Result<Credentials, Trouble> {
        if let Some(client) = known.clients.get(&issuer.name) {
            return Ok(client.clone());
        }
        if let (Some(_), Some(before)) = (&self.0.login.client_id, known.clients.keys().next()) {
            return Err(Trouble::Moved { before: before.clone(), now: issuer.name.clone() });
        }
        let client = registration::client(fetcher, issuer, &self.0.login).await?;
        known.clients.insert(issuer.name.clone(), client.clone());
        Ok(client)
    }
}

/// A token that a token endpoint gives for a client's own credentials.
pub(crate) async fn client_credentials(
    fetcher: Fetcher<'_>,
    endpoint: &str,
    (id, secret): (&str, &str),
    scope: Option<&str>,
) -> Result<String, Trouble> {
    let (secret, method) = (Some(secret.to_owned()), registration::Method::Basic);
    let client = Credentials { id: id.to_owned(), secret, method };
    let mut form = vec![("grant_type", "client_credentials")];
    form.extend(scope.map(|scope| ("scope", scope)));
    let endpoint = fetch::address(endpoint)?;
    Ok(token::request(fetcher, &endpoint, &client, &form).await?.access)
}

/// Exchanges the code of an answer for tokens.
async fn redeem(
    fetcher: Fetcher<'_>,
    ask: &Ask,
    redirect: &Url,
    known: &mut Known,
) -> Result<Tokens, Trouble> {
    let code = code::read(redirect, ask)?;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", ask.redirect_uri.as_str()),
        ("code_verifier", ask.proof.verifier.as_str()),
        ("resource", ask.resource.as_str()),
    ];
    let tokens = token::request(fetcher, &ask.issuer.token, &ask.client, &form).await?;
    let (issuer, scopes) = (ask.issuer.name.clone(), ask.scopes.clone());
    known.grant = Some(Grant { issuer, scopes, refresh: tokens.refresh.clone() });
    Ok(tokens)
}

/// New tokens for a refresh token, which serves once; none if there is none or it is not taken.
async fn refreshed(
    fetcher: Fetcher<'_>,
    issuer: &Issuer,
    resource: &Resource,
    client: &Credentials,
    known: &mut Known,
) -> Option<Tokens> {
    let grant = known.grant.as_mut()?;
    let refresh = grant.refresh.take()?;
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh.as_str()),
        ("resource", resource.name.as_str()),
    ];
    let tokens = token::request(fetcher, &issuer.token, client, &form).await.ok()?;
    grant.refresh = Some(tokens.refresh.clone().unwrap_or(refresh));
    Some(tokens)
}
