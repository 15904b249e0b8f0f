//! Why a path was refused. Every variant carries the path as it was asked for, never the place it led to.

use std::io;

/// A path that was not opened, and why.
#[derive(Debug, thiserror::Error)]
pub enum JailError {
    /// Nothing of that name exists.
    #[error("file not found: {path}")]
    NotFound {
        /// The path as asked for.
        path: String,
    },
    /// A component of the path, or of what it resolves to, is on the policy's list of denied names.
    #[error("access to {path} is denied: `{name}` may hold secrets or is not project source")]
    Denied {
        /// The path as asked for.
        path: String,
        /// The component that is denied.
        name: String,
    },
    /// The path is absolute (of any operating system); only paths relative to the root are taken.
    #[error("absolute path {path} is not allowed: give it relative to the project root")]
    Absolute {
        /// The path as asked for.
        path: String,
    },
    /// The path, or a symbolic link on it, leads out of the root.
    #[error("{path} leads outside the project root")]
    Outside {
        /// The path as asked for.
        path: String,
    },
    /// The file is larger than the policy reads at once.
    #[error("{path} has {size} bytes, more than the limit of {limit}: read a range of its lines")]
    TooLarge {
        /// The path as asked for.
        path: String,
        /// The file's size in bytes.
        size: u64,
        /// The most bytes that are read at once.
        limit: u64,
    },
    /// The path names a folder where a file was wanted.
    #[error("{path} is a directory, not a file")]
    IsADirectory {
        /// The path as asked for.
        path: String,
    },
    /// The path goes through a file as if it were a folder, or a folder was wanted.
    #[error("{path} is not a directory")]
    NotADirectory {
        /// The path as asked for.
        path: String,
    },
    /// A device, pipe or socket.
    #[error("{path} is not a regular file (a device, pipe or socket)")]
    NotAFile {
        /// The path as asked for.
        path: String,
    },
    /// The path can't name a file at all.
    #[error("invalid path {path}: {reason}")]
    Invalid {
        /// The path as asked for, control characters escaped.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Symbolic links that lead to each other, or too many of them.
    #[error("{path} has too many levels of symbolic links")]
    LinkLoop {
        /// The path as asked for.
        path: String,
    },
    /// The operating system refused.
    #[error("permission denied: {path}")]
    PermissionDenied {
        /// The path as asked for.
        path: String,
    },
    /// Something on the path was replaced while it was being opened.
    #[error("{path} changed while it was being opened: try again")]
    Changed {
        /// The path as asked for.
        path: String,
    },
    /// Anything else the operating system answered.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path as asked for.
        path: String,
        /// The operating system's answer.
        source: io::Error,
    },
}

impl JailError {
    /// The path as it was asked for.
    pub fn path(&self) -> &str {
        match self {
            Self::NotFound { path }
            | Self::Denied { path, .. }
            | Self::Absolute { path }
            | Self::Outside { path }
            | Self::TooLarge { path, .. }
            | Self::IsADirectory { path }
            | Self::NotADirectory { path }
            | Self::NotAFile { path }
            | Self::Invalid { path, .. }
            | Self::LinkLoop { path }
            | Self::PermissionDenied { path }
            | Self::Changed { path }
            | Self::Io { path, .. } => path,
        }
    }

    /// Sorts an operating system's answer into the kinds above.
    pub(crate) fn from_io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            io::ErrorKind::NotADirectory => Self::NotADirectory { path },
            io::ErrorKind::IsADirectory => Self::IsADirectory { path },
            io::ErrorKind::InvalidFilename => Self::Invalid { path, reason: "a name is too long" },
            _ => Self::Io { path, source },
        }
    }
}
