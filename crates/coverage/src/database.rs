//! coverage.py's `.coverage` database, read directly: which test (context) ran which lines.
//!
//! The database knows what ran and nothing else, so it answers questions about tests and never
//! gives a percentage. Exporting contexts as JSON takes minutes and gigabytes; a query takes
//! milliseconds.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// Why a database gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// SQLite can't read it.
    #[error("the coverage.py database can't be read: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// It is somebody else's.
    #[error("invalid format: an SQLite database, but not one that coverage.py wrote")]
    Foreign,
}

/// An open `.coverage` database.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    has_arcs: bool,
}

impl Database {
    /// Opens a database for reading only.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        let has_arcs = connection
            .query_row("select value from meta where key = 'has_arcs'", [], |row| {
                row.get::<_, String>(0)
            })
            .is_ok_and(|value| value == "1");
        let tables = "select count(*) from sqlite_master where name in ('file', 'context')";
        let known: u32 = connection.query_row(tables, [], |row| row.get(0))?;
        if known < 2 {
            return Err(DatabaseError::Foreign);
        }
        Ok(Self { connection, has_arcs })
    }

    /// The files it knows, by id.
    pub fn files(&self) -> Result<Vec<(i64, String)>, DatabaseError> {
        let mut query = self.connection.prepare("select id, path from file order by id")?;
        let files = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(files.collect::<Result<_, _>>()?)
    }

    /// Whether any test has a name.
    pub fn names_tests(&self) -> Result<bool, DatabaseError> {
        let query = "select count(*) from context where context <> ''";
        Ok(self.connection.query_row(query, [], |row| row.get::<_, i64>(0))? > 0)
    }

    /// Which lines of a file each test ran.
    pub fn lines_by_test(&self, file: i64) -> Result<BTreeMap<String, Vec<u32>>, DatabaseError> {
        let mut tests: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        if self.has_arcs {
            self.lines_from_arcs(file, &mut tests)?;
        } else {
            self.lines_from_bits(file, &mut tests)?;
        }
        for lines in tests.values_mut() {
            lines.sort_unstable();
            lines.dedup();
        }
        Ok(tests)
    }

    fn lines_from_bits(
        &self,
        file: i64,
        tests: &mut BTreeMap<String, Vec<u32>>,
    ) -> Result<(), DatabaseError> {
        let mut query = self.connection.prepare(
            "select context.context, numbits from line_bits \
             join context on context.id = line_bits.context_id where file_id = ?",
        )?;
        let mut rows = query.query([file])?;
        while let Some(row) = rows.next()? {
            let bits: Vec<u8> = row.get(1)?;
            tests.entry(row.get(0)?).or_default().extend(lines_of(&bits));
        }
        Ok(())
    }

    /// Jumps from line to line; a negative end is the edge of a function.
    fn lines_from_arcs(
        &self,
        file: i64,
        tests: &mut BTreeMap<String, Vec<u32>>,
    ) -> Result<(), DatabaseError> {
        let mut query = self.connection.prepare(
            "select context.context, fromno, tono from arc \
             join context on context.id = arc.context_id where file_id = ?",
        )?;
        let mut rows = query.query([file])?;
        while let Some(row) = rows.next()? {
            let ends: [i64; 2] = [row.get(1)?, row.get(2)?];
            let lines = ends.into_iter().filter_map(|end| u32::try_from(end).ok());
            tests.entry(row.get(0)?).or_default().extend(lines.filter(|line| *line > 0));
        }
        Ok(())
    }
}

/// One bit a line, line 0 first.
fn lines_of(bits: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bits.iter().enumerate().flat_map(|(at, byte)| {
        (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| at as u32 * 8 + bit)
    })
}
