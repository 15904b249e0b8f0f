//! The index's folder in the user's cache: segments, one manifest per checkout, and a lock for the writer.
//!
//! A file appears under its name only when it is whole, and each carries a checksum. Whatever is cut short,
//! damaged or of another version is set aside by being deleted: it is a cache, and its content is read again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::body::Body;
use super::bytes::seal_of;
use super::manifest;
use super::segment::{FORMAT, Segment};
use super::view::FileEntry;

/// The cache folder can't be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the index under {path}: {source}")]
pub struct StoreError {
    path: PathBuf,
    source: io::Error,
}

impl StoreError {
    pub(crate) fn failed(path: &Path, message: String) -> Self {
        Self { path: path.to_owned(), source: io::Error::other(message) }
    }
}

/// A segment and the file it is kept in.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) path: PathBuf,
    pub(crate) segment: Arc<Segment>,
}

/// One repository's folder in the cache. Worktrees and branches of a repository share it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    manifest: PathBuf,
}

/// Held by the one process that writes.
#[derive(Debug)]
pub(crate) struct WriterLock(#[expect(dead_code, reason = "held open: closing it unlocks")] File);

impl Store {
    /// The store of the project at `root`, beneath the cache folder `cache`.
    pub fn open(cache: &Path, root: &Path) -> Result<Self, StoreError> {
        let repository = common_folder(root);
        let folder = cache.join(format!("context-{FORMAT}")).join(key(&repository));
        fs::create_dir_all(&folder)
            .map_err(|source| StoreError { path: folder.clone(), source })?;
        let manifest = folder.join(format!("{}.files", key(root)));
        Ok(Self { folder, manifest })
    }

    /// The folder it keeps its files in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All whole segments, oldest first.
    pub(crate) fn segments(&self) -> Vec<Stored> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "segment"));
        paths.sort();
        paths.into_iter().filter_map(load).collect()
    }

    /// The files this checkout had, and when they were looked at.
    pub(crate) fn manifest(&self) -> Option<(Vec<FileEntry>, u64)> {
        manifest::read(fs::read(&self.manifest).ok()?)
    }

    pub(crate) fn write_manifest(
        &self,
        files: &[FileEntry],
        written: u64,
    ) -> Result<(), StoreError> {
        Self::write_whole(&self.manifest, &manifest::write(files, written))
    }

    /// Keeps a segment, given its bytes without their seal.
    pub(crate) fn write_segment(&self, body: Vec<u8>) -> Result<Option<Stored>, StoreError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let now = jiff::Timestamp::now().as_nanosecond();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{now:020}-{}-{count}.segment", std::process::id()));
        Self::write_whole(&path, &body)?;
        drop(body);
        let failed = |source| StoreError { path: path.clone(), source };
        let segment = Segment::from_body(Body::written(&path).map_err(failed)?);
        Ok(segment.map(|segment| Stored { path, segment: Arc::new(segment) }))
    }

    /// Becomes the writer; `None` while another process is.
    pub(crate) fn lock(&self) -> Option<WriterLock> {
        let file = File::create(self.folder.join("writer.lock")).ok()?;
        file.try_lock().is_ok().then_some(WriterLock(file))
    }

    /// Removes what a killed writer left. Only the writer may call it.
    pub(crate) fn sweep(&self, _lock: &WriterLock) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            if entry.path().extension().is_some_and(|ending| ending == "partial") {
                remove(&entry.path());
            }
        }
    }

    /// Writes a file and its seal. The disk is not waited for: after a power failure the seal tells what is not whole, and
    /// that is read from the project again.
    fn write_whole(path: &Path, body: &[u8]) -> Result<(), StoreError> {
        let partial = path.with_extension(format!("{}.partial", std::process::id()));
        let written = (|| {
            let mut file = File::create(&partial)?;
            file.write_all(body)?;
            file.write_all(&seal_of(body))?;
            fs::rename(&partial, path)
        })();
        written.map_err(|source| StoreError { path: path.to_owned(), source })
    }
}

/// Deletes a file of the cache. Another process may have been faster, and what stays is removed next time.
pub(crate) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

fn load(path: PathBuf) -> Option<Stored> {
    let body = Body::open(&path).ok()?;
    let Some(segment) = body.and_then(Segment::from_body) else {
        remove(&path);
        return None;
    };
    Some(Stored { path, segment: Arc::new(segment) })
}

/// What a repository's checkouts have in common: the git folder they share, or else the root itself.
fn common_folder(root: &Path) -> PathBuf {
    let dot_git = root.join(".git");
    let Ok(pointer) = fs::read_to_string(&dot_git) else { return dot_git };
    // In a worktree `.git` is a file that names `<common>/worktrees/<name>`.
    let named = pointer.strip_prefix("gitdir:").map(str::trim).map(|path| root.join(path));
    let common = named.and_then(|path| path.parent()?.parent().map(Path::to_path_buf));
    common.and_then(|path| path.canonicalize().ok()).unwrap_or(dot_git)
}

fn key(path: &Path) -> String {
    blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex()[..24].to_owned()
}
