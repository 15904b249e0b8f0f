//! Discoveries in and out of files and the database.

use std::collections::{HashMap, HashSet};

use proofstone_jail::{EntryKind, Root};
use rusqlite::{Row, params};

use super::anchor::Anchor;
use super::discovery::{
    Changes, Discovery, DiscoveryKind, Filter, NewDiscovery, Recorded, Source, Status, normal_form,
};
use super::{Memory, MemoryError, discovery_file, now};

/// Where teams keep decision records.
const RECORD_FOLDERS: &[&str] = &[
    "docs/adr",
    "docs/adrs",
    "doc/adr",
    "adr",
    "docs/decisions",
    "docs/architecture/decisions",
    "decisions",
];

impl Memory {
    /// Records something, unless it is known already.
    pub fn record(&self, root: &Root, new: NewDiscovery) -> Result<Recorded, MemoryError> {
        let wanted = normal_form(&new.content);
        let same = |d: &Discovery| {
            d.kind == new.kind && d.module == new.module && normal_form(&d.content) == wanted
        };
        if let Some(known) = self.discoveries(root, &Filter::default())?.into_iter().find(same) {
            return Ok(Recorded::Known(known));
        }
        let anchor = new
            .anchor
            .as_ref()
            .map(|(path, symbol)| take_anchor(root, path, symbol.as_deref()))
            .transpose()?;
        let mut discovery = fresh(new);
        discovery.anchor = anchor;
        self.save(root, &mut discovery)?;
        Ok(Recorded::New(self.discovery(root, &discovery.id)?))
    }

    /// Changes a discovery. New words make a new one that supersedes it.
    pub fn update(
        &self,
        root: &Root,
        id: &str,
        changes: Changes,
    ) -> Result<Discovery, MemoryError> {
        let mut old = self.discovery(root, id)?;
        if let Some(content) =
            changes.content.filter(|content| normal_form(content) != normal_form(&old.content))
        {
            let mut new = Discovery {
                id: uuid::Uuid::new_v4().to_string(),
                content,
                created_at: now(),
                updated_at: now(),
                ..old.clone()
            };
            new.kind = changes.kind.unwrap_or(old.kind);
            new.module = changes.module.or(new.module);
            new.status = Status::Active;
            new.source = Source::Told;
            new.file = String::new();
            new.anchor = retaken(root, old.anchor.as_ref());
            self.save(root, &mut new)?;
            (old.status, old.superseded_by) = (Status::Superseded, Some(new.id.clone()));
            old.updated_at = now();
            self.save(root, &mut old)?;
            return self.discovery(root, &new.id);
        }
        old.kind = changes.kind.unwrap_or(old.kind);
        old.module = changes.module.or(old.module);
        if changes.withdraw {
            old.status = Status::Withdrawn;
        }
        if changes.confirm {
            old.anchor = retaken(root, old.anchor.as_ref());
        }
        old.updated_at = now();
        self.save(root, &mut old)?;
        self.discovery(root, id)
    }

    /// Discoveries, newest first, each with the state of the code it is about.
    pub fn discoveries(&self, root: &Root, filter: &Filter) -> Result<Vec<Discovery>, MemoryError> {
        let database = self.database();
        let mut statement =
            database.prepare_cached("SELECT * FROM discoveries ORDER BY created_at DESC, id")?;
        let rows = statement.query_map([], from_row)?.collect::<Result<Vec<_>, _>>()?;
        let told: HashSet<String> = rows.iter().map(|d| d.id.clone()).collect();
        let commits = self.commits.discoveries(root.path());
        // A commit's discovery that somebody changed has become a file.
        let commits = commits.iter().filter(|d| !told.contains(&d.id)).cloned();
        let all = rows.into_iter().chain(commits);
        let mut wanted: Vec<Discovery> = all.filter(|d| filter.allows(d)).collect();
        wanted.sort_by(|a, b| b.created_at.cmp(&a.created_at).then_with(|| a.id.cmp(&b.id)));
        for discovery in &mut wanted {
            discovery.anchor_state = discovery.anchor.as_ref().map(|anchor| anchor.state(root));
        }
        Ok(wanted)
    }

    /// One discovery, by its id or the start of it.
    pub fn discovery(&self, root: &Root, id: &str) -> Result<Discovery, MemoryError> {
        let all = self.discoveries(root, &Filter { any_status: true, ..Filter::default() })?;
        let unknown = || MemoryError::NoSuchDiscovery { id: id.to_owned() };
        if id.len() < 6 {
            return Err(unknown());
        }
        let mut fitting = all.into_iter().filter(|d| d.id.starts_with(id));
        let found = fitting.next().ok_or_else(unknown)?;
        if fitting.next().is_some() && found.id != id { Err(unknown()) } else { Ok(found) }
    }

