//! Making the index true before it is asked, without doing more than needed.
//!
//! A small project is simply looked at each time. A larger one is watched, and looked at again only when the
//! system said that something changed. Where it can't be watched it is looked at each time too. Only one look is
//! under way at a time; those who can't wait for it are answered from what is ready.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use proofstone_jail::Root;

use crate::index::{Index, Progress, Readiness, StoreError};

/// Projects up to this many files are looked at before every answer: it takes a few milliseconds.
const LOOKED_AT: usize = 2_000;
/// More folders than this are not watched.
const MAX_WATCHED: usize = 20_000;

/// Keeps one index true.
#[derive(Debug)]
pub(crate) struct Freshness {
    root: Arc<Root>,
    index: Arc<Index>,
    state: Mutex<State>,
    changed: Condvar,
    stop: AtomicBool,
    dirty: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    running: bool,
    progress: Progress,
    failed: Option<String>,
    watcher: Option<RecommendedWatcher>,
    watched: BTreeSet<String>,
}

impl Freshness {
    pub(crate) fn new(root: Arc<Root>, index: Index) -> Self {
        let dirty = Arc::new(AtomicBool::new(true));
        Self {
            root,
            index: Arc::new(index),
            state: Mutex::default(),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            dirty,
        }
    }

    pub(crate) fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Makes the index true, or as true as it gets by `until`; the rest goes on in the background.
    pub(crate) fn ensure(
        self: &Arc<Self>,
        until: Instant,
        tell: &(dyn Fn(Progress) + Sync),
    ) -> Result<Readiness, StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.running && !self.needs_a_look(&state) {
            return Ok(self.index.readiness());
        }
        if !state.running {
            state.running = true;
            state.failed = None;
            let this = Arc::clone(self);
            std::thread::spawn(move || this.look());
        }
        while state.running {
            let Some(left) = until.checked_duration_since(Instant::now()) else { break };
            let step = left.min(Duration::from_millis(200));
            state =
                self.changed.wait_timeout(state, step).unwrap_or_else(PoisonError::into_inner).0;
            if state.progress.total > 0 {
                tell(state.progress);
            }
        }
        match state.failed.take() {
            Some(message) => Err(StoreError::failed(self.index.folder(), message)),
            None => Ok(self.index.readiness()),
        }
    }

    /// Tells background work to end.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn needs_a_look(&self, state: &State) -> bool {
        let readiness = self.index.readiness();
        state.watcher.is_none()
            || !readiness.complete
            || readiness.files <= LOOKED_AT
            || self.dirty.load(Ordering::Acquire)
    }

    fn look(&self) {
        // Cleared before looking: a change during the look asks for another one.
        self.dirty.store(false, Ordering::Release);
        let tell = |progress| {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).progress = progress;
            self.changed.notify_all();
        };
        let looked = self.index.refresh(&self.root, &self.stop, &tell);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.is_ok() {
            self.watch(&mut state);
        }
        state.failed = looked.err().map(|error| error.to_string());
        state.running = false;
        state.progress = Progress::default();
        self.changed.notify_all();
    }

    /// Watches the folders that hold files of the index; new folders show up as changes of those.
    fn watch(&self, state: &mut State) {
        let view = self.index.view();
        if view.files().len() <= LOOKED_AT {
            return;
        }
        let folders: BTreeSet<String> =
            view.files().iter().flat_map(|file| ancestors(&file.path)).map(str::to_owned).collect();
        if folders.len() > MAX_WATCHED {
            state.watcher = None;
            return;
        }
        if state.watcher.is_none() {
            let dirty = Arc::clone(&self.dirty);
            let note = move |event: notify::Result<notify::Event>| {
                if !matches!(event, Ok(notify::Event { kind: EventKind::Access(_), .. })) {
                    dirty.store(true, Ordering::Release);
                }
            };
            state.watcher = notify::recommended_watcher(note).ok();
            state.watched.clear();
        }
        let Some(watcher) = &mut state.watcher else { return };
        for folder in folders.difference(&state.watched) {
            if watcher.watch(&self.root.path().join(folder), RecursiveMode::NonRecursive).is_err() {
                // Out of watches, or the folder is gone: then every answer looks for itself.
                state.watcher = None;
                return;
            }
        }
        if folders != state.watched {
            // What changed while the watches were being set went unseen.
            self.dirty.store(true, Ordering::Release);
        }
        state.watched = folders;
    }
}

/// The folders a file is in, the root's `""` among them.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| &path[..at]);
    std::iter::once("").chain(inner)
}
