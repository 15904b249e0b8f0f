//! What can be searched now: the project's files joined with the documents of the segments.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::analysis::ContentHash;
use super::paths::PathIndex;
use super::segment::{ChunkSpan, Segment};
use crate::embed::{Middle, Vector};
use crate::walk::Stamp;

/// A file as the index last saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Path relative to the root.
    pub path: String,
    /// Its state by metadata.
    pub stamp: Stamp,
    /// What became of it.
    pub state: FileState,
}

/// What the index has of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// Its content, by hash.
    Indexed(ContentHash),
    /// Nothing: it is not text.
    Binary,
    /// Nothing: it is larger than is read at once.
    TooLarge,
    /// Nothing: it could not be read.
    Unreadable,
}

/// One document of one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct DocId {
    pub(crate) segment: u32,
    pub(crate) doc: u32,
}

/// A consistent state of the index. Readers keep the one they began with.
#[derive(Debug, Default)]
pub struct View {
    pub(crate) segments: Vec<Arc<Segment>>,
    files: Vec<FileEntry>,
    paths: PathIndex,
    docs: Vec<Option<DocId>>,
    /// For each segment, for each document, the files that hold it now.
    holders: Vec<Vec<Holders>>,
    /// For each segment, whether every document is held.
    held: Vec<bool>,
    chunks: u64,
    words: u64,
    /// What the vectors of all chunks have in common, once it was asked for.
    common: OnceLock<Option<Vector>>,
}

/// Chunks that are asked what all have in common; more say the same.
const ASKED_FOR_COMMON: u64 = 4_096;

/// Which files hold a document: mostly none or one.
#[derive(Debug, Clone, Default)]
pub(crate) enum Holders {
    #[default]
    None,
    One(u32),
    Many(Vec<u32>),
}

impl Holders {
    fn add(&mut self, file: u32) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(file),
            Self::One(first) => Self::Many(vec![first, file]),
            Self::Many(mut files) => {
                files.push(file);
                Self::Many(files)
            }
        };
    }

    pub(crate) fn files(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One(file) => std::slice::from_ref(file),
            Self::Many(files) => files,
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl View {
    /// Joins files, sorted by path, with segments.
    pub(crate) fn new(segments: Vec<Arc<Segment>>, files: Vec<FileEntry>) -> Self {
        let where_is = locations(&segments);
        let mut holders: Vec<Vec<Holders>> =
            segments.iter().map(|s| vec![Holders::default(); s.doc_count() as usize]).collect();
        let mut docs = Vec::with_capacity(files.len());
        for (number, file) in files.iter().enumerate() {
            let doc = match file.state {
                FileState::Indexed(hash) => where_is.get(&hash).copied(),
                _ => None,
            };
            if let Some(DocId { segment, doc }) = doc {
                holders[segment as usize][doc as usize].add(number as u32);
            }
            docs.push(doc);
        }
        let paths = PathIndex::of(&files);
        let held = holders.iter().map(|docs| !docs.iter().any(Holders::is_none)).collect();
        let (chunks, words, common) = (0, 0, OnceLock::new());
        let mut view = Self { segments, files, paths, docs, holders, held, chunks, words, common };
        view.count();
        view
    }

    /// All files, sorted by path.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// The number of a file by its path.
    pub fn file_number(&self, path: &str) -> Option<u32> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|n| n as u32)
    }

    /// How many files can be searched.
    pub fn searchable(&self) -> usize {
        self.docs.iter().flatten().count()
    }

    /// How many chunks can be searched.
    pub fn chunk_count(&self) -> u64 {
        self.chunks
    }

    /// The chunks of each file, file after file, with their lines: an order that does not depend on how the index came to be.
    pub fn chunk_places(&self) -> impl Iterator<Item = (&FileEntry, ChunkSpan)> + '_ {
        self.chunk_ids().map(|(file, id, chunk)| (&self.files[file], self.segment(id).chunk(chunk)))
    }

    /// Where the chunks of [`View::chunk_places`] are kept, and the number of the file.
    pub(crate) fn chunk_ids(&self) -> impl Iterator<Item = (usize, DocId, u32)> + '_ {
        let docs = self.docs.iter().enumerate().filter_map(|(file, id)| Some((file, (*id)?)));
        docs.flat_map(|(file, id)| {
            self.segment(id).doc_chunks(id.doc).map(move |chunk| (file, id, chunk))
        })
    }

    /// The middle of the chunks' vectors: what everything here is about. By chunks evenly spread over the files in the order of
    /// their paths, so that it does not depend on how the index came to be.
    pub(crate) fn common(&self) -> Option<&Vector> {
        let gather = || {
            let step = self.chunks.div_ceil(ASKED_FOR_COMMON).max(1) as usize;
            let mut middle = Middle::default();
            for (_, id, chunk) in self.chunk_ids().step_by(step) {
                self.segment(id).add_to(chunk, &mut middle);
            }
            middle.vector()
        };
        self.common.get_or_init(gather).as_ref()
    }

    /// Average words of a chunk.
    pub(crate) fn average_words(&self) -> f64 {
        if self.chunks == 0 { 1.0 } else { (self.words as f64 / self.chunks as f64).max(1.0) }
    }

    pub(crate) fn doc(&self, file: u32) -> Option<DocId> {
        self.docs.get(file as usize).copied().flatten()
    }

    pub(crate) fn holders(&self, id: DocId) -> &Holders {
        const NONE: &Holders = &Holders::None;
        self.holders[id.segment as usize].get(id.doc as usize).unwrap_or(NONE)
    }

    /// Whether some file holds each document of a segment.
    pub(crate) fn holds_all(&self, segment: usize) -> bool {
        self.held[segment]
    }

    pub(crate) fn paths(&self) -> &PathIndex {
        &self.paths
    }

    pub(crate) fn segment(&self, id: DocId) -> &Segment {
        &self.segments[id.segment as usize]
    }

    /// Documents that some file holds.
    pub(crate) fn live_docs(&self) -> impl Iterator<Item = DocId> + '_ {
        self.holders.iter().enumerate().flat_map(|(segment, docs)| {
            let live = docs.iter().enumerate().filter(|(_, holders)| !holders.is_none());
            live.map(move |(doc, _)| DocId { segment: segment as u32, doc: doc as u32 })
        })
    }

    fn count(&mut self) {
        let (mut chunks, mut words) = (0, 0);
        for id in self.live_docs() {
            let segment = self.segment(id);
            for chunk in segment.doc_chunks(id.doc) {
                chunks += 1;
                words += u64::from(segment.chunk(chunk).words);
            }
        }
        (self.chunks, self.words) = (chunks, words);
    }
}

/// A view in which a file of its own holds each document of a segment.
pub(crate) fn of_segment(segment: Arc<Segment>) -> View {
    let file = |doc: u32| FileEntry {
        path: format!("src/{doc:09}.rs"),
        stamp: Stamp::default(),
        state: FileState::Indexed(segment.hash(doc)),
    };
    let files = (0..segment.doc_count()).map(file).collect();
    View::new(vec![segment], files)
}

/// Where each content is; the first segment that has it.
pub(crate) fn locations(segments: &[Arc<Segment>]) -> FxHashMap<ContentHash, DocId> {
    let mut found = FxHashMap::default();
    for (number, segment) in segments.iter().enumerate() {
        for doc in 0..segment.doc_count() {
            found.entry(segment.hash(doc)).or_insert(DocId { segment: number as u32, doc });
        }
    }
    found
}
