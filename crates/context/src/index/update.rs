//! Keeping the index true: what changed is read, cut and added; everything else stays.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proofstone_jail::{JailError, Root};
use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::{ContentHash, analyse, content_hash};
use super::body::Body;
use super::dictionary::Dictionary;
use super::give_back::give_back_memory;
use super::merge::merge;
use super::segment::Segment;
use super::store::{Store, StoreError, Stored, remove};
use super::view::{FileEntry, FileState, View, locations};
use super::writing::SegmentBuilder;
use crate::language::Language;
use crate::text::decode;
use crate::walk::{self, Found, LeftOut, Scope};

/// A builder this heavy becomes a segment, so that a huge project can be searched while it is still being read, and
/// building it takes little more memory than having it.
const SEGMENT_WEIGHT: usize = 12 << 20;
/// So soon what was read becomes a segment whatever it weighs; the next time after twice as long, and so on. Somebody may be
/// waiting for an answer on a slow machine.
const FIRST_SEGMENT: Duration = Duration::from_secs(1);
/// More segments than this are merged.
const MAX_SEGMENTS: usize = 16;
/// Segments that are together smaller than this become one when there are too many.
const MERGED_BYTES: usize = 8 << 20;
/// Reading this many files takes memory that is worth giving back.
const MANY_FILES: usize = 1_000;
/// A file written this shortly before it was looked at may change again without its time changing.
const RACY: Duration = Duration::from_secs(2);

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Files done.
    pub done: usize,
    /// Files in all.
    pub total: usize,
}

/// What an answer was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readiness {
    /// Files that can be searched.
    pub searchable: usize,
    /// Files found.
    pub files: usize,
    /// Whether everything found has been read.
    pub complete: bool,
    /// What the walk left out.
    pub left_out: LeftOut,
}

/// One project's index: many readers, one writer.
#[derive(Debug)]
pub struct Index {
    store: Store,
    stored: Mutex<Vec<Stored>>,
    view: RwLock<Arc<View>>,
    readiness: Mutex<Readiness>,
    /// When the files of the view were last looked at, in nanoseconds since 1970.
    looked_at: AtomicU64,
}

impl Index {
    /// Opens what the cache has. Nothing is read of the project yet.
    pub fn open(cache: &Path, root: &Path) -> Result<Self, StoreError> {
        let store = Store::open(cache, root)?;
        let stored = store.segments();
        let (files, looked_at) = store.manifest().unwrap_or_default();
        let segments = stored.iter().map(|s| Arc::clone(&s.segment)).collect();
        let view = View::new(segments, files);
        Ok(Self {
            store,
            stored: Mutex::new(stored),
            view: RwLock::new(Arc::new(view)),
            readiness: Mutex::default(),
            looked_at: AtomicU64::new(looked_at),
        })
    }

    /// The state to search. It does not change under the reader.
    pub fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How much of the project the view covers.
    pub fn readiness(&self) -> Readiness {
        *self.readiness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is kept.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// Makes the index agree with the project's files. `tell` is called now and then with how far it is;
    /// `stop` ends it early with what is ready.
    pub fn refresh(
        &self,
        root: &Root,
        stop: &AtomicBool,
        tell: &(dyn Fn(Progress) + Sync),
    ) -> Result<Readiness, StoreError> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = self.store.lock();
        if let Some(lock) = &lock {
            self.store.sweep(lock);
        }
        let began = nanoseconds(SystemTime::now());
        let scope = Scope { root: root.path(), policy: root.policy(), respect_ignores: true };
        let (found, left_out) = walk::list(&scope, stop);
        let before = self.view();
        let settled = self.looked_at.load(Ordering::Relaxed).saturating_sub(RACY.as_nanos() as u64);
        let (known, unread) = sort_out(found, before.files(), settled);
        let unread_count = unread.len();
        let total = known.len() + unread_count;
        self.set_readiness(Readiness {
            searchable: before.searchable(),
            files: total,
            complete: false,
            left_out,
        });

        let build = Build {
            index: self,
            root,
            stop,
            tell,
            known_count: known.len(),
            total,
            done: AtomicUsize::new(0),
            may_write: lock.is_some(),
        };
        let segments_before = stored.len();
        let files = build.run(known, unread, &mut stored)?;
        let complete = !stop.load(Ordering::Relaxed) && files.len() == total;
        self.looked_at.store(began, Ordering::Relaxed);
        if complete && files == before.files() && stored.len() == segments_before {
            self.set_readiness(Readiness {
                searchable: before.searchable(),
                files: total,
                complete,
                left_out,
            });
            return Ok(self.readiness());
        }
        if lock.is_some() {
            self.store.write_manifest(&files, began)?;
            self.tidy(&mut stored, &files)?;
        }
        self.publish(&stored, files, left_out, total, complete);
        if unread_count >= MANY_FILES {
            give_back_memory();
        }
        Ok(self.readiness())
    }

