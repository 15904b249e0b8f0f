//! Exact search: ripgrep's own libraries over the files in scope.
//!
//! Counts every matching line, keeps the first `limit` of them in the order of paths, and says what was not
//! searched. Knows the jail and the walk; knows nothing of indexes or tools.

mod file_pattern;
mod lines;
mod wider;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use proofstone_jail::Root;

pub use file_pattern::FilePattern;
pub use lines::Match;
pub use wider::{Wider, wider};

use crate::walk::{self, LeftOut, Scope};
use lines::Collector;

/// The most a compiled pattern may take.
const PATTERN_BYTES: usize = 10 << 20;
/// The most its state machine may take while it searches. It is made as it is needed, and one that is too small is
/// thrown away and made again over and over: patterns without case and with classes of characters need the room.
const MACHINE_BYTES: usize = 128 << 20;
/// Lines shown before and after a match.
const CONTEXT: usize = 2;

/// What to look for.
#[derive(Debug, Clone)]
pub struct Request {
    /// A regular expression.
    pub pattern: String,
    /// Which files, as a glob.
    pub file_pattern: Option<String>,
    /// Whether case counts.
    pub case_sensitive: bool,
    /// How many matches to return.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The first matches, by path and line.
    pub matches: Vec<Match>,
    /// All matching lines.
    pub total: u64,
    /// Files that were searched to their end.
    pub files_searched: u64,
    /// Files with a match.
    pub files_matched: u64,
    /// Files passed over because they are not text.
    pub binary: u64,
    /// Files that could not be opened or read.
    pub unreadable: u64,
    /// Files that ignore files, excluded folders or denied names left out.
    pub left_out: LeftOut,
    /// Whether every file in scope was searched; otherwise `total` is a lower bound.
    pub complete: bool,
    /// How long it took.
    pub elapsed: Duration,
}

/// Why nothing could be searched.
#[derive(Debug, thiserror::Error)]
pub enum GrepError {
    /// The regular expression is wrong; the message shows where.
    #[error("invalid regex pattern: {message}")]
    InvalidPattern {
        /// The engine's own words, with a caret under the place.
        message: String,
    },
    /// It would take too much memory.
    #[error("pattern too large: it compiles to more than {limit} bytes; use smaller repetition counts", limit = PATTERN_BYTES)]
    PatternTooLarge,
    /// The glob is wrong.
    #[error("invalid file pattern: {message}")]
    InvalidFilePattern {
        /// The glob library's own words.
        message: String,
    },
}

/// Searches the project until done, stopped, or out of time.
pub fn grep(
    root: &Root,
    request: &Request,
    stop: &AtomicBool,
    deadline: Option<Instant>,
) -> Result<Outcome, GrepError> {
    let matcher = compile(&request.pattern, request.case_sensitive)?;
    let files = request.file_pattern.as_deref().map(FilePattern::parse).transpose()?;
    let scope = Scope { root: root.path(), policy: root.policy(), respect_ignores: true };
    Ok(run(root, &scope, &matcher, files.as_ref(), request.limit, stop, deadline))
}

/// Compiles a pattern as ripgrep would.
fn compile(pattern: &str, case_sensitive: bool) -> Result<RegexMatcher, GrepError> {
    // Parsed as it was written first: the engine's own error would show what it wraps around the pattern.
    let parsed = regex_syntax::ast::parse::Parser::new().parse(pattern);
    parsed.map_err(|error| GrepError::InvalidPattern { message: error.to_string() })?;
    let built = RegexMatcherBuilder::new()
        .case_insensitive(!case_sensitive)
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(MACHINE_BYTES)
        .build(pattern);
    built.map_err(|error| {
        let message = error.to_string();
        if message.contains("size limit") {
            GrepError::PatternTooLarge
        } else {
            GrepError::InvalidPattern { message }
        }
    })
}

