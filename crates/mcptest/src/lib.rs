//! Does this MCP server do what it claims?
//!
//! A raw client over JSON ([`Client`]) that keeps every frame it sends and receives and repairs
//! nothing: what a typed SDK would hide is what a tester must see. Over it stand named connections,
//! checks of a server's behaviour, contract lock files, recordings and load.
//!
//! **Invariant:** nothing here trusts the server under test. Everything has a timeout and a bound, and
//! no answer of the server's can end the session of the caller.

mod client;
mod era;
mod fault;
mod frame;
mod wire;

pub use client::{Anomaly, Client, Reply, Response, ServerRequest};
pub use era::{Era, LEGACY, MODERN, Opening, REVISIONS};
pub use fault::{Exit, Fault};
pub use frame::{Direction, Frame, Journal, Payload};
pub use wire::{HttpTarget, SseTarget, StdioTarget, Target};
