//! Snapshots: the state of coverage at a moment, kept until it is compared.
//!
//! One JSON file each, in a directory of the system's temporary directory that only the user can
//! enter. A snapshot keeps every line's hits, and a fingerprint of every source line, so that later
//! questions can follow lines across edits without asking git.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::{self, BufReader, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use proofstone_lcov::Lines;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::paths::key;
use crate::ratio::Ratio;
use crate::report::{File, Report};
use crate::sources::{Source, Sources};

const VERSION: u32 = 1;
/// Sources are fingerprinted up to so many lines in all; a larger project is compared by number.
const FINGERPRINTED_LINES: usize = 5_000_000;

/// Why a snapshot could not be made or found.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// There is none with this id.
    #[error("Snapshot not found with ID {id}")]
    NotFound {
        /// The id as it was asked for.
        id: String,
    },
    /// There is one and it can't be read.
    #[error("Snapshot not found with ID {id} (it is there but can't be read: {reason})")]
    Damaged {
        /// The id.
        id: String,
        /// Why.
        reason: String,
    },
    /// It can't be written.
    #[error("Cannot create snapshot: {reason}")]
    Storage {
        /// Why.
        reason: String,
    },
}

/// The state of coverage at a moment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    /// Its id.
    pub id: Uuid,
    /// When it was made, in milliseconds since 1970.
    pub timestamp: u64,
    /// The report's path as it was asked for.
    pub report: String,
    /// The files by path.
    pub files: BTreeMap<String, FileState>,
}

/// One file at that moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileState {
    /// Lines that ran.
    pub hit: u64,
    /// Executable lines.
    pub found: u64,
    /// The executable lines.
    lines: Vec<u32>,
    /// How often each ran.
    hits: Vec<u64>,
    /// A fingerprint of each line of the source; empty where the source was not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<u32>,
}

impl FileState {
    /// The file's lines as a fraction.
    pub fn ratio(&self) -> Ratio {
        Ratio::new(self.hit, self.found)
    }

    /// The executable lines and their hits.
    pub fn lines(&self) -> Lines {
        self.lines.iter().copied().zip(self.hits.iter().copied()).collect()
    }

    fn of(file: &File, source: Option<&Source>) -> Self {
        let ratio = file.lines();
        Self {
            hit: ratio.hit,
            found: ratio.found,
            lines: file.coverage.lines.iter().map(|(line, _)| line).collect(),
            hits: file.coverage.lines.iter().map(|(_, hits)| hits).collect(),
            source: source.map(fingerprints).unwrap_or_default(),
        }
    }
}

impl Snapshot {
    /// The state that a report describes now.
    pub fn take(report: &Report, path: &str, sources: &Sources) -> Self {
        let mut left = FINGERPRINTED_LINES;
        let state = |file: &File| {
            let source = if left > 0 { sources.read(&file.path) } else { None };
            left = left.saturating_sub(source.as_ref().map_or(0, |source| source.lines.len()));
            (file.path.clone(), FileState::of(file, source.as_ref()))
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            version: VERSION,
            id: Uuid::new_v4(),
            timestamp: now.as_millis() as u64,
            report: path.to_owned(),
            files: report.files.iter().map(state).collect(),
        }
    }

    /// The files under the spelling by which they meet those of a report of the project at `root`.
    pub fn by_key(&self, root: &str) -> BTreeMap<String, (&str, &FileState)> {
        let files = self.files.iter();
        files.map(|(path, state)| (key(path, root), (path.as_str(), state))).collect()
    }

    /// Lines of all files.
    pub fn lines(&self) -> Ratio {
        self.files.values().fold(Ratio::default(), |mut sum, file| {
            sum += file.ratio();
            sum
        })
    }
}

/// A fingerprint of each line of a source (FNV-1a: the same on every machine and in every release).
pub fn fingerprints(source: &Source) -> Vec<u32> {
    let fingerprint = |line: &String| {
        line.trim_end()
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    };
    source.lines.iter().map(fingerprint).collect()
}

/// Where snapshots are kept.
#[derive(Clone, Debug)]
pub struct SnapshotStore {
    directory: PathBuf,
}

impl Default for SnapshotStore {
    /// In the system's temporary directory, in a directory of this user's own.
    fn default() -> Self {
        Self::within(&std::env::temp_dir())
    }
}

impl SnapshotStore {
    /// In a directory of this user's own beneath `parent`.
    pub fn within(parent: &Path) -> Self {
        Self { directory: parent.join(format!("proofstone-snapshots-{}", user())) }
    }