    /// Brings in discovery files and decision records that are new or changed, and marks those whose file is
    /// gone as withdrawn: the file is what counts.
    pub fn import(&self, root: &Root) -> Result<(), MemoryError> {
        let known = self.known_files()?;
        let mut seen = HashMap::new();
        for (file, text, is_record) in files(root) {
            let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
            let read = if is_record {
                discovery_file::read_decision_record(&file, &text)
            } else {
                discovery_file::read(&file, &text)
            };
            if let Some(discovery) = read.filter(|_| known.get(&file) != Some(&hash)) {
                self.store(&discovery, &hash)?;
            }
            seen.insert(file, hash);
        }
        for file in known.keys().filter(|file| !seen.contains_key(*file)) {
            let gone = "UPDATE discoveries SET status = 'withdrawn', file_hash = '', updated_at = ?2 WHERE file = ?1 AND status = 'active'";
            self.database().execute(gone, params![file, now()])?;
        }
        Ok(())
    }

    fn known_files(&self) -> Result<HashMap<String, String>, MemoryError> {
        let database = self.database();
        let mut statement = database.prepare_cached("SELECT file, file_hash FROM discoveries")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Writes the file first, then the database: a crash between leaves a file that is imported next time.
    fn save(&self, root: &Root, discovery: &mut Discovery) -> Result<(), MemoryError> {
        if discovery.file.is_empty() {
            discovery.file = discovery_file::path_for(discovery);
        }
        let mut hash = blake3::hash(discovery.content.as_bytes());
        if discovery.source != Source::DecisionRecord {
            let text = discovery_file::write(discovery);
            root.write(&discovery.file, text.as_bytes())?;
            hash = blake3::hash(text.as_bytes());
        }
        self.store(discovery, &hash.to_hex())
    }

    fn store(&self, d: &Discovery, hash: &str) -> Result<(), MemoryError> {
        let anchor = d.anchor.as_ref();
        let sql = "INSERT OR REPLACE INTO discoveries (id, file, file_hash, session_id, type, content, module, source, author, confidence, status, superseded_by, created_at, updated_at, anchor_path, anchor_symbol, anchor_hash, anchor_commit)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
        self.database().execute(
            sql,
            params![
                d.id,
                d.file,
                hash,
                d.session,
                d.kind.name(),
                d.content,
                d.module,
                d.source.name(),
                d.author,
                d.confidence,
                d.status.name(),
                d.superseded_by,
                d.created_at,
                d.updated_at,
                anchor.map(|a| &a.path),
                anchor.and_then(|a| a.symbol.as_ref()),
                anchor.map(|a| &a.hash),
                anchor.and_then(|a| a.commit.as_ref()),
            ],
        )?;
        Ok(())
    }
}

fn take_anchor(root: &Root, path: &str, symbol: Option<&str>) -> Result<Anchor, MemoryError> {
    let resolved = root.open_file(path)?.resolved().to_owned();
    Anchor::take(root, &resolved, symbol).ok_or_else(|| MemoryError::NoSuchCode {
        path: path.to_owned(),
        symbol: symbol.unwrap_or_default().to_owned(),
    })
}

/// The same place as it is now; as it was, where it is gone.
fn retaken(root: &Root, anchor: Option<&Anchor>) -> Option<Anchor> {
    let anchor = anchor?;
    Anchor::take(root, &anchor.path, anchor.symbol.as_deref()).or_else(|| Some(anchor.clone()))
}

fn fresh(new: NewDiscovery) -> Discovery {
    Discovery {
        id: uuid::Uuid::new_v4().to_string(),
        file: String::new(),
        kind: new.kind,
        content: new.content,
        module: new.module,
        session: new.session,
        source: Source::Told,
        author: new.author,
        confidence: new.confidence,
        status: Status::Active,
        superseded_by: None,
        created_at: now(),
        updated_at: now(),
        anchor: None,
        anchor_state: None,
    }
}

/// Discovery files and decision records: path, text, and whether it is a record.
fn files(root: &Root) -> Vec<(String, String, bool)> {
    let folders = std::iter::once((discovery_file::FOLDER, false))
        .chain(RECORD_FOLDERS.iter().map(|f| (*f, true)));
    let mut found = Vec::new();
    for (folder, is_record) in folders {
        for entry in root.entries(folder).unwrap_or_default() {
            let path = format!("{folder}/{}", entry.name);
            if entry.kind == EntryKind::File
                && std::path::Path::new(&entry.name)
                    .extension()
                    .is_some_and(|e| e.eq_ignore_ascii_case("md"))
                && let Some(text) = root.read(&path).ok().and_then(crate::text::decode)
            {
                found.push((path, text.text, is_record));
            }
        }
    }
    found
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Discovery> {
    let kind: String = row.get("type")?;
    let status: String = row.get("status")?;
    let anchor_path: Option<String> = row.get("anchor_path")?;
    let anchor = match anchor_path {
        Some(path) => Some(Anchor {
            path,
            symbol: row.get("anchor_symbol")?,
            hash: row.get("anchor_hash")?,
            commit: row.get("anchor_commit")?,
        }),
        None => None,
    };
    let source: String = row.get("source")?;
    Ok(Discovery {
        id: row.get("id")?,
        file: row.get("file")?,
        kind: DiscoveryKind::parse(&kind).unwrap_or(DiscoveryKind::Pattern),
        content: row.get("content")?,
        module: row.get("module")?,
        session: row.get("session_id")?,
        source: Source::parse(&source),
        author: row.get("author")?,
        confidence: row.get("confidence")?,
        status: Status::parse(&status).unwrap_or(Status::Active),
        superseded_by: row.get("superseded_by")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        anchor,
        anchor_state: None,
    })
}
