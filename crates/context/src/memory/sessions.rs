//! Sessions: stretches of work. They start and end by themselves with use and silence, or when told to.

use std::time::Duration;

use rusqlite::{OptionalExtension, Row, params};

use super::{Memory, MemoryError, now};

/// Silence that ends a session.
pub const IDLE: Duration = Duration::from_mins(30);
/// Days after which a completed session is archived.
const ARCHIVED_AFTER_DAYS: i64 = 7;

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStatus {
    /// Going on.
    Active,
    /// Over.
    Completed,
    /// Over for a week.
    Archived,
}

impl SessionStatus {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Archived => "archived",
        }
    }
}

/// A stretch of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// When it began.
    pub started_at: String,
    /// When it was last used.
    pub last_active_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// What it is doing.
    pub status: SessionStatus,
    /// What it was for, where somebody said so.
    pub goal: Option<String>,
    /// What came of it, where somebody said so.
    pub summary: Option<String>,
    /// What was searched for, newest last.
    pub topics: Vec<String>,
    /// Files read, most read first.
    pub files: Vec<FileAccess>,
    /// Calls made.
    pub tool_calls: u64,
    /// Discoveries recorded.
    pub discoveries: u64,
}

/// How a session used a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAccess {
    /// Path relative to the root.
    pub path: String,
    /// How often it was read.
    pub count: u64,
    /// First time.
    pub first_at: String,
    /// Last time.
    pub last_at: String,
}

impl Session {
    /// How long it went on, or has gone on, in seconds.
    pub fn seconds(&self) -> i64 {
        let end = self.ended_at.as_ref().unwrap_or(&self.last_active_at);
        let at = |text: &str| text.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_second);
        (at(end) - at(&self.started_at)).max(0)
    }
}

impl Memory {
    /// The session to count a call to: the active one, or a new one when there is none or it has been silent
    /// too long.
    pub fn use_session(&self) -> Result<String, MemoryError> {
        let now = now();
        self.end_silent_sessions(&now)?;
        let database = self.database();
        let sql =
            "SELECT id FROM sessions WHERE status = 'active' ORDER BY started_at DESC LIMIT 1";
        let current: Option<String> = database.query_row(sql, [], |row| row.get(0)).optional()?;
        if let Some(id) = current {
            database.execute("UPDATE sessions SET last_active_at = ?2, tool_calls = tool_calls + 1 WHERE id = ?1", params![id, now])?;
            return Ok(id);
        }
        let id = uuid::Uuid::new_v4().to_string();
        let sql = "INSERT INTO sessions (id, started_at, last_active_at, status, tool_calls) VALUES (?1, ?2, ?2, 'active', 1)";
        database.execute(sql, params![id, now])?;
        Ok(id)
    }

    /// Begins a session, ending the one before.
    pub fn start_session(&self, goal: Option<&str>) -> Result<Session, MemoryError> {
        self.finish_active(None)?;
        let id = self.use_session()?;
        self.database()
            .execute("UPDATE sessions SET goal = ?2 WHERE id = ?1", params![id, goal])?;
        self.session(&id)
    }

    /// Ends the active session.
    pub fn end_session(&self, summary: Option<&str>) -> Result<Session, MemoryError> {
        let active = self.current_session()?.ok_or(MemoryError::NoSession)?;
        self.finish_active(summary)?;
        self.session(&active.id)
    }

    /// The session going on, if any.
    pub fn current_session(&self) -> Result<Option<Session>, MemoryError> {
        self.end_silent_sessions(&now())?;
        Ok(self.recent_sessions(1)?.into_iter().find(|s| s.status == SessionStatus::Active))
    }

    /// The last sessions, newest first.
    pub fn recent_sessions(&self, limit: usize) -> Result<Vec<Session>, MemoryError> {
        self.end_silent_sessions(&now())?;
        let mut sessions = {
            let database = self.database();
            let mut statement = database.prepare_cached(
                "SELECT * FROM sessions ORDER BY started_at DESC, rowid DESC LIMIT ?1",
            )?;
            statement.query_map([limit as i64], from_row)?.collect::<Result<Vec<_>, _>>()?
        };
        for session in &mut sessions {
            session.files = self.session_files(&session.id)?;
        }
        Ok(sessions)
    }

