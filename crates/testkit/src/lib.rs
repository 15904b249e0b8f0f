//! What the tests of several crates share: calls through the gate, and sessions with a real server.
//!
//! It knows no toolset: tests bring their own.

mod calls;
mod session;

pub use calls::{call, call_text};
pub use session::{Frame, Session};
