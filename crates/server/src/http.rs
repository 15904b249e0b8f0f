//! MCP over streamable HTTP at `/mcp`, with the console at `/` and `/metrics` and `/healthz` beside it.
//!
//! Requests from other hosts and other origins are refused, and an address that others can reach
//! needs a token.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use proofstone_console::{Door, bears_token, new_secret};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{Mcp, ServeError, Serving, prometheus};

/// The longest request body that is read.
const LONGEST_BODY: usize = 16 * 1024 * 1024;
/// How long calls in flight may take to finish once the server is asked to stop.
const GRACE: Duration = Duration::from_secs(10);

/// How to serve over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where to listen, as `host:port`.
    pub address: String,
    /// The token that every request must carry, or none on a loopback address.
    pub token: Option<String>,
    /// Host names that requests may name besides the loopback ones and the address itself.
    pub allowed_hosts: Vec<String>,
    /// Origins that browsers may come from besides the loopback ones.
    pub allowed_origins: Vec<String>,
    /// Whether every request stands alone, also for the revisions that know sessions.
    pub stateless: bool,
}

/// A server that listens and has not begun to serve.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
}

impl Bound {
    /// Starts to listen. An address that others can reach gets a token if it has none.
    pub async fn bind(mut options: HttpOptions) -> Result<Self, ServeError> {
        let fault = |source| ServeError::Listen { address: options.address.clone(), source };
        let listener = TcpListener::bind(&options.address).await.map_err(fault)?;
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() && options.token.is_none() {
            options.token = Some(new_secret()?);
        }
        Ok(Self { listener, address, options })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The token that requests must carry.
    pub fn token(&self) -> Option<&str> {
        self.options.token.as_deref()
    }

    /// Serves until `stop` fires, then finishes the calls in flight.
    pub async fn serve(
        self,
        serving: Arc<Serving>,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let sessions_end = CancellationToken::new();
        let app = app(&serving, &self.options, self.address, &sessions_end)?;
        // Small answers must not wait for the client's delayed acknowledgement.
        let listener = self.listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let ending = async move {
            stop.cancelled().await;
            let idle = async {
                while serving.gate.in_flight() > 0 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            let _ = tokio::time::timeout(GRACE, idle).await;
            sessions_end.cancel();
        };
        axum::serve(listener, app).with_graceful_shutdown(ending).await?;
        Ok(())
    }
}

fn app(
    serving: &Arc<Serving>,
    options: &HttpOptions,
    address: SocketAddr,
    sessions_end: &CancellationToken,
) -> Result<Router, ServeError> {
    let mut config = StreamableHttpServerConfig::default();
    config.cancellation_token = sessions_end.clone();
    config.max_request_body_bytes = LONGEST_BODY;
    config.legacy_session_mode = !options.stateless;
    config.json_response = true;
    config.allowed_hosts.push(address.ip().to_string());
    config.allowed_hosts.extend(options.allowed_hosts.iter().cloned());
    let loopback = ["localhost", "127.0.0.1", "[::1]"];
    let schemes = ["http", "https"];
    config.allowed_origins = schemes
        .iter()
        .flat_map(|scheme| loopback.iter().map(move |host| format!("{scheme}://{host}:*")))
        .chain(options.allowed_origins.iter().cloned())
        .collect();
    let mcp = {
        let serving = Arc::clone(serving);
        let new = move || Ok(Mcp::new(Arc::clone(&serving), "http"));
        StreamableHttpService::new(new, LocalSessionManager::default().into(), config)
    };
    let token: Option<Arc<str>> = options.token.as_deref().map(Arc::from);
    let hosts = options.allowed_hosts.iter().cloned().chain([named(address)]).collect();
    let door = Door::new(options.token.as_deref(), hosts)?;
    let app = Router::new()
        .nest_service("/mcp", mcp)
        .route("/metrics", get(metrics).with_state(Arc::clone(serving)))
        .layer(middleware::from_fn_with_state(token, authorise))
        .route("/healthz", get(|| async { "ok\n" }))
        .merge(proofstone_console::router(Arc::clone(serving) as _, door));
    Ok(app)
}

/// An address as a request's host names it, without its port.
fn named(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(four) => four.ip().to_string(),
        SocketAddr::V6(six) => format!("[{}]", six.ip()),
    }
}

async fn metrics(State(serving): State<Arc<Serving>>) -> impl IntoResponse {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, prometheus(&serving.gate))
}

/// Lets a request through that carries the token, or any where none is set.
async fn authorise(
    State(token): State<Option<Arc<str>>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(token) = token else { return next.run(request).await };
    match bears_token(request.headers(), &token) {
        true => next.run(request).await,
        false => {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"proofstone\"")];
            let said = "a bearer token is needed: Authorization: Bearer <token>\n";
            (StatusCode::UNAUTHORIZED, challenge, said).into_response()
        }
    }
}