    /// Whether a text can be a snapshot's id.
    pub fn is_id(text: &str) -> bool {
        Uuid::try_parse(text).is_ok()
    }

    /// Keeps a snapshot. It is there completely or not at all.
    pub fn save(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.write(snapshot).map_err(|error| {
            let directory = self.directory.display();
            let reason = match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    format!("no space left for it in {directory}")
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    format!("temp dir not writable ({directory})")
                }
                _ => format!("{error} ({directory})"),
            };
            SnapshotError::Storage { reason }
        })
    }

    fn write(&self, snapshot: &Snapshot) -> io::Result<()> {
        own_directory(&self.directory)?;
        // Temporary files are made for their owner only; the rename is atomic.
        let file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.directory)?;
        let mut out = BufWriter::new(file);
        serde_json::to_writer(&mut out, snapshot).map_err(io::Error::from)?;
        out.flush()?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(self.file(snapshot.id)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Finds a snapshot again. What is no UUID never becomes a path.
    pub fn load(&self, id: &str) -> Result<Snapshot, SnapshotError> {
        let not_found = || SnapshotError::NotFound { id: id.to_owned() };
        let damaged = |reason: String| SnapshotError::Damaged { id: id.to_owned(), reason };
        let uuid = Uuid::try_parse(id).map_err(|_| not_found())?;
        let opened = ours_alone(&self.directory).and_then(|()| fs::File::open(self.file(uuid)));
        let file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => not_found(),
            _ => damaged(error.to_string()),
        })?;
        let whole = Self::parse(file).map_err(damaged)?;
        if whole.files.values().any(|file| file.lines.len() != file.hits.len()) {
            return Err(damaged("it has other hits than lines".to_owned()));
        }
        Ok(whole)
    }

    /// A snapshot of another version is told from a damaged one, whatever else is in it.
    fn parse(mut file: fs::File) -> Result<Snapshot, String> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let whole = serde_json::from_reader(BufReader::new(&file));
        file.rewind().map_err(|error| text(&error))?;
        match whole {
            Ok(Snapshot { version: VERSION, .. }) => whole.map_err(|error| text(&error)),
            _ => match serde_json::from_reader(BufReader::new(&file)) {
                Ok(Versioned { version }) if version != VERSION => Err(format!(
                    "it has version {version}, and this program reads version {VERSION}; \
                     make a new snapshot"
                )),
                _ => whole.map_err(|error| text(&error)),
            },
        }
    }

    /// The latest snapshots that can be read, the latest first.
    pub fn latest(&self, most: usize) -> Vec<Snapshot> {
        let Ok(entries) = fs::read_dir(&self.directory) else { return Vec::new() };
        let mut files: Vec<(SystemTime, String)> = entries
            .flatten()
            .filter_map(|entry| {
                let id = entry.file_name().to_str()?.strip_suffix(".json")?.to_owned();
                Some((entry.metadata().ok()?.modified().ok()?, id))
            })
            .collect();
        files.sort_unstable_by(|a, b| b.cmp(a));
        files.iter().take(most).filter_map(|(_, id)| self.load(id).ok()).collect()
    }

    fn file(&self, id: Uuid) -> PathBuf {
        self.directory.join(format!("{id}.json"))
    }
}

/// Makes the directory, or makes sure that it is ours alone: the temporary directory is everyone's.
#[cfg(unix)]
fn own_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    DirBuilder::new().mode(0o700).create(path).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    })?;
    ours_alone(path)
}

/// Whether the directory is this user's and nobody else may read, write or enter it.
#[cfg(unix)]
fn ours_alone(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = fs::symlink_metadata(path)?;
    // No bit of the lower six.
    let ours =
        metadata.is_dir() && metadata.uid() == user() && metadata.mode().trailing_zeros() >= 6;
    if ours {
        return Ok(());
    }
    Err(io::Error::other("the directory is not this user's alone; remove it"))
}

#[cfg(not(unix))]
fn own_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

