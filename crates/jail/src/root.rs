//! The project's folder, opened once, and what is done beneath it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::path::beneath;
use crate::resolve::{Resolved, Walk};
use crate::{JailError, LineRange, OpenFile, Part, Policy, RelPath};

/// An open project folder with the rules for what is beneath it.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    /// The folder's path with links resolved, and as it was given where that differs.
    paths: Vec<PathBuf>,
    policy: Policy,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is, links not followed.
    pub kind: EntryKind,
}

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link; opening it resolves and checks it.
    Link,
    /// A device, pipe or socket: never opened.
    Special,
}

impl Root {
    /// Opens the project's folder.
    pub fn open(path: &Path, policy: Policy) -> Result<Self, JailError> {
        let failed = |e| JailError::from_io(&path.display().to_string(), e);
        let canonical = path.canonicalize().map_err(failed)?;
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(failed)?;
        let given = std::path::absolute(path).map_err(failed)?;
        let mut paths = vec![canonical];
        if given != paths[0] {
            paths.push(given);
        }
        Ok(Self { dir, paths, policy })
    }

    /// The folder's own path, links resolved.
    pub fn path(&self) -> &Path {
        &self.paths[0]
    }

    /// The rules in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// An absolute path beneath the root as a relative one; `None` for one that starts elsewhere. Nothing is
    /// looked up: the result still has to be opened, and passes every check then.
    pub fn relative(&self, path: &Path) -> Option<PathBuf> {
        if path.is_relative() {
            return Some(path.to_path_buf());
        }
        self.paths.iter().find_map(|root| beneath(root, path))
    }

    /// Opens a regular file.
    pub fn open_file(&self, path: &str) -> Result<OpenFile, JailError> {
        let asked = RelPath::parse(path)?;
        if let Some(opened) = self.open_without_links(&asked) {
            return opened;
        }
        match self.resolve(&asked)? {
            Resolved::Folder(..) => {
                Err(JailError::IsADirectory { path: asked.as_str().to_owned() })
            }
            Resolved::Leaf(dir, name, resolved) => open_leaf(&dir, &name, resolved, &asked),
        }
    }

    /// Opens a file that a walk of the root found, whose every name the walk has held against the policy. No link
    /// is followed, so the names are still the ones that were checked.
    pub fn open_walked(&self, path: &str) -> Result<OpenFile, JailError> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = self.open_beneath(Path::new(path), path) {
            return opened;
        }
        self.open_file(path)
    }

    /// A whole file, up to the policy's limit.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, JailError> {
        self.open_file(path)?.read_all(self.policy.max_bytes())
    }

    /// A range of a file's lines, up to the policy's limit of bytes; the file itself may be larger.
    pub fn read_lines(&self, path: &str, range: LineRange) -> Result<Part, JailError> {
        self.open_file(path)?.read_lines(range, self.policy.max_bytes())
    }

    /// Whether a regular file that may be opened stands there.
    pub fn is_file(&self, path: &str) -> bool {
        self.open_file(path).is_ok()
    }

    /// The path with every link on it resolved; `.` is the root itself.
    pub fn canonical(&self, path: &str) -> Result<String, JailError> {
        let asked = RelPath::parse(path)?;
        Ok(match self.resolve(&asked)? {
            Resolved::Folder(_, path) if path.is_empty() => ".".to_owned(),
            Resolved::Folder(_, path) | Resolved::Leaf(_, _, path) => path,
        })
    }

    /// What is in a folder, denied names left out, sorted by name.
    pub fn entries(&self, path: &str) -> Result<Vec<Entry>, JailError> {
        let asked = RelPath::parse(path)?;
        let Resolved::Folder(dir, _) = self.resolve(&asked)? else {
            return Err(JailError::NotADirectory { path: asked.as_str().to_owned() });
        };
        let listed = dir.entries().and_then(|entries| entries.map(kind_of).collect());
        let listed: Vec<Option<Entry>> =
            listed.map_err(|e| JailError::from_io(asked.as_str(), e))?;
        let mut entries: Vec<Entry> =
            listed.into_iter().flatten().filter(|e| !self.policy.denies(&e.name, true)).collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Creates a folder and the ones above it.
    pub fn create_folder(&self, path: &str) -> Result<(), JailError> {
        let asked = RelPath::parse(path)?;
        self.make_folders(&asked).map(|_| ())
    }

    /// Writes a file whole: a reader sees the old bytes or the new ones, never a mixture. Folders above it are
    /// created. The same names are denied as for reading.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), JailError> {
        let asked = RelPath::parse(path)?;
        let failed = |e| JailError::from_io(asked.as_str(), e);
        let (folder, name) = split(&asked)?;
        if self.policy.denies(name, true) {
            return Err(JailError::Denied {
                path: asked.as_str().to_owned(),
                name: name.to_owned(),
            });
        }
        let dir = self.make_folders(&folder)?;
        let temporary = format!(".{name}.{}.tmp", std::process::id());
        let written =
            write_new(&dir, &temporary, bytes).and_then(|()| dir.rename(&temporary, &dir, name));
        if written.is_err() {
            // Best effort: the error that matters is the one being returned.
            let _ = dir.remove_file(&temporary);
        }
        written.map_err(failed)
    }

    /// When a file was last written and how large it is.
    pub fn facts(&self, path: &str) -> Result<(u64, Option<SystemTime>), JailError> {
        self.open_file(path).map(|file| (file.size(), file.modified()))
    }

    fn resolve(&self, asked: &RelPath) -> Result<Resolved, JailError> {
        Walk { root: &self.dir, root_paths: &self.paths, policy: &self.policy, asked }.run()
    }

    fn make_folders(&self, asked: &RelPath) -> Result<Dir, JailError> {
        let mut made = String::from(".");
        for name in asked.components() {
            let parent = self.folder(&made)?;
            if name != ".." && self.policy.denies(name, false) {
                return Err(JailError::Denied {
                    path: asked.as_str().to_owned(),
                    name: name.to_owned(),
                });
            }
            if name != ".." {
                match parent.create_dir(name) {
                    Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(JailError::from_io(asked.as_str(), e));
                    }
                    _ => {}
                }
            }
            made = format!("{made}/{name}");
        }
        self.folder(&made)
    }

    fn folder(&self, path: &str) -> Result<Dir, JailError> {
        let asked = RelPath::parse(path)?;
        match self.resolve(&asked)? {
            Resolved::Folder(dir, _) => Ok(dir),
            Resolved::Leaf(..) => Err(JailError::NotADirectory { path: path.to_owned() }),
        }
    }

    /// The usual case in one system call: no link on the way, so the names asked for are the names opened.
    /// `None` when there is a link, or the kernel can't, and the path has to be walked.
    #[cfg(target_os = "linux")]
    fn open_without_links(&self, asked: &RelPath) -> Option<Result<OpenFile, JailError>> {
        if asked.has_parent_steps() || self.path() == Path::new("/") {
            return None;
        }
        let mut names = asked.components().peekable();
        while let Some(name) = names.next() {
            if self.policy.denies(name, names.peek().is_none()) {
                let path = asked.as_str().to_owned();
                return Some(Err(JailError::Denied { path, name: name.to_owned() }));
            }
        }
        self.open_beneath(&asked.to_path(), asked.as_str())
    }

    /// One `openat2` that follows no link; `None` when that can't be done.
    #[cfg(target_os = "linux")]
    fn open_beneath(&self, path: &Path, asked: &str) -> Option<Result<OpenFile, JailError>> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let bounds =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(&self.dir, path, flags, Mode::empty(), bounds) {
            Ok(fd) => Some(checked(fd.into(), path.to_string_lossy().into_owned(), asked)),
            Err(rustix::io::Errno::NOENT) => {
                Some(Err(JailError::NotFound { path: asked.to_owned() }))
            }
            Err(_) => None,
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the Linux version uses it")]
    fn open_without_links(&self, _asked: &RelPath) -> Option<Result<OpenFile, JailError>> {
        None
    }
}

