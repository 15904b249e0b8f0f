//! The domain's errors as failures, in the contract's own words.

use proofstone_contract::Failure;
use proofstone_jail::{JailError, RelPath};

use crate::grep::GrepError;
use crate::index::StoreError;
use crate::memory::MemoryError;

/// A path that was not opened.
pub(super) fn path_refused(error: &JailError) -> Failure {
    let (code, message) = match error {
        JailError::NotFound { .. } => ("FILE_NOT_FOUND", "File not found"),
        JailError::Absolute { .. } => ("PATH_ABSOLUTE", "Absolute paths not allowed"),
        JailError::Outside { path } if RelPath::parse(path).is_err() => {
            ("PATH_TRAVERSAL", "Path traversal not allowed")
        }
        JailError::Denied { .. }
        | JailError::Outside { .. }
        | JailError::PermissionDenied { .. } => ("PERMISSION_DENIED", "Permission denied"),
        JailError::TooLarge { .. } => ("FILE_TOO_LARGE", "File too large"),
        JailError::IsADirectory { .. }
        | JailError::NotAFile { .. }
        | JailError::NotADirectory { .. } => ("NOT_A_FILE", "Not a file"),
        JailError::Invalid { .. } => ("INVALID_PATH", "Invalid path"),
        JailError::LinkLoop { .. } => ("LINK_LOOP", "Too many levels of symbolic links"),
        JailError::Changed { .. } => ("FILE_CHANGED", "File changed while it was being opened"),
        JailError::Io { .. } => ("READ_FAILED", "Failed to read file"),
    };
    let failure = Failure::refused(code, message)
        .detail("path", error.path())
        .detail("details", error.to_string());
    match error {
        JailError::TooLarge { size, limit, .. } => failure
            .detail("size", *size)
            .detail("limit", *limit)
            .hint("Read a part of it with startLine and endLine"),
        JailError::NotFound { .. } => failure.hint(
            "Paths are relative to the project root; grep_codebase and context_search find files",
        ),
        JailError::Absolute { .. } => failure.hint("Give the path relative to the project root"),
        JailError::IsADirectory { .. } => {
            failure.hint("Name a file in it; repo_map shows what there is")
        }
        JailError::Changed { .. } => failure.retryable(),
        _ => failure,
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::internal(error.to_string())
            .hint("Make the cache folder writable, or set another with PROOFSTONE_CACHE")
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        let message = error.to_string();
        match error {
            MemoryError::Folder(error) => path_refused(&error),
            MemoryError::Linked => Self::refused("MEMORY_LINKED", message),
            MemoryError::Database(_) => Self::internal(message),
            MemoryError::NoSuchDiscovery { id } => {
                Self::refused("DISCOVERY_NOT_FOUND", "Discovery not found")
                    .detail("id", id)
                    .hint("list_discoveries shows the ids")
            }
            MemoryError::NoSuchCode { path, symbol } => Self::refused("ANCHOR_NOT_FOUND", message)
                .detail("path", path)
                .detail("symbol", symbol)
                .hint("Leave out anchorSymbol to anchor to the whole file"),
            MemoryError::NoSession => {
                Self::refused("NO_SESSION", "No active session").hint("start_session begins one")
            }
        }
    }
}

/// A search that could not begin.
pub(super) fn grep_refused(error: GrepError, pattern: &str) -> Failure {
    match error {
        GrepError::InvalidPattern { message } => Failure::refused(
            "INVALID_REGEX",
            "Invalid regex pattern",
        )
        .detail("pattern", pattern)
        .detail("details", message)
        .hint("To search for the text as it is, put a backslash before . * + ? ( ) [ ] { } ^ $ |"),
        GrepError::PatternTooLarge => {
            let details = error.to_string();
            Failure::refused("PATTERN_TOO_LARGE", "Pattern too large")
                .detail("pattern", pattern)
                .detail("details", details)
        }
        GrepError::InvalidFilePattern { message } => {
            Failure::refused("INVALID_FILE_PATTERN", "Invalid file pattern")
                .detail("details", message)
                .hint("A glob such as **/*.ts or src/server/**")
        }
    }
}