/// Everything the threads of one search share.
struct Search<'a> {
    root: &'a Root,
    files: Option<&'a FilePattern>,
    kept: Mutex<Kept>,
    total: AtomicU64,
    searched: AtomicU64,
    matched: AtomicU64,
    binary: AtomicU64,
    unreadable: AtomicU64,
    deadline: Option<Instant>,
    late: AtomicBool,
}

/// The matches of the first files by path, never many more than the limit.
struct Kept {
    limit: usize,
    count: usize,
    by_file: BTreeMap<String, Vec<Match>>,
}

impl Kept {
    /// Whether matches of this file could be among the first.
    fn wants(&self, path: &str) -> bool {
        self.count < self.limit
            || self.by_file.last_key_value().is_some_and(|(last, _)| path < last.as_str())
    }

    fn add(&mut self, path: String, matches: Vec<Match>) {
        self.count += matches.len();
        self.by_file.insert(path, matches);
        while let Some(last) = self.by_file.last_entry() {
            if self.count - last.get().len() < self.limit {
                break;
            }
            self.count -= last.remove().len();
        }
    }
}

fn run(
    root: &Root,
    scope: &Scope<'_>,
    matcher: &RegexMatcher,
    files: Option<&FilePattern>,
    limit: usize,
    stop: &AtomicBool,
    deadline: Option<Instant>,
) -> Outcome {
    let started = Instant::now();
    let kept = Mutex::new(Kept { limit, count: 0, by_file: BTreeMap::new() });
    let count = AtomicU64::default;
    let search = Search {
        root,
        files,
        kept,
        total: count(),
        searched: count(),
        matched: count(),
        binary: count(),
        unreadable: count(),
        deadline,
        late: AtomicBool::new(false),
    };
    let left_out = walk::visit(scope, stop, || {
        let mut reader =
            Reader { showing: searcher(CONTEXT), counting: searcher(0), matcher: matcher.clone() };
        let search = &search;
        move |_: &ignore::DirEntry, path: String| search.file(&mut reader, path)
    });
    search.outcome(left_out, stop, started)
}

/// One thread's own machinery.
struct Reader {
    showing: Searcher,
    counting: Searcher,
    matcher: RegexMatcher,
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_number(context > 0)
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

impl Search<'_> {
    fn file(&self, reader: &mut Reader, path: String) {
        if self.late.load(Ordering::Relaxed) || !self.files.is_none_or(|files| files.allows(&path))
        {
            return;
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.late.store(true, Ordering::Relaxed);
            return;
        }
        let Ok(file) = self.root.open_walked(&path) else {
            self.unreadable.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let show = self.kept.lock().unwrap_or_else(PoisonError::into_inner).wants(&path);
        let mut found = Collector::new(&path, &reader.matcher, show);
        let searcher = if show { &mut reader.showing } else { &mut reader.counting };
        let searched = searcher.search_file(&reader.matcher, &file.into_std(), &mut found);
        match searched {
            Err(_) => self.unreadable.fetch_add(1, Ordering::Relaxed),
            Ok(()) if found.is_binary => self.binary.fetch_add(1, Ordering::Relaxed),
            Ok(()) => self.searched.fetch_add(1, Ordering::Relaxed),
        };
        if found.is_binary || found.count == 0 {
            return;
        }
        self.total.fetch_add(found.count, Ordering::Relaxed);
        self.matched.fetch_add(1, Ordering::Relaxed);
        let matches = found.matches;
        if !matches.is_empty() {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).add(path, matches);
        }
    }

    fn outcome(self, left_out: LeftOut, stop: &AtomicBool, started: Instant) -> Outcome {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut matches: Vec<Match> = kept.by_file.into_values().flatten().collect();
        matches.truncate(kept.limit);
        Outcome {
            matches,
            total: self.total.into_inner(),
            files_searched: self.searched.into_inner(),
            files_matched: self.matched.into_inner(),
            binary: self.binary.into_inner(),
            unreadable: self.unreadable.into_inner(),
            left_out,
            complete: !self.late.into_inner() && !stop.load(Ordering::Relaxed),
            elapsed: started.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests;