    /// Merges small segments with each other, and drops contents no file has once they outweigh the ones files have.
    fn tidy(&self, stored: &mut Vec<Stored>, files: &[FileEntry]) -> Result<(), StoreError> {
        if stored.len() <= MAX_SEGMENTS {
            return Ok(());
        }
        let live: FxHashSet<ContentHash> = files.iter().filter_map(|f| f.state.hash()).collect();
        let documents: u32 = stored.iter().map(|s| s.segment.doc_count()).sum();
        let keep_all = documents as usize <= live.len() * 2 + 1000;
        stored.sort_by_key(|s| s.segment.size());
        let sizes: Vec<usize> = stored.iter().map(|s| s.segment.size()).collect();
        for group in groups(&sizes).into_iter().rev().filter(|group| group.len() > 1 || !keep_all) {
            let segments: Vec<&Segment> =
                stored[group.clone()].iter().map(|s| &*s.segment).collect();
            let body = merge(&segments, |hash| keep_all || live.contains(hash));
            let Some(merged) = self.store.write_segment(body)? else { continue };
            for old in stored.splice(group, [merged]) {
                remove(&old.path);
            }
        }
        Ok(())
    }

    fn publish(
        &self,
        stored: &[Stored],
        files: Vec<FileEntry>,
        left_out: LeftOut,
        total: usize,
        complete: bool,
    ) {
        let segments = stored.iter().map(|s| Arc::clone(&s.segment)).collect();
        let view = View::new(segments, files);
        self.set_readiness(Readiness {
            searchable: view.searchable(),
            files: total,
            complete,
            left_out,
        });
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }

    fn set_readiness(&self, readiness: Readiness) {
        *self.readiness.lock().unwrap_or_else(PoisonError::into_inner) = readiness;
    }
}

impl FileState {
    /// The content's hash, where it was indexed.
    pub fn hash(self) -> Option<ContentHash> {
        match self {
            Self::Indexed(hash) => Some(hash),
            _ => None,
        }
    }
}

/// Which segments to merge, given the sizes of all of them from small to large: neighbours, at most about half as many as
/// there may be afterwards. A large one is seldom written again, and merging never takes memory for all at once.
fn groups(sizes: &[usize]) -> Vec<Range<usize>> {
    let most = (sizes.iter().sum::<usize>() / (MAX_SEGMENTS / 4)).max(MERGED_BYTES);
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (place, size) in sizes.iter().enumerate() {
        bytes += size;
        match groups.last_mut() {
            Some(group) if bytes <= most => group.end = place + 1,
            _ => {
                groups.push(place..place + 1);
                bytes = *size;
            }
        }
    }
    groups
}

/// Splits the files found into those whose content is known from the last look, and those to be read. What was
/// written after `settled` may have changed again since, within its clock's tick.
fn sort_out(found: Vec<Found>, before: &[FileEntry], settled: u64) -> (Vec<FileEntry>, Vec<Found>) {
    let before: FxHashMap<&str, &FileEntry> =
        before.iter().map(|file| (file.path.as_str(), file)).collect();
    let (mut known, mut unread) = (Vec::new(), Vec::new());
    for file in found {
        let is_settled = file.stamp.modified.max(file.stamp.changed) < settled;
        match before.get(file.path.as_str()) {
            Some(entry) if entry.stamp == file.stamp && is_settled => known.push((*entry).clone()),
            _ => unread.push(file),
        }
    }
    (known, unread)
}

/// One refresh's reading, shared by its threads.
struct Build<'a> {
    index: &'a Index,
    root: &'a Root,
    stop: &'a AtomicBool,
    tell: &'a (dyn Fn(Progress) + Sync),
    known_count: usize,
    total: usize,
    done: AtomicUsize,
    may_write: bool,
}

/// What the threads of a build put together.
struct Shared<'a> {
    files: Vec<FileEntry>,
    stored: &'a mut Vec<Stored>,
    have: FxHashSet<ContentHash>,
    /// Files in the state that readers were last given.
    published: usize,
}