    /// Notes what was searched for.
    pub fn note_topic(&self, session: &str, topic: &str) -> Result<(), MemoryError> {
        const KEPT: usize = 50;
        let database = self.database();
        let topics: String =
            database.query_row("SELECT topics FROM sessions WHERE id = ?1", [session], |row| {
                row.get(0)
            })?;
        let mut topics: Vec<String> = serde_json::from_str(&topics).unwrap_or_default();
        topics.retain(|known| known != topic);
        topics.push(topic.chars().take(120).collect());
        let from = topics.len().saturating_sub(KEPT);
        let text = serde_json::Value::from(topics.split_off(from)).to_string();
        database
            .execute("UPDATE sessions SET topics = ?2 WHERE id = ?1", params![session, text])?;
        Ok(())
    }

    /// Notes that a discovery was recorded.
    pub fn note_discovery(&self, session: &str) -> Result<(), MemoryError> {
        self.database().execute(
            "UPDATE sessions SET discoveries = discoveries + 1 WHERE id = ?1",
            [session],
        )?;
        Ok(())
    }

    fn session(&self, id: &str) -> Result<Session, MemoryError> {
        let mut session =
            self.database().query_row("SELECT * FROM sessions WHERE id = ?1", [id], from_row)?;
        session.files = self.session_files(id)?;
        Ok(session)
    }

    fn session_files(&self, id: &str) -> Result<Vec<FileAccess>, MemoryError> {
        let database = self.database();
        let sql = "SELECT path, access_count, first_accessed_at, last_accessed_at FROM session_files WHERE session_id = ?1 ORDER BY access_count DESC, path";
        let mut statement = database.prepare_cached(sql)?;
        let rows = statement.query_map([id], |row| {
            Ok(FileAccess {
                path: row.get(0)?,
                count: row.get::<_, i64>(1)? as u64,
                first_at: row.get(2)?,
                last_at: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn finish_active(&self, summary: Option<&str>) -> Result<(), MemoryError> {
        let sql = "UPDATE sessions SET status = 'completed', ended_at = ?1, summary = coalesce(?2, summary) WHERE status = 'active'";
        self.database().execute(sql, params![now(), summary])?;
        Ok(())
    }

    /// Ends sessions that nobody used for a while, at the time they were last used, and archives old ones.
    fn end_silent_sessions(&self, now: &str) -> Result<(), MemoryError> {
        let database = self.database();
        let idle = format!("-{} seconds", IDLE.as_secs());
        let sql = "UPDATE sessions SET status = 'completed', ended_at = last_active_at WHERE status = 'active' AND julianday(last_active_at) < julianday(?1, ?2)";
        database.execute(sql, params![now, idle])?;
        let old = format!("-{ARCHIVED_AFTER_DAYS} days");
        let sql = "UPDATE sessions SET status = 'archived' WHERE status = 'completed' AND julianday(ended_at) < julianday(?1, ?2)";
        database.execute(sql, params![now, old])?;
        Ok(())
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    let (topics, status): (String, String) = (row.get("topics")?, row.get("status")?);
    Ok(Session {
        id: row.get("id")?,
        started_at: row.get("started_at")?,
        last_active_at: row.get("last_active_at")?,
        ended_at: row.get("ended_at")?,
        status: match status.as_str() {
            "active" => SessionStatus::Active,
            "archived" => SessionStatus::Archived,
            _ => SessionStatus::Completed,
        },
        goal: row.get("goal")?,
        summary: row.get("summary")?,
        topics: serde_json::from_str(&topics).unwrap_or_default(),
        files: Vec::new(),
        tool_calls: row.get::<_, i64>("tool_calls")? as u64,
        discoveries: row.get::<_, i64>("discoveries")? as u64,
    })
}
