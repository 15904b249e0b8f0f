//! Where files that can be made again are kept. A program that runs where nothing but the temporary folder can be
//! written (a container, a sandbox, a user without a home) still has a place.

use std::path::{Path, PathBuf};

/// `PROOFSTONE_CACHE`, or the user's cache folder, or where that can't be written a temporary one of the
/// user's alone.
pub(crate) fn folder() -> PathBuf {
    if let Some(folder) = named("PROOFSTONE_CACHE") {
        return folder;
    }
    let users = users_folder().map(|folder| folder.join("proofstone"));
    match users {
        Some(folder) if can_be_written(&folder) => folder,
        // Where neither can be had, the user's own is the one to complain about.
        users => temporary().or(users).unwrap_or_else(std::env::temp_dir),
    }
}

fn users_folder() -> Option<PathBuf> {
    let home = || named("HOME").or_else(|| named("USERPROFILE"));
    if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Caches"))
    } else if cfg!(windows) {
        named("LOCALAPPDATA")
    } else {
        named("XDG_CACHE_HOME").or_else(|| home().map(|home| home.join(".cache")))
    }
}

/// A variable that names a folder.
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Whether a folder, or the nearest one above it that is there, may be written. Nothing is made to find out.
#[cfg(unix)]
fn can_be_written(folder: &Path) -> bool {
    use rustix::fs::{Access, access};

    let there = folder.ancestors().find(|above| above.exists());
    there.is_some_and(|above| {
        above.is_dir() && access(above, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    })
}

#[cfg(not(unix))]
fn can_be_written(_folder: &Path) -> bool {
    true
}

/// A folder in the temporary one that nobody else can enter: others may have made one of that name.
#[cfg(unix)]
fn temporary() -> Option<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

    let user = rustix::process::getuid().as_raw();
    let folder = std::env::temp_dir().join(format!("proofstone-cache-{user}"));
    // One that is there already is looked at below.
    let _ = std::fs::DirBuilder::new().mode(0o700).create(&folder);
    let found = std::fs::symlink_metadata(&folder).ok()?;
    // Nothing for the group and nothing for others: no bit of the lower six.
    let ours = found.is_dir() && found.uid() == user && found.mode().trailing_zeros() >= 6;
    ours.then_some(folder)
}

#[cfg(not(unix))]
fn temporary() -> Option<PathBuf> {
    Some(std::env::temp_dir().join("proofstone"))
}
