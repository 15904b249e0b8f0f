//! Who may come in: the host and origin that a request names, the sign-in where a token is set, and
//! the headers that tell the browser what a page may do.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Form, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use subtle::ConstantTimeEq;

use crate::frame;

/// Scripts and styles come from here only, nothing is loaded from elsewhere, no page may frame these
/// ones and no form may post elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
const COOKIE: &str = "proofstone_console";
const SIGN_IN: &str = "/sign-in";

/// The console's door.
#[derive(Debug, Clone)]
pub struct Door {
    token: Option<Arc<str>>,
    hosts: Arc<[String]>,
    /// Made anew for each server: what the cookie and the forms carry.
    key: Arc<str>,
}

impl Door {
    /// A door that asks for the token, if there is one, and lets in requests for these host names.
    pub fn new(token: Option<&str>, hosts: Vec<String>) -> std::io::Result<Self> {
        let key = new_secret()?.into();
        Ok(Self { token: token.map(Arc::from), hosts: hosts.into(), key })
    }

    pub(crate) fn key(&self) -> Arc<str> {
        Arc::clone(&self.key)
    }

    pub(crate) fn guard(self, pages: Router) -> Router {
        let door = Arc::new(self);
        pages
            .layer(middleware::from_fn_with_state(Arc::clone(&door), signed_in))
            .route(SIGN_IN, get(ask_for_token).post(sign_in).with_state(Arc::clone(&door)))
            .merge(frame::assets())
            .layer(middleware::from_fn_with_state(door, known_host))
            .layer(middleware::map_response(with_headers))
    }

    /// Whether a request is for us: a page of another name that resolves to this address must not
    /// read anything (DNS rebinding).
    fn knows_host(&self, headers: &HeaderMap) -> bool {
        let Some(host) = text(headers, header::HOST) else { return false };
        let name = host_name(host);
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        loopback.contains(&name) || self.hosts.iter().any(|known| host_name(known) == name)
    }

    /// Whether a posted form comes from one of our pages.
    fn is_our_form(headers: &HeaderMap) -> bool {
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return false;
        }
        let Some(origin) = text(headers, header::ORIGIN) else { return true };
        let host = text(headers, header::HOST).unwrap_or_default();
        origin.split_once("://").is_some_and(|(_, from)| from == host)
    }

    fn holds_key(&self, headers: &HeaderMap) -> bool {
        let cookies = text(headers, header::COOKIE).unwrap_or_default();
        cookies
            .split(';')
            .filter_map(|cookie| cookie.trim().split_once('='))
            .any(|(name, value)| name == COOKIE && same(value, &self.key))
    }
}

/// Whether a request carries the token in its `Authorization` header.
pub fn bears_token(headers: &HeaderMap, token: &str) -> bool {
    text(headers, header::AUTHORIZATION)
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .is_some_and(|(_, given)| same(given.trim(), token))
}

/// A secret that nobody can guess, in hexadecimal digits.
pub fn new_secret() -> std::io::Result<String> {
    let mut bytes = [0_u8; 24];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

fn same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// A host without its port.
fn host_name(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if !host[at..].contains(']') && !host[..at].ends_with(':') => &host[..at],
        _ => host,
    }
}

async fn known_host(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    if !door.knows_host(request.headers()) {
        let said =
            "this host name is not served here; add it to allowed_hosts in proofstone.toml\n";
        return (StatusCode::FORBIDDEN, said).into_response();
    }
    if *request.method() != Method::GET && !Door::is_our_form(request.headers()) {
        return (StatusCode::FORBIDDEN, "this form was not posted from the console\n")
            .into_response();
    }
    next.run(request).await
}

async fn signed_in(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    match &door.token {
        Some(token) if !door.holds_key(headers) && !bears_token(headers, token) => {
            if *request.method() == Method::GET {
                return Redirect::to(SIGN_IN).into_response();
            }
            (StatusCode::UNAUTHORIZED, "sign in first\n").into_response()
        }
        _ => next.run(request).await,
    }
}

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn ask_for_token() -> Markup {
    sign_in_page(None)
}

async fn sign_in(
    State(door): State<Arc<Door>>,
    Form(given): Form<Vec<(String, String)>>,
) -> Response {
    let given =
        given.iter().find(|(name, _)| name == "token").map_or("", |(_, value)| value.trim());
    match &door.token {
        Some(token) if !same(given, token) => {
            let page = sign_in_page(Some("That is not the token this server was started with."));
            (StatusCode::UNAUTHORIZED, page).into_response()
        }
        _ => {
            let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", door.key);
            ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response()
        }
    }
}

fn sign_in_page(trouble: Option<&str>) -> Markup {
    frame::bare(
        "Sign in",
        html! {
            h1 { "Sign in" }
            p { "This server asks for the token that its clients carry." }
            @if let Some(trouble) = trouble { p.trouble role="alert" { (trouble) } }
            form method="post" action=(SIGN_IN) {
                label { "Token" input type="password" name="token" required autocomplete="current-password"; }
                button { "Sign in" }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_named_without_their_port() {
        let cases = [
            ("localhost:80", "localhost"),
            ("localhost", "localhost"),
            ("[::1]:8080", "[::1]"),
            ("[::1]", "[::1]"),
            ("evil.example:1", "evil.example"),
        ];
        for (host, name) in cases {
            assert_eq!(host_name(host), name);
        }
    }
}
