//! What calling a tool does to the world, as the client is told before it decides to call.

use serde::Serialize;

/// What a call may change. Clients use it to decide whether to ask a person first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// Nothing outside the tool's own memory changes.
    #[serde(rename = "readOnlyHint")]
    pub read_only: bool,
    /// Something that a person might miss can be changed or removed.
    #[serde(rename = "destructiveHint")]
    pub destructive: bool,
    /// A second call with the same input changes nothing more.
    #[serde(rename = "idempotentHint")]
    pub idempotent: bool,
    /// The tool talks to something outside this machine's project: another server, a network.
    #[serde(rename = "openWorldHint")]
    pub open_world: bool,
}

impl Effect {
    /// Reads and answers; changes nothing.
    pub const READS: Self =
        Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    /// Adds something new on each call, and takes nothing away.
    pub const ADDS: Self =
        Self { read_only: false, destructive: false, idempotent: false, open_world: false };
    /// Sets a state: calling twice is the same as calling once, and nothing is lost.
    pub const SETS: Self =
        Self { read_only: false, destructive: false, idempotent: true, open_world: false };
    /// May change or remove what is there.
    pub const CHANGES: Self =
        Self { read_only: false, destructive: true, idempotent: false, open_world: false };

    /// The same effect, on something outside the project.
    pub const fn in_open_world(mut self) -> Self {
        self.open_world = true;
        self
    }
}
