//! solc's compressed source maps, and byte offsets to lines.

/// The stretch of source an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Number of bytes.
    pub length: usize,
    /// The file's number; -1 for code that comes from no file.
    pub file: i64,
}

impl Span {
    /// Whether another stretch lies in this one.
    pub(super) fn contains(self, other: Self) -> bool {
        self.file == other.file
            && other.start >= self.start
            && other.start + other.length <= self.start + self.length
    }

    /// Reads `start:length:file`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        Some(Self {
            start: parts.next()?.parse().ok()?,
            length: parts.next()?.parse().ok()?,
            file: parts.next()?.parse().ok()?,
        })
    }
}

/// Reads a source map: one entry per instruction, empty fields repeat the entry before. Text that
/// is no source map gives the entries up to the first fault.
pub(super) fn parse_map(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut current = Span { start: 0, length: 0, file: -1 };
    for entry in text.split(';') {
        let mut fields = entry.split(':');
        let mut field = |old: i64| match fields.next() {
            None | Some("") => Some(old),
            Some(text) => text.parse::<i64>().ok(),
        };
        let start = field(current.start as i64);
        let length = field(current.length as i64);
        let file = field(current.file);
        let (Some(start), Some(length), Some(file)) = (start, length, file) else { break };
        let size = |n: i64| usize::try_from(n).unwrap_or(0);
        current = Span { start: size(start), length: size(length), file };
        spans.push(current);
    }
    spans
}

/// Line numbers of byte offsets.
#[derive(Clone, Debug)]
pub struct SourceIndex {
    starts: Vec<usize>,
}

impl SourceIndex {
    /// Indexes a text.
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_left_out_repeat() {
        let spans = parse_map("1:2:1;:9;2:1:2;;-1:-1:-1");
        let as_tuples: Vec<_> = spans.iter().map(|s| (s.start, s.length, s.file)).collect();
        assert_eq!(as_tuples, [(1, 2, 1), (1, 9, 1), (2, 1, 2), (2, 1, 2), (0, 0, -1)]);
    }

    #[test]
    fn lines_count_from_one() {
        let index = SourceIndex::new("a\nbc\n\nd");
        assert_eq!([0, 1, 2, 4, 5, 6].map(|o| index.line(o)), [1, 1, 2, 2, 3, 4]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[-0-9:;io]{0,80}") {
            let _ = parse_map(&text);
        }
    }
}
