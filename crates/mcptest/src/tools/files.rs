//! Lock files and recordings in the project: read and written inside its root only.

use proofstone_contract::{CallCx, Failure};
use proofstone_jail::{JailError, Policy, Root};

/// The largest file that is read.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Reads a text file of the project.
pub(crate) fn read(cx: &CallCx, path: &str) -> Result<String, Failure> {
    let read = root(cx).and_then(|root| root.read(path)).map_err(|error| refused(path, &error))?;
    String::from_utf8(read).map_err(|_| {
        Failure::refused("invalid_arguments", format!("{path} is not text"))
            .hint("name a file that snapshot_contract or record has written")
    })
}

/// Writes a file of the project, with the folders above it.
pub(crate) fn write(cx: &CallCx, path: &str, text: &str) -> Result<(), Failure> {
    let written = root(cx).and_then(|root| {
        if let Some((folder, _)) = path.rsplit_once('/') {
            root.create_folder(folder)?;
        }
        root.write(path, text.as_bytes())
    });
    written.map_err(|error| refused(path, &error))
}

fn root(cx: &CallCx) -> Result<Root, JailError> {
    Root::open(cx.root(), Policy::project().with_max_bytes(LARGEST))
}

fn refused(path: &str, error: &JailError) -> Failure {
    Failure::refused("invalid_arguments", error.to_string())
        .hint("give a path inside the project, relative to its root")
        .detail("file", path)
}
