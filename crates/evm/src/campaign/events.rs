//! The campaign's diary, of bounded size. Frequent kinds never push out rare ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

/// Events kept in all.
#[cfg(test)]
pub(super) const CAPACITY: usize = 2500;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A test was falsified, or a smaller counterexample was found.
    PropertyFalsified,
    /// A transaction was executed: all injected ones, a sample of the others.
    TransactionExecuted,
    /// Something new was reached.
    CoverageIncreased,
    /// A worker began.
    WorkerStarted,
    /// A worker ended.
    WorkerStopped,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::PropertyFalsified,
        Self::TransactionExecuted,
        Self::CoverageIncreased,
        Self::WorkerStarted,
        Self::WorkerStopped,
    ];

    /// The name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::PropertyFalsified => "PropertyFalsified",
            Self::TransactionExecuted => "TransactionExecuted",
            Self::CoverageIncreased => "CoverageIncreased",
            Self::WorkerStarted => "WorkerStarted",
            Self::WorkerStopped => "WorkerStopped",
        }
    }

    /// Its share of [`CAPACITY`].
    fn room(self) -> usize {
        match self {
            Self::PropertyFalsified => 600,
            Self::TransactionExecuted => 1000,
            Self::CoverageIncreased => 700,
            Self::WorkerStarted | Self::WorkerStopped => 100,
        }
    }
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Number in order of happening.
    pub number: u64,
    /// When.
    pub time: SystemTime,
    /// What.
    pub kind: EventKind,
    /// Who.
    pub worker: usize,
    /// Particulars: names and values.
    pub data: Vec<(&'static str, EventValue)>,
}

/// A value of an event's particulars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventValue {
    /// Text.
    Text(String),
    /// A number.
    Number(u64),
    /// Several texts.
    List(Vec<String>),
    /// Yes or no.
    Flag(bool),
}

/// A ring per kind. A copy costs next to nothing: it shares the rings until one of them changes.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    rings: [Arc<VecDeque<Arc<Event>>>; 5],
    next: u64,
}

impl EventLog {
    pub(crate) fn push(
        &mut self,
        kind: EventKind,
        worker: usize,
        data: Vec<(&'static str, EventValue)>,
    ) {
        let ring = Arc::make_mut(&mut self.rings[kind as usize]);
        if ring.len() >= kind.room() {
            ring.pop_front();
        }
        let (number, time) = (self.next, SystemTime::now());
        ring.push_back(Arc::new(Event { number, time, kind, worker, data }));
        self.next += 1;
    }

    /// Events in the log.
    pub fn len(&self) -> usize {
        self.rings.iter().map(|ring| ring.len()).sum()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Events that match, newest first.
    pub fn newest(
        &self,
        count: usize,
        kind: Option<EventKind>,
        worker: Option<usize>,
    ) -> Vec<Arc<Event>> {
        let mut events: Vec<&Arc<Event>> = self
            .rings
            .iter()
            .flat_map(|ring| ring.iter())
            .filter(|e| kind.is_none_or(|k| k == e.kind) && worker.is_none_or(|w| w == e.worker))
            .collect();
        events.sort_unstable_by_key(|e| std::cmp::Reverse(e.number));
        events.into_iter().take(count).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_one_kind_leaves_the_others_alone() {
        let mut log = EventLog::default();
        log.push(EventKind::PropertyFalsified, 0, Vec::new());
        for _ in 0..10_000 {
            log.push(EventKind::TransactionExecuted, 1, Vec::new());
        }
        assert!(log.len() <= CAPACITY);
        assert_eq!(log.newest(10, Some(EventKind::PropertyFalsified), None).len(), 1);
        let newest = log.newest(2, None, Some(1));
        assert!(newest[0].number > newest[1].number);
        assert_eq!(EventKind::ALL.iter().map(|k| k.room()).sum::<usize>(), CAPACITY);
    }
}