impl Build<'_> {
    fn run(
        &self,
        known: Vec<FileEntry>,
        unread: Vec<Found>,
        stored: &mut Vec<Stored>,
    ) -> Result<Vec<FileEntry>, StoreError> {
        let segments: Vec<Arc<Segment>> = stored.iter().map(|s| Arc::clone(&s.segment)).collect();
        let have: FxHashSet<ContentHash> = locations(&segments).into_keys().collect();
        // A content that was known but whose segment was lost has to be read again.
        let (known, lost): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|f| f.state.hash().is_none_or(|h| have.contains(&h)));
        let lost = lost.into_iter().map(|f| Found { path: f.path, stamp: f.stamp });
        let unread: Vec<Found> = unread.into_iter().chain(lost).collect();
        let threads = if unread.len() < 16 {
            1
        } else {
            std::thread::available_parallelism().map_or(2, usize::from).min(16)
        };
        let shared = Mutex::new(Shared { published: known.len(), files: known, stored, have });
        let next = AtomicUsize::new(0);
        let failed: Vec<StoreError> = std::thread::scope(|scope| {
            let work = || self.work(&unread, &next, &shared);
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mine = self.work(&unread, &next, &shared);
            let theirs = workers.into_iter().map(|w| w.join().unwrap_or(Ok(())));
            std::iter::once(mine)
                .chain(theirs.collect::<Vec<_>>())
                .filter_map(Result::err)
                .collect()
        });
        if let Some(error) = failed.into_iter().next() {
            return Err(error);
        }
        let mut files = shared.into_inner().unwrap_or_else(PoisonError::into_inner).files;
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    fn work(
        &self,
        unread: &[Found],
        next: &AtomicUsize,
        shared: &Mutex<Shared<'_>>,
    ) -> Result<(), StoreError> {
        let mut builder = SegmentBuilder::default();
        let mut finished = Vec::new();
        let (began, mut due) = (Instant::now(), FIRST_SEGMENT);
        while !self.stop.load(Ordering::Relaxed) {
            let Some(file) = unread.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            finished.push(self.read(file, &mut builder, shared));
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(256) {
                (self.tell)(Progress { done: self.known_count + done, total: self.total });
            }
            let is_due = began.elapsed() > due;
            if is_due {
                due *= 2;
            }
            if is_due || builder.weight() > SEGMENT_WEIGHT {
                let words = self.hand_in(builder, std::mem::take(&mut finished), shared)?;
                builder = SegmentBuilder::with(words);
                self.publish_partly(shared);
            }
        }
        self.hand_in(builder, finished, shared).map(drop)
    }

    /// Reads one file and adds its content where nobody else has.
    fn read(
        &self,
        file: &Found,
        builder: &mut SegmentBuilder,
        shared: &Mutex<Shared<'_>>,
    ) -> FileEntry {
        let entry = |state| FileEntry { path: file.path.clone(), stamp: file.stamp, state };
        let bytes = match self
            .root
            .open_walked(&file.path)
            .and_then(|file| file.read_all(self.root.policy().max_bytes()))
        {
            Ok(bytes) => bytes,
            Err(JailError::TooLarge { .. }) => return entry(FileState::TooLarge),
            Err(_) => return entry(FileState::Unreadable),
        };
        let language = Language::of(&file.path);
        let hash = content_hash(language, &bytes);
        let is_new = shared.lock().unwrap_or_else(PoisonError::into_inner).have.insert(hash);
        if is_new {
            let Some(text) = decode(bytes) else {
                shared.lock().unwrap_or_else(PoisonError::into_inner).have.remove(&hash);
                return entry(FileState::Binary);
            };
            let analysis = analyse(language, &text.text);
            builder.add(hash, analysis, &text.text);
        }
        entry(FileState::Indexed(hash))
    }

    /// Makes a segment of what was read; gives back the words for the next one.
    fn hand_in(
        &self,
        builder: SegmentBuilder,
        finished: Vec<FileEntry>,
        shared: &Mutex<Shared<'_>>,
    ) -> Result<Dictionary, StoreError> {
        let has_something = !builder.is_empty();
        let (body, words) = builder.finish();
        let stored = match has_something {
            true if self.may_write => self.index.store.write_segment(body)?,
            // Another process is the writer: this one keeps what it read in memory.
            true => Segment::from_body(Body::Owned(body))
                .map(|segment| Stored { path: PathBuf::default(), segment: Arc::new(segment) }),
            false => None,
        };
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.stored.extend(stored);
        shared.files.extend(finished);
        Ok(words)
    }

    /// Lets readers search what is ready of a large project, each time when it has become half as much again: joining
    /// files and segments takes time too.
    fn publish_partly(&self, shared: &Mutex<Shared<'_>>) {
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.files.len() * 2 < shared.published * 3 {
            return;
        }
        shared.published = shared.files.len();
        let mut files = shared.files.clone();
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let left_out = self.index.readiness().left_out;
        self.index.publish(shared.stored, files, left_out, self.total, false);
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sizes: &[usize], expected: &[usize]) {
        let sizes: Vec<usize> = sizes.iter().map(|megabytes| megabytes << 20).collect();
        let groups = groups(&sizes);
        assert!(groups.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(groups.iter().map(Range::len).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn small_segments_are_merged_and_large_ones_stay() {
        check(&[0; 17], &[17]);
        check(&[0, 0, 0, 0, 500], &[4, 1]);
        check(&[1, 1, 10, 10, 10, 10, 10, 10], &[3, 1, 1, 1, 1, 1]);
        check(&[10; 40], &[10, 10, 10, 10]);
    }
}
