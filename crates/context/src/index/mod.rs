//! The index: which words stand in which chunk of which content.
//!
//! It is keyed by content. A [`Segment`] is an immutable file of documents, each one content by its hash,
//! with its chunks, definitions and postings; it knows no paths. A [`View`] joins segments with the files that
//! a project has now. So a branch switch or a second worktree finds its documents already there, an
//! interrupted build loses nothing it had written, and the same files give the same answers whatever the
//! history of the index was.

mod analysis;
mod body;
mod bytes;
mod dictionary;
mod give_back;
mod manifest;
mod merge;
mod segment;
mod store;
mod update;
mod view;
mod writing;

pub use analysis::{Analysis, ContentHash, analyse, content_hash};
pub(crate) use segment::Posting;
pub use segment::{ChunkSpan, Segment};
pub use store::{Store, StoreError};
pub use update::{Index, Progress, Readiness};
pub(crate) use view::DocId;
pub use view::{FileEntry, FileState, View};

/// Any bytes as each of the index's files, for [`crate::outside`].
pub(crate) fn read_any(bytes: &[u8]) {
    segment::read_any(bytes);
    for file in [bytes.to_vec(), bytes::seal(bytes.to_vec())] {
        Segment::load(file.clone());
        manifest::read(file);
    }
    manifest::read_any(bytes);
}
