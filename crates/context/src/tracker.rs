//! Counting what is used, in the background: an answer never waits for the database.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

use crate::memory::{Memory, MemoryError, SCORER_PERIOD};
use crate::project::Project;

/// Something that was done.
#[derive(Debug, Clone)]
pub enum Event {
    /// A question was asked.
    Searched(String),
    /// A file was read.
    Read {
        /// Path relative to the root.
        path: String,
        /// Its module.
        module: String,
        /// Its size.
        bytes: u64,
    },
    /// Some other call was made.
    Called,
}

/// The background thread and the way to it.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    thread: Mutex<Option<(Sender<Event>, JoinHandle<()>)>>,
}

impl Tracker {
    pub(crate) fn send(&self, project: &Arc<Project>, event: Event) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let (sender, _) = thread.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let project = Arc::downgrade(project);
            (sender, std::thread::spawn(move || run(&project, &receiver)))
        });
        // A thread that has ended can't count any more; the answer matters more.
        let _ = sender.send(event);
    }

    /// Waits until everything sent so far is written.
    pub(crate) fn finish(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((sender, handle)) = thread {
            drop(sender);
            let _ = handle.join();
        }
    }
}

fn run(project: &Weak<Project>, events: &Receiver<Event>) {
    loop {
        let event = match events.recv_timeout(SCORER_PERIOD) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let Some(memory) = project.upgrade().and_then(|project| project.memory().ok()) else {
            continue;
        };
        let counted = match event {
            Some(event) => count(&memory, event),
            None => memory.score_items(),
        };
        // Another process may hold the database; what is not counted is no loss to an answer.
        let _ = counted;
    }
}

fn count(memory: &Memory, event: Event) -> Result<(), MemoryError> {
    let session = memory.use_session()?;
    match event {
        Event::Searched(topic) => memory.note_topic(&session, &topic),
        Event::Read { path, module, bytes } => {
            memory.note_access(&session, &path, &module, bytes)?;
            memory.score_items()
        }
        Event::Called => Ok(()),
    }
}
