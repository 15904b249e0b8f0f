//! Why authorization did not lead to a token. Messages carry addresses and names, never tokens, codes,
//! secrets or what an authorization server wrote besides its error.

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// An address of the authorization can't be read.
    #[error("{url} can't be read: {reason}")]
    Fetch {
        /// The address, without its query.
        url: String,
        /// Why not.
        reason: String,
    },
    /// The metadata speaks of another server.
    #[error("the metadata at {at} is of the resource `{published}`, not of {server}")]
    Resource {
        /// Where the metadata stands.
        at: String,
        /// The resource that it names.
        published: String,
        /// The server that was asked.
        server: String,
    },
    /// The metadata names nobody who gives tokens.
    #[error("the metadata at {at} names no authorization server")]
    NoServer {
        /// Where the metadata stands.
        at: String,
    },
    /// The authorization server says nothing of itself.
    #[error(
        "the authorization server {issuer} publishes no metadata; tried {}",
        tried.join(", ")
    )]
    NoMetadata {
        /// The authorization server.
        issuer: String,
        /// Where it was looked for.
        tried: Vec<String>,
    },
    /// The authorization server's metadata speaks of another one.
    #[error("the metadata at {at} is of the issuer `{got}`, not of `{expected}`")]
    Issuer {
        /// Where the metadata stands.
        at: String,
        /// The issuer that was asked for.
        expected: String,
        /// The issuer that it names.
        got: String,
    },
    /// The metadata lacks something.
    #[error("the metadata of the authorization server {issuer} has no `{field}`")]
    Incomplete {
        /// The authorization server.
        issuer: String,
        /// What is missing.
        field: &'static str,
    },
    /// No PKCE.
    #[error(
        "the authorization server {issuer} does not say that it supports PKCE with S256 \
         (code_challenge_methods_supported), without which no code may be asked for"
    )]
    NoPkce {
        /// The authorization server.
        issuer: String,
    },
    /// No way to become a client.
    #[error(
        "the authorization server {issuer} registers no clients by itself, and no client_id is given"
    )]
    NoRegistration {
        /// The authorization server.
        issuer: String,
    },
    /// A client id belongs to one authorization server.
    #[error(
        "the server now names the authorization server {now}, and the client_id belongs to {before}"
    )]
    Moved {
        /// The one it was used with.
        before: String,
        /// The one that is named now.
        now: String,
    },
    /// A person has to sign in.
    #[error("a person must sign in: open {url}")]
    Person {
        /// The address to open.
        url: String,
        /// Where the browser ends.
        redirect_uri: String,
    },
    /// The answer to the authorization request can't be trusted or is a refusal.
    #[error("the authorization answer is refused: {0}")]
    Answer(String),
    /// An endpoint answered with an error.
    #[error("{url} answered HTTP {status}{}", said.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Endpoint {
        /// The endpoint, without its query.
        url: String,
        /// The status.
        status: u16,
        /// The error that OAuth names, and its description.
        said: Option<String>,
    },
    /// The server refuses a token that it should take.
    #[error("the server refuses the access token that {issuer} has just given")]
    Rejected {
        /// Who gave it.
        issuer: String,
    },
    /// More is asked for than can be had.
    #[error("the server asks for {}", match scopes.as_slice() {
        [] => "more scopes and does not say which".to_owned(),
        scopes => format!("the scope `{}`, which was asked for already", scopes.join(" ")),
    })]
    Scope {
        /// The scopes.
        scopes: Vec<String>,
    },
}

impl Trouble {
    /// What to do next.
    pub fn suggestion(&self) -> &'static str {
        match self {
            Self::Fetch { .. } | Self::NoMetadata { .. } => {
                "check that the authorization server is running and publishes its metadata"
            }
            Self::Resource { .. } => {
                "the server's metadata must name the address that clients connect to (RFC 9728, 3.3)"
            }
            Self::NoServer { .. } => "the server's metadata must list authorization_servers",
            Self::Issuer { .. } => {
                "the issuer must be exactly the one that the server names (RFC 8414, 3.3)"
            }
            Self::Incomplete { .. } => "the authorization server must publish it (RFC 8414, 2)",
            Self::NoPkce { .. } => "the authorization server must list S256 there",
            Self::NoRegistration { .. } => {
                "register a client by hand and give `auth.client_id`, or `auth.client_metadata_url`"
            }
            Self::Moved { .. } => {
                "connect again with the client_id that the new authorization server knows"
            }
            Self::Person { .. } => {
                "ask the person to open details.authorization_url and sign in; the browser ends at \
                 details.redirect_uri, which may show nothing. Then call connect_to_server again \
                 with the same arguments and `auth.redirected_to`: the address the browser ended at"
            }
            Self::Answer(_) => "do not use this answer; connect again to ask for another",
            Self::Endpoint { .. } => {
                "look at the authorization server's log; check client_id, secret and redirect_uri"
            }
            Self::Rejected { .. } => {
                "the server must accept tokens of its own authorization server for its resource"
            }
            Self::Scope { .. } => {
                "the authorization server does not grant the scope; allow it for this client there"
            }
        }
    }
}
