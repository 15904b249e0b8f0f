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
mod paths;
mod segment;
mod store;
mod update;
mod view;
mod writing;

pub use analysis::{Analysis, ContentHash, analyse, content_hash};
pub use segment::{ChunkSpan, Segment};
pub(crate) use segment::{Posting, Postings};
pub use store::{Store, StoreError};
pub use update::{Index, Progress, Readiness};
pub(crate) use view::DocId;
pub use view::{FileEntry, FileState, View};

/// Any bytes as each of the index's files, for [`crate::outside`]. Where they make a segment: one that can be searched,
/// alone and merged with itself.
pub(crate) fn read_any(bytes: &[u8]) -> Vec<View> {
    for file in [bytes.to_vec(), bytes::seal(bytes.to_vec())] {
        Segment::load(file.clone());
        manifest::read(file);
    }
    manifest::read_any(bytes);
    let Some(segment) = segment::any_segment(bytes) else { return Vec::new() };
    segment.read_all();
    let merged = merge::merge(&[&segment, &segment], |_| true);
    let merged = Segment::from_body(body::Body::Owned(merged));
    assert!(merged.is_some(), "what was in order is so when it is merged");
    let segments = std::iter::once(segment).chain(merged);
    segments.map(|segment| view::of_segment(std::sync::Arc::new(segment))).collect()
}
