//! One project as the tools see it: its files, its index, its memory, each opened when first needed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use proofstone_jail::{JailError, Policy, Root};

use crate::embed::{Endpoint, EndpointOptions, Vectors};
use crate::freshness::Freshness;
use crate::index::{Index, Progress, Readiness, StoreError};
use crate::memory::{Memory, MemoryError};
use crate::tracker::Tracker;

/// What ranking and reading the results may take when the index is still being built at the last moment.
const ANSWERING: Duration = Duration::from_millis(700);

/// Until when an index may be waited for, so that there is time left to answer from what is ready.
pub(crate) fn leaving_time(deadline: Instant) -> Instant {
    deadline.checked_sub(ANSWERING).unwrap_or(deadline)
}

/// What a project is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The user's cache folder; the index is kept beneath it.
    pub cache: PathBuf,
    /// An endpoint that makes vectors; without one, results are ranked without vectors.
    pub embeddings: Option<EndpointOptions>,
}

/// A project. Cheap to share between tools.
#[derive(Debug)]
pub struct Project {
    root: Arc<Root>,
    options: Options,
    freshness: Mutex<Option<Arc<Freshness>>>,
    memory: Mutex<Option<Arc<Memory>>>,
    tracker: Tracker,
    vectors: Option<Vectors>,
}

impl Project {
    /// Opens the project's folder. Nothing is read or written yet.
    pub fn open(root: &Path, options: Options) -> Result<Arc<Self>, JailError> {
        let root = Arc::new(Root::open(root, Policy::project())?);
        let (freshness, memory) = (Mutex::default(), Mutex::default());
        let vectors = options
            .embeddings
            .clone()
            .map(|endpoint| Vectors::new(Box::new(Endpoint::new(endpoint)), &options.cache));
        let tracker = Tracker::default();
        Ok(Arc::new(Self { root, options, freshness, memory, tracker, vectors }))
    }

    /// The project's files.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The vectors, where an endpoint makes them.
    pub fn vectors(&self) -> Option<&Vectors> {
        self.vectors.as_ref()
    }

    /// The index as it is, without looking whether it is still true.
    pub fn index(&self) -> Result<Arc<Index>, StoreError> {
        Ok(Arc::clone(self.freshness()?.index()))
    }

    /// The index, made true first as far as that can be done by `until`.
    pub fn fresh_index(
        &self,
        until: Instant,
        tell: &(dyn Fn(Progress) + Sync),
    ) -> Result<(Arc<Index>, Readiness), StoreError> {
        let freshness = self.freshness()?;
        let readiness = freshness.ensure(until, tell)?;
        Ok((Arc::clone(freshness.index()), readiness))
    }

    /// What was learned. Discovery files changed since the last call are brought in.
    pub fn memory(&self) -> Result<Arc<Memory>, MemoryError> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = &*memory {
            memory.import(&self.root)?;
            return Ok(Arc::clone(memory));
        }
        let opened = Arc::new(Memory::open(&self.root)?);
        *memory = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Counts a call, what it was about, or a file it read, without making anybody wait for it. A project that
    /// can't be written is simply not counted.
    pub fn track(self: &Arc<Self>, event: crate::tracker::Event) {
        self.tracker.send(self, event);
    }

    /// Ends what runs in the background and writes what is still to be written.
    pub fn shut_down(&self) {
        self.tracker.finish();
        if let Some(freshness) = &*self.freshness.lock().unwrap_or_else(PoisonError::into_inner) {
            freshness.stop();
        }
    }

    fn freshness(&self) -> Result<Arc<Freshness>, StoreError> {
        let mut freshness = self.freshness.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(freshness) = &*freshness {
            return Ok(Arc::clone(freshness));
        }
        let index = Index::open(&self.options.cache, self.root.path())?;
        let opened = Arc::new(Freshness::new(Arc::clone(&self.root), index));
        *freshness = Some(Arc::clone(&opened));
        Ok(opened)
    }
}
