//! The database's tables, and what is done with a database that is not ours.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::MemoryError;

/// Marks a database as ours, in the header SQLite keeps for that.
const APPLICATION: i32 = 0x5052_4653;
/// The tables' version.
const VERSION: i32 = 1;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, started_at TEXT NOT NULL, last_active_at TEXT NOT NULL, ended_at TEXT, status TEXT NOT NULL,
    topics TEXT NOT NULL DEFAULT '[]', tool_calls INTEGER NOT NULL DEFAULT 0, discoveries INTEGER NOT NULL DEFAULT 0, goal TEXT, summary TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS session_files (
    session_id TEXT NOT NULL, path TEXT NOT NULL, access_count INTEGER NOT NULL, first_accessed_at TEXT NOT NULL,
    last_accessed_at TEXT NOT NULL, PRIMARY KEY (session_id, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS discoveries (
    id TEXT PRIMARY KEY, file TEXT NOT NULL UNIQUE, file_hash TEXT NOT NULL, session_id TEXT, type TEXT NOT NULL, content TEXT NOT NULL, module TEXT,
    source TEXT NOT NULL, author TEXT, confidence REAL NOT NULL, status TEXT NOT NULL, superseded_by TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    anchor_path TEXT, anchor_symbol TEXT, anchor_hash TEXT, anchor_commit TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS context_items (
    path TEXT PRIMARY KEY, type TEXT NOT NULL, module TEXT, score REAL NOT NULL DEFAULT 0, recency_factor REAL NOT NULL DEFAULT 0, access_factor REAL NOT NULL DEFAULT 0,
    last_accessed_at TEXT NOT NULL, access_count INTEGER NOT NULL, tokens INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'active'
) STRICT;
CREATE INDEX IF NOT EXISTS session_order ON sessions (started_at);
";

/// Opens the database in `folder`. One that can't be read, or that another program made, is renamed and a note
/// says so; what it was made from, the discovery files, is still there.
pub(super) fn open(folder: &Path, notes: &mut Vec<String>) -> Result<Connection, MemoryError> {
    let path = folder.join("context.db");
    match try_open(&path) {
        Ok(database) => Ok(database),
        Err(Unfit::Ours(error)) => Err(error.into()),
        Err(Unfit::NotOurs(reason)) => {
            let aside = set_aside(&path, folder)?;
            notes.push(format!(
                "{} {reason}; it was moved to {aside} and a new one made",
                path.display()
            ));
            match try_open(&path) {
                Ok(database) => Ok(database),
                Err(Unfit::Ours(error)) => Err(error.into()),
                Err(Unfit::NotOurs(_)) => Err(rusqlite::Error::InvalidPath(path).into()),
            }
        }
    }
}

enum Unfit {
    /// An error of the moment: busy, disk full, no permission.
    Ours(rusqlite::Error),
    /// The file is damaged or foreign.
    NotOurs(&'static str),
}

impl From<rusqlite::Error> for Unfit {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => Self::NotOurs("is not a database"),
            Some(rusqlite::ErrorCode::DatabaseCorrupt) => Self::NotOurs("is damaged"),
            _ => Self::Ours(error),
        }
    }
}

fn try_open(path: &Path) -> Result<Connection, Unfit> {
    let database = Connection::open(path)?;
    database.busy_timeout(Duration::from_secs(5))?;
    let application: i32 = database.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 =
        database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables > 0 && application != APPLICATION {
        return Err(Unfit::NotOurs("was made by another program"));
    }
    let version: i32 = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > VERSION {
        return Err(Unfit::NotOurs("was made by a newer version"));
    }
    let check: String = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(Unfit::NotOurs("is damaged"));
    }
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.execute_batch(TABLES)?;
    database.pragma_update(None, "application_id", APPLICATION)?;
    database.pragma_update(None, "user_version", VERSION)?;
    Ok(database)
}

fn set_aside(path: &Path, folder: &Path) -> Result<String, MemoryError> {
    let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    let failed = |_| rusqlite::Error::InvalidPath(path.to_owned());
    let mut name = format!("context.db.set-aside-{stamp}");
    let mut turn = 1;
    while folder.join(&name).exists() {
        name = format!("context.db.set-aside-{stamp}-{turn}");
        turn += 1;
    }
    std::fs::rename(path, folder.join(&name)).map_err(failed)?;
    for companion in ["-wal", "-shm"] {
        let from = folder.join(format!("context.db{companion}"));
        if from.exists() {
            std::fs::rename(from, folder.join(format!("{name}{companion}"))).map_err(failed)?;
        }
    }
    Ok(name)
}