/// Opens the last name without following it and without waiting for a pipe's other end.
fn open_leaf(
    dir: &Dir,
    name: &str,
    resolved: String,
    asked: &RelPath,
) -> Result<OpenFile, JailError> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
            JailError::from_io(asked.as_str(), e)
        }
        // A socket answers "no such device"; a name that became a link answers "too many links".
        _ if dir.symlink_metadata(name).is_ok_and(|m| m.is_symlink()) => {
            JailError::Changed { path: asked.as_str().to_owned() }
        }
        _ => JailError::NotAFile { path: asked.as_str().to_owned() },
    })?;
    checked(file.into_std(), resolved, asked.as_str())
}

/// Looks at the open file, not at its name again: only regular files pass.
fn checked(file: std::fs::File, resolved: String, asked: &str) -> Result<OpenFile, JailError> {
    let asked = asked.to_owned();
    let metadata = file.metadata().map_err(|e| JailError::from_io(&asked, e))?;
    if metadata.is_dir() {
        return Err(JailError::IsADirectory { path: asked });
    }
    if !metadata.is_file() {
        return Err(JailError::NotAFile { path: asked });
    }
    let (size, modified) = (metadata.len(), metadata.modified().ok());
    Ok(OpenFile { file, asked, resolved, size, modified })
}

fn kind_of(entry: io::Result<cap_std::fs::DirEntry>) -> io::Result<Option<Entry>> {
    let entry = entry?;
    let Ok(name) = entry.file_name().into_string() else { return Ok(None) };
    let kind = entry.file_type()?;
    let kind = if kind.is_file() {
        EntryKind::File
    } else if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Special
    };
    Ok(Some(Entry { name, kind }))
}

fn split(path: &RelPath) -> Result<(RelPath, &str), JailError> {
    let mut names: Vec<&str> = path.components().collect();
    let invalid =
        || JailError::Invalid { path: path.as_str().to_owned(), reason: "it names no file" };
    let name = names.pop().filter(|name| *name != "..").ok_or_else(invalid)?;
    Ok((RelPath::parse(&format!("./{}", names.join("/")))?, name))
}

fn write_new(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).follow(FollowSymlinks::No);
    let mut file = dir.open_with(name, &options)?;
    file.write_all(bytes)?;
    file.sync_data()
}
