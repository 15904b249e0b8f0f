//! Which function a line belongs to.

use proofstone_lcov::{Coverage, Function};

use crate::names::demangled;
use crate::ranges::LineSpan;
use crate::report::readable_path;

/// A file's functions with the lines they span.
#[derive(Debug)]
pub struct Functions<'a> {
    spans: Vec<(LineSpan, &'a Function)>,
}

impl<'a> Functions<'a> {
    /// Where the report gives no last line, a function ends before the next one begins.
    pub fn of(coverage: &'a Coverage) -> Self {
        let mut functions: Vec<_> = coverage.functions.iter().filter(|f| f.start > 0).collect();
        functions.sort_by_key(|function| function.start);
        let last_line = coverage.lines.last().unwrap_or(0);
        let mut spans = Vec::with_capacity(functions.len());
        for (at, function) in functions.iter().enumerate() {
            let next =
                functions[at..].iter().map(|f| f.start).find(|start| *start > function.start);
            let until = next.map_or(last_line, |start| start - 1).max(function.start);
            let end = function.end.unwrap_or(until).max(function.start);
            spans.push((LineSpan { start: function.start, end }, *function));
        }
        Self { spans }
    }

    /// The innermost function around a line.
    pub fn around(&self, line: u32) -> Option<&'a Function> {
        let before = self.spans.partition_point(|(span, _)| span.start <= line);
        self.spans[..before].iter().rev().find(|(span, _)| span.contains(line)).map(|(_, f)| *f)
    }

    /// All of them, by first line.
    pub fn iter(&self) -> impl Iterator<Item = (LineSpan, &'a Function)> + '_ {
        self.spans.iter().copied()
    }
}

/// A function's first name, as its source has it.
pub fn name(function: &Function) -> String {
    let name = function.aliases.first().map_or_else(String::new, |a| readable_path(&a.name));
    if name.is_empty() { "(anonymous)".to_owned() } else { demangled(name) }
}
