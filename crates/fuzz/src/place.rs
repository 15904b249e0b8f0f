//! Paths that a caller names: inside the project root, whatever links lie on the way.

use std::path::{Component, Path, PathBuf};

use thiserror::Error;

/// A path can't be used.
#[derive(Debug, Error)]
pub enum PlaceError {
    /// It leads outside.
    #[error("{path} is outside the project root; name a path inside it, relative to the root")]
    Outside {
        /// What was named.
        path: String,
    },
    /// There is nothing there.
    #[error("{path} can't be opened: {source}")]
    Missing {
        /// What was named.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// An existing file or folder inside the root.
pub(crate) fn existing(root: &Path, path: &str) -> Result<PathBuf, PlaceError> {
    let missing = |source| PlaceError::Missing { path: path.to_owned(), source };
    let base = root.canonicalize().map_err(missing)?;
    let found = root.join(path).canonicalize().map_err(missing)?;
    match found.starts_with(base) {
        true => Ok(found),
        false => Err(PlaceError::Outside { path: path.to_owned() }),
    }
}

/// A folder inside the root, made if it is not there.
pub(crate) fn folder(root: &Path, path: &str) -> Result<PathBuf, PlaceError> {
    let missing = |source| PlaceError::Missing { path: path.to_owned(), source };
    let outside = || PlaceError::Outside { path: path.to_owned() };
    let base = root.canonicalize().map_err(missing)?;
    let asked = Path::new(path);
    let inside = asked.strip_prefix(&base).or_else(|_| asked.strip_prefix(root)).unwrap_or(asked);
    let mut folder = base.clone();
    for part in inside.components() {
        match part {
            Component::CurDir => continue,
            Component::Normal(name) => folder.push(name),
            _ => return Err(outside()),
        }
        if !folder.exists() {
            std::fs::create_dir(&folder).map_err(missing)?;
        }
        // A link on the way must not lead out before anything is made behind it.
        folder = folder.canonicalize().map_err(missing)?;
        if !folder.starts_with(&base) {
            return Err(outside());
        }
    }
    Ok(folder)
}
