//! Which files were looked at, how often, and what that says about their worth.

use std::time::Duration;

use rusqlite::params;

use super::{Memory, MemoryError, now};

/// How often scores are computed anew while serving.
pub const SCORER_PERIOD: Duration = Duration::from_mins(5);
/// Days after which an item counts as not recent at all.
const RECENT_DAYS: f64 = 30.0;
/// Reads after which an item counts as read as often as can be.
const MANY_READS: f64 = 100.0;
/// Tokens the active items may hold; above four fifths of it the least worthy are archived, down to 64 %.
const TOKENS: i64 = 100_000;

/// A file that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// Path relative to the root.
    pub path: String,
    /// Its module.
    pub module: Option<String>,
    /// 0.6 of recency and 0.4 of access.
    pub score: f64,
    /// 1 for now, 0 for a month ago.
    pub recency: f64,
    /// 1 for a hundred reads.
    pub access: f64,
    /// Last read.
    pub last_accessed_at: String,
    /// How often it was read.
    pub access_count: u64,
    /// About how many tokens it takes.
    pub tokens: u64,
    /// Whether it was archived.
    pub archived: bool,
}

impl Memory {
    /// Counts one reading of a file.
    pub fn note_access(
        &self,
        session: &str,
        path: &str,
        module: &str,
        bytes: u64,
    ) -> Result<(), MemoryError> {
        let (now, tokens) = (now(), (bytes / 4) as i64);
        let database = self.database();
        let sql = "INSERT INTO session_files VALUES (?1, ?2, 1, ?3, ?3)
            ON CONFLICT DO UPDATE SET access_count = access_count + 1, last_accessed_at = ?3";
        database.execute(sql, params![session, path, now])?;
        let sql = "INSERT INTO context_items (path, type, module, last_accessed_at, access_count, tokens, status) VALUES (?1, 'file', ?2, ?3, 1, ?4, 'active')
            ON CONFLICT DO UPDATE SET access_count = access_count + 1, last_accessed_at = ?3, tokens = ?4, module = ?2, status = 'active'";
        database.execute(sql, params![path, module, now, tokens])?;
        Ok(())
    }

    /// Computes all scores anew and archives the least worthy while there is too much. Archiving keeps the row.
    pub fn score_items(&self) -> Result<(), MemoryError> {
        let database = self.database();
        let sql = "UPDATE context_items SET
            recency_factor = max(0.0, min(1.0, 1.0 - (julianday(?1) - julianday(last_accessed_at)) / ?2)), access_factor = min(1.0, access_count / ?3)";
        database.execute(sql, params![now(), RECENT_DAYS, MANY_READS])?;
        database.execute(
            "UPDATE context_items SET score = 0.6 * recency_factor + 0.4 * access_factor",
            [],
        )?;
        let sum = "SELECT coalesce(sum(tokens), 0) FROM context_items WHERE status = 'active'";
        let total: i64 = database.query_row(sum, [], |row| row.get(0))?;
        if total > TOKENS * 8 / 10 {
            let sql = "UPDATE context_items SET status = 'archived' WHERE path IN (
                SELECT path FROM (SELECT path, sum(tokens) OVER (ORDER BY score DESC, path) AS kept FROM context_items WHERE status = 'active') WHERE kept > ?1)";
            database.execute(sql, [TOKENS * 64 / 100])?;
        }
        Ok(())
    }

    /// The items with the best scores.
    pub fn items(&self, limit: usize) -> Result<Vec<ContextItem>, MemoryError> {
        let database = self.database();
        let mut statement = database.prepare_cached(
            "SELECT * FROM context_items ORDER BY status, score DESC, path LIMIT ?1",
        )?;
        let rows = statement.query_map([limit as i64], |row| {
            let status: String = row.get("status")?;
            Ok(ContextItem {
                path: row.get("path")?,
                module: row.get("module")?,
                score: row.get("score")?,
                recency: row.get("recency_factor")?,
                access: row.get("access_factor")?,
                last_accessed_at: row.get("last_accessed_at")?,
                access_count: row.get::<_, i64>("access_count")? as u64,
                tokens: row.get::<_, i64>("tokens")? as u64,
                archived: status == "archived",
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
