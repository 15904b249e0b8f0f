//! What was learned: discoveries, sessions, and which files were looked at.
//!
//! Everything lives in `<root>/.context/`. Discoveries are plain files there, for a team to review and merge,
//! and the database is made from them; commits that give a reason or a rule are read from git's history; sessions and access counts are in the database alone. A database that
//! is damaged or somebody else's is moved aside, never overwritten. Nothing is ever deleted: what no longer
//! holds is superseded, what is no longer used is archived.

mod access;
mod anchor;
mod commits;
mod discovery;
mod discovery_file;
mod recall;
mod records;
mod schema;
mod sessions;

use std::sync::{Mutex, MutexGuard, PoisonError};

use proofstone_jail::{JailError, Root};
use rusqlite::Connection;

pub use access::{ContextItem, SCORER_PERIOD};
pub use anchor::{Anchor, AnchorState};
pub use discovery::{
    Changes, Discovery, DiscoveryKind, Filter, NewDiscovery, Recorded, Source, Status,
};
pub use recall::{Recalled, recall};
pub use sessions::{FileAccess, IDLE, Session, SessionStatus};

/// The folder everything is kept in.
pub const FOLDER: &str = ".context";

/// Why something could not be remembered.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The project's folder can't be written.
    #[error("cannot keep memory in {FOLDER}/: {0}")]
    Folder(#[from] JailError),
    /// `.context` leads elsewhere.
    #[error("{FOLDER} is a link to somewhere else: make it a folder of the project")]
    Linked,
    /// The database answered with an error.
    #[error("the memory's database failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// There is no such discovery.
    #[error("there is no discovery `{id}`")]
    NoSuchDiscovery {
        /// What was asked for.
        id: String,
    },
    /// The code a discovery is to be about is not there.
    #[error("there is no definition `{symbol}` in {path} to anchor to")]
    NoSuchCode {
        /// The file.
        path: String,
        /// The definition.
        symbol: String,
    },
    /// There is no session to end.
    #[error("no active session")]
    NoSession,
}

/// A project's memory.
#[derive(Debug)]
pub struct Memory {
    database: Mutex<Connection>,
    commits: commits::Commits,
    /// What had to be done to open it, for a person to read.
    notes: Vec<String>,
}

impl Memory {
    /// Opens the memory of a project, making it where there is none, and brings in discovery files that are new
    /// or changed.
    pub fn open(root: &Root) -> Result<Self, MemoryError> {
        root.create_folder(FOLDER)?;
        if root.canonical(FOLDER)? != FOLDER {
            return Err(MemoryError::Linked);
        }
        let ignore = format!("{FOLDER}/.gitignore");
        if !root.is_file(&ignore) {
            root.write(&ignore, b"# The database is derived; the files in discoveries/ are what to keep.\ncontext.db*\n")?;
        }
        let mut notes = Vec::new();
        let database = schema::open(&root.path().join(FOLDER), &mut notes)?;
        let memory =
            Self { database: Mutex::new(database), commits: commits::Commits::default(), notes };
        memory.import(root)?;
        Ok(memory)
    }

    /// What had to be done to open it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn database(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Now, as it is written everywhere.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests;

/// Any text as each of the things discoveries are read from, for [`crate::outside`].
pub(crate) fn read_any(text: &str) {
    commits::parse(text);
    let found = discovery_file::read("x.md", text);
    for discovery in found.into_iter().chain(discovery_file::read_decision_record("x.md", text)) {
        discovery_file::path_for(&discovery);
        discovery_file::read("x.md", &discovery_file::write(&discovery));
    }
}
