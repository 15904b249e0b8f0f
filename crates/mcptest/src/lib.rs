//! Does this MCP server do what it claims?
//!
//! A raw client over JSON ([`Client`]) that keeps every frame it sends and receives and repairs
//! nothing: what a typed SDK would hide is what a tester must see. Over it stand named connections,
//! checks of a server's behaviour, contract lock files, recordings and load.
//!
//! **Invariant:** nothing here trusts the server under test. Everything has a timeout and a bound, and
//! no answer of the server's can end the session of the caller.

mod auth;
pub mod check;
mod client;
pub mod connection;
mod dialect;
pub mod diff;
pub mod effects;
mod era;
mod fault;
mod frame;
pub mod fuzz;
pub mod lint;
pub mod load;
mod mirrored;
pub mod oauth;
pub mod pending;
pub mod recording;
mod sample;
mod surface;
mod tools;
mod toolset;
mod wire;

pub use auth::Auth;
pub use client::{Anomaly, Client, Reply, Response, Scripted, ServerRequest};
pub use dialect::McpTestDialect;
pub use era::{Era, LEGACY, MODERN, Opening, REVISIONS};
pub use fault::{Exit, Fault};
pub use frame::{Direction, Frame, Journal, Payload};
pub use mirrored::{Mirrored, mirrored};
pub use sample::fitting as sample_arguments;
pub use surface::{Surface, Unreadable};
pub use toolset::McpTest;
pub use wire::{Cutter, HttpTarget, StdioTarget, StreamEvent, Target};
