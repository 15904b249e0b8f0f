//! The console: pages for the people beside the agents.
//!
//! Everything a page shows is an answer of a tool or a resource, asked for through the gate like any
//! client's; the pages know their names and fields and nothing behind them. Pages are rendered here,
//! work without their script, and take the same authorisation as the protocol's endpoint ([`Door`]).
//!
//! **Invariant:** this crate knows no protocol and no toolset's types, and everything that comes from
//! a tool or a file is escaped: markup is only ever written by the templates.

mod ask;
mod console;
mod door;
mod draw;
mod form;
mod frame;
mod history;
mod pages;

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use axum::Router;
use proofstone_gate::Gate;

pub use crate::door::{Door, bears_token, new_secret};

/// A client of the server, as the console shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// What it calls itself.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The revision of the protocol that it speaks.
    pub protocol: String,
    /// How many sessions it holds open; none where requests stand alone.
    pub sessions: usize,
    /// Tool calls so far.
    pub calls: u64,
    /// When it was last heard of.
    pub last_seen: SystemTime,
}

/// What the console is a console of.
pub trait Host: Send + Sync + 'static {
    /// The way every call takes.
    fn gate(&self) -> &Gate;

    /// The project.
    fn root(&self) -> &Path;

    /// The clients that were seen, the latest first.
    fn clients(&self) -> Vec<Client>;
}

/// The pages, behind their door. Must be called within a runtime: the fuzzing charts are drawn from
/// samples that are taken in the background.
pub fn router(host: Arc<dyn Host>, door: Door) -> Router {
    let console = console::Console::new(host, door.key());
    history::watch(Arc::downgrade(&console));
    door.guard(pages::routes(console))
}
