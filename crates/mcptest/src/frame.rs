//! Everything that crossed the wire, in both directions, with its time.
//!
//! A tester must be able to show the bytes behind a claim. Frames are kept within a bound; the oldest
//! go first, and how many went is said.

use std::collections::VecDeque;
use std::sync::Mutex;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// The most frames that are kept.
const FRAMES: usize = 10_000;
/// The most bytes that are kept, over all frames.
const BYTES: usize = 64 * 1024 * 1024;

/// Which way a frame went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From us to the server.
    Sent,
    /// From the server to us.
    Received,
}

/// What a frame carried.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// JSON, as it was sent: nothing is dropped or retyped.
    Message(Value),
    /// Text that is not JSON.
    Text(String),
    /// The head of an HTTP answer.
    Http {
        /// The status code.
        status: u16,
        /// The headers, in order; values that are secrets are not here, since servers send none.
        headers: Vec<(String, String)>,
    },
}

/// One thing that crossed the wire.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Frame {
    /// Its number in the connection, from 1.
    pub id: u64,
    /// When it was sent or had arrived.
    pub at: Timestamp,
    /// Which way it went.
    pub direction: Direction,
    /// How many bytes it had.
    pub bytes: usize,
    /// What it carried.
    pub payload: Payload,
}

/// The frames of a connection.
#[derive(Debug, Default)]
pub struct Journal(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    frames: VecDeque<Frame>,
    last: u64,
    bytes: usize,
}

impl Journal {
    /// Keeps a frame and gives its number.
    pub fn keep(&self, direction: Direction, bytes: usize, payload: Payload) -> u64 {
        let mut kept = self.lock();
        kept.last += 1;
        let id = kept.last;
        kept.bytes += bytes;
        kept.frames.push_back(Frame { id, at: Timestamp::now(), direction, bytes, payload });
        while kept.frames.len() > FRAMES || (kept.bytes > BYTES && kept.frames.len() > 1) {
            let gone = kept.frames.pop_front().map_or(0, |frame| frame.bytes);
            kept.bytes -= gone;
        }
        id
    }

    /// The frame with a number, if it is still kept.
    pub fn frame(&self, id: u64) -> Option<Frame> {
        self.lock().frames.iter().find(|frame| frame.id == id).cloned()
    }

    /// The frames from a number on, oldest first.
    pub fn since(&self, id: u64) -> Vec<Frame> {
        self.lock().frames.iter().filter(|frame| frame.id >= id).cloned().collect()
    }

    /// The number of the newest frame.
    pub fn last(&self) -> u64 {
        self.lock().last
    }

    /// How many frames are no longer kept.
    pub fn dropped(&self) -> u64 {
        let kept = self.lock();
        kept.last - kept.frames.len() as u64
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_frames_go_first_and_are_counted() {
        let journal = Journal::default();
        for number in 0..FRAMES + 5 {
            journal.keep(Direction::Sent, 1, Payload::Text(number.to_string()));
        }
        assert_eq!(journal.dropped(), 5);
        assert_eq!(journal.frame(5), None);
        assert_eq!(journal.frame(6).unwrap().payload, Payload::Text("5".into()));
        journal.keep(Direction::Received, BYTES + 1, Payload::Text("huge".into()));
        assert_eq!(journal.since(0).len(), 1);
    }
}