#[cfg(not(unix))]
fn ours_alone(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(not(unix))]
fn user() -> u32 {
    0
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::report::Format;

    fn snapshot() -> Snapshot {
        let report = Report::new(Format::Lcov, Vec::new());
        Snapshot::take(&report, "lcov.info", &Sources::new(Path::new("/nowhere")))
    }

    #[test]
    fn kept_for_the_user_alone_and_found_again() {
        let parent = tempfile::tempdir().unwrap();
        let (store, snapshot) = (SnapshotStore::within(parent.path()), snapshot());
        store.save(&snapshot).unwrap();
        assert_eq!(store.load(&snapshot.id.to_string()).unwrap().timestamp, snapshot.timestamp);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&store.directory), 0o700);
        assert_eq!(mode(&store.file(snapshot.id)), 0o600);
        assert_eq!(snapshot.id.get_version_num(), 4);
    }

    #[test]
    fn the_latest_come_first_and_a_damaged_one_hides_no_other() {
        let parent = tempfile::tempdir().unwrap();
        let store = SnapshotStore::within(parent.path());
        assert!(store.latest(5).is_empty());
        let made = [snapshot(), snapshot(), snapshot()];
        for snapshot in &made {
            store.save(snapshot).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        fs::write(store.file(made[1].id), "{").unwrap();
        let ids: Vec<Uuid> = store.latest(5).iter().map(|snapshot| snapshot.id).collect();
        assert_eq!(ids, [made[2].id, made[0].id]);
    }

    #[test]
    fn an_id_that_is_no_uuid_is_not_looked_for() {
        let parent = tempfile::tempdir().unwrap();
        let store = SnapshotStore::within(parent.path());
        for id in ["", "../../etc/passwd", "550e8400", "550e8400-e29b-41d4-a716-446655440000"] {
            let error = store.load(id).unwrap_err();
            assert_eq!(error.to_string(), format!("Snapshot not found with ID {id}"));
        }
    }

    #[test]
    fn a_damaged_snapshot_says_so() {
        let parent = tempfile::tempdir().unwrap();
        let (store, snapshot) = (SnapshotStore::within(parent.path()), snapshot());
        store.save(&snapshot).unwrap();
        fs::write(store.file(snapshot.id), "{").unwrap();
        let error = store.load(&snapshot.id.to_string()).unwrap_err().to_string();
        assert!(error.contains("it is there but can't be read"), "{error}");
        let uneven = r#"{"hit":1,"found":2,"lines":[1,2],"hits":[1]}"#;
        let text = serde_json::to_string(&snapshot).unwrap();
        let text = text.replace("\"files\":{}", &format!("\"files\":{{\"a\":{uneven}}}"));
        fs::write(store.file(snapshot.id), text).unwrap();
        let error = store.load(&snapshot.id.to_string()).unwrap_err().to_string();
        assert!(error.contains("it has other hits than lines"), "{error}");
    }

    #[test]
    fn a_snapshot_of_another_version_says_so_whatever_is_in_it() {
        let parent = tempfile::tempdir().unwrap();
        let (store, snapshot) = (SnapshotStore::within(parent.path()), snapshot());
        store.save(&snapshot).unwrap();
        let now = serde_json::to_string(&snapshot).unwrap();
        let later = now.replace("\"version\":1", "\"version\":2");
        for text in [later, "{\"version\": 3, \"quite\": \"different\"}".to_owned()] {
            fs::write(store.file(snapshot.id), text).unwrap();
            let error = store.load(&snapshot.id.to_string()).unwrap_err().to_string();
            assert!(error.contains("this program reads version 1; make a new"), "{error}");
        }
    }

    #[test]
    fn somebody_elses_directory_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let store = SnapshotStore::within(parent.path());
        symlink(parent.path(), &store.directory).unwrap();
        assert!(store.save(&snapshot()).is_err());
        fs::remove_file(&store.directory).unwrap();
        fs::create_dir(&store.directory).unwrap();
        fs::set_permissions(&store.directory, fs::Permissions::from_mode(0o755)).unwrap();
        let error = store.save(&snapshot()).unwrap_err().to_string();
        assert!(error.starts_with("Cannot create snapshot: "), "{error}");
        // What lies in such a directory may be anyone's, so it is not read either.
        let planted = snapshot();
        fs::write(store.file(planted.id), serde_json::to_string(&planted).unwrap()).unwrap();
        let error = store.load(&planted.id.to_string()).unwrap_err().to_string();
        assert!(error.contains("not this user's alone"), "{error}");
    }

    #[test]
    fn a_directory_that_is_not_there_is_a_storage_error() {
        let store = SnapshotStore::within(Path::new("/nowhere/at/all"));
        let error = store.save(&snapshot()).unwrap_err().to_string();
        assert!(error.starts_with("Cannot create snapshot: "), "{error}");
    }
}
