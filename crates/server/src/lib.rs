//! Toolsets as an MCP server, on stdio and on streamable HTTP.
//!
//! One hand-written handler ([`Mcp`]) serves every protocol revision from 2024-11-05 to 2026-07-28.
//! It translates between the protocol and the gate and does nothing else: what a call may do, how
//! long it may take and what it answers is decided there.
//!
//! **Invariant:** with `mcptest` this is the only crate that knows MCP, and it knows no toolset, save
//! the hidden fixtures of the protocol's own conformance suite ([`conformance`]).

mod clients;
pub mod conformance;
mod handler;
pub mod http;
mod link;
pub mod logs;
mod metrics;
mod own;
mod stdio;
mod subscriptions;
mod translate;

pub use handler::{Mcp, Serving};
pub use metrics::prometheus;
pub use stdio::{LineTransport, serve_stdio};

/// Why a server stopped before it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The protocol's opening failed.
    #[error("the session could not be opened: {0}")]
    Opening(#[from] Box<rmcp::service::ServerInitializeError>),
    /// The session's task failed.
    #[error("the session ended abnormally: {0}")]
    Session(#[from] tokio::task::JoinError),
    /// The address can't be listened on.
    #[error("can't listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Reading or writing failed.
    #[error("input or output failed: {0}")]
    Io(#[from] std::io::Error),
}
