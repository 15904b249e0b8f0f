//! How long, how often and how many at once: what the gate holds every call of a tool to.

use std::time::Duration;

/// The bounds of one tool's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long one call may take before it is stopped and answered as timed out.
    pub deadline: Duration,
    /// Calls allowed in a minute, or no limit.
    pub per_minute: Option<u32>,
    /// Calls allowed at the same time, or no limit. Others wait, within their deadline.
    pub concurrent: Option<usize>,
}

impl Limits {
    /// A minute for a call, as often as wanted.
    pub const DEFAULT: Self =
        Self { deadline: Duration::from_mins(1), per_minute: None, concurrent: None };

    /// The same limits with another deadline.
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same limits with a rate.
    pub const fn per_minute(mut self, calls: u32) -> Self {
        self.per_minute = Some(calls);
        self
    }

    /// The same limits with a bound on parallel calls.
    pub const fn concurrent(mut self, calls: usize) -> Self {
        self.concurrent = Some(calls);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
