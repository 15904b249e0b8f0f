//! Matching lines with the lines around them, as they come from the searcher.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::CONTEXT;

/// Longest line shown, in characters.
const SHOWN: usize = 400;
/// Characters kept before a match in a line that is cut.
const LEAD: usize = 120;

/// A matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Path relative to the root.
    pub file: String,
    /// Line, 1-based.
    pub line: u64,
    /// Column of the first match on it, 1-based, in characters.
    pub column: u64,
    /// The line without its end; very long ones are cut around the match.
    pub text: String,
    /// Up to two lines before it.
    pub before: Vec<String>,
    /// Up to two lines after it.
    pub after: Vec<String>,
}

/// Collects the matches of one file.
pub(super) struct Collector<'a> {
    path: &'a str,
    matcher: &'a RegexMatcher,
    show: bool,
    recent: Vec<(u64, String)>,
    pub(super) matches: Vec<Match>,
    pub(super) count: u64,
    pub(super) is_binary: bool,
}

impl<'a> Collector<'a> {
    pub(super) fn new(path: &'a str, matcher: &'a RegexMatcher, show: bool) -> Self {
        Self {
            path,
            matcher,
            show,
            recent: Vec::new(),
            matches: Vec::new(),
            count: 0,
            is_binary: false,
        }
    }

    /// A line seen, matching or not: it comes after earlier matches and before later ones.
    fn see(&mut self, line: u64, text: String) {
        for found in self.matches.iter_mut().rev().take(CONTEXT) {
            if line > found.line && line <= found.line + CONTEXT as u64 {
                found.after.push(text.clone());
            }
        }
        if self.recent.len() == CONTEXT {
            self.recent.remove(0);
        }
        self.recent.push((line, text));
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        if self.show {
            let (bytes, line) = (trim_end(found.bytes()), found.line_number().unwrap_or(0));
            let start = self.matcher.find(bytes).ok().flatten().map_or(0, |m| m.start());
            let before = self
                .recent
                .iter()
                .filter(|(n, _)| *n + CONTEXT as u64 >= line)
                .map(|(_, text)| text.clone())
                .collect();
            let text = String::from_utf8_lossy(bytes);
            let column = String::from_utf8_lossy(&bytes[..start]).chars().count();
            let shown = cut(&text, column);
            self.see(line, cut(&text, 0));
            let file = self.path.to_owned();
            self.matches.push(Match {
                file,
                line,
                column: column as u64 + 1,
                text: shown,
                before,
                after: Vec::new(),
            });
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.show {
            let text = cut(&String::from_utf8_lossy(trim_end(context.bytes())), 0);
            self.see(context.line_number().unwrap_or(0), text);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _offset: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A long line around one of its columns, with `…` where something was left out.
fn cut(text: &str, column: usize) -> String {
    if text.len() <= SHOWN || text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let start = column.saturating_sub(LEAD);
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    let mut rest = text.chars().skip(start);
    out.extend(rest.by_ref().take(SHOWN));
    if rest.next().is_some() {
        out.push('…');
    }
    out
}
