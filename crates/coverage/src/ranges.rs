//! Runs of lines, the way people name them.

/// Lines from `start` to `end`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineSpan {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

impl LineSpan {
    /// Whether a line lies in it.
    pub fn contains(self, line: u32) -> bool {
        (self.start..=self.end).contains(&line)
    }
}

/// Ascending lines as runs. Two lines are in one run if `joined` says nothing parts them.
pub fn runs(
    lines: impl IntoIterator<Item = u32>,
    joined: impl Fn(u32, u32) -> bool,
) -> Vec<(LineSpan, u64)> {
    let mut runs: Vec<(LineSpan, u64)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((span, count)) if joined(span.end, line) => {
                span.end = line;
                *count += 1;
            }
            _ => runs.push((LineSpan { start: line, end: line }, 1)),
        }
    }
    runs
}

/// Ascending lines as runs of neighbours.
pub fn neighbours(lines: impl IntoIterator<Item = u32>) -> Vec<LineSpan> {
    runs(lines, |a, b| a + 1 == b).into_iter().map(|(span, _)| span).collect()
}
