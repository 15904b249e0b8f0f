//! An open regular file: whole, or a range of its lines.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::time::SystemTime;

use crate::JailError;

/// A regular file opened beneath the root. It stays the same file whatever happens to its name.
#[derive(Debug)]
pub struct OpenFile {
    pub(crate) file: File,
    pub(crate) asked: String,
    pub(crate) resolved: String,
    pub(crate) size: u64,
    pub(crate) modified: Option<SystemTime>,
}

/// A range of lines, 1-based, both ends included. The end may lie past the file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// First line.
    pub start: u64,
    /// Last line.
    pub end: u64,
}

/// The lines of a range that were there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The lines with their ends.
    pub bytes: Vec<u8>,
    /// How many lines `bytes` holds.
    pub lines: u64,
    /// Whether the file ends with them.
    pub reaches_end: bool,
    /// Whether the byte limit cut the range short.
    pub cut: bool,
}

impl OpenFile {
    /// Bytes the file had when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// When it was last written, where the filesystem says.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// Its path beneath the root with every link resolved, separated by `/`.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// The file itself, for readers that stream.
    pub fn into_std(self) -> File {
        self.file
    }

    /// The whole file, refused above `limit` bytes, also when it grows past it meanwhile.
    pub fn read_all(self, limit: u64) -> Result<Vec<u8>, JailError> {
        let too_large = |size| JailError::TooLarge { path: self.asked.clone(), size, limit };
        if self.size > limit {
            return Err(too_large(self.size));
        }
        let mut bytes = Vec::with_capacity(self.size as usize + 1);
        let read = (&self.file).take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|e| JailError::from_io(&self.asked, e))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// The lines of a range, at most `limit` bytes of them. Lines before the range are passed over without
    /// being kept, so the file may be of any size.
    pub fn read_lines(self, range: LineRange, limit: u64) -> Result<Part, JailError> {
        let reader = BufReader::with_capacity(128 * 1024, self.file);
        collect_lines(reader, range, limit).map_err(|e| JailError::from_io(&self.asked, e))
    }
}

fn collect_lines(mut reader: impl BufRead, range: LineRange, limit: u64) -> io::Result<Part> {
    let mut part = Part { bytes: Vec::new(), lines: 0, reaches_end: false, cut: false };
    if !skip_lines(&mut reader, range.start.saturating_sub(1))? {
        part.reaches_end = true;
        return Ok(part);
    }
    let wanted = (range.end + 1).saturating_sub(range.start.max(1));
    while part.lines < wanted {
        let room = limit - part.bytes.len() as u64;
        let before = part.bytes.len();
        (&mut reader).take(room).read_until(b'\n', &mut part.bytes)?;
        let got = part.bytes.len() - before;
        part.lines += u64::from(got > 0);
        if part.bytes.last() == Some(&b'\n') && got > 0 && (got as u64) < room {
            continue;
        }
        part.reaches_end = reader.fill_buf()?.is_empty();
        part.cut = !part.reaches_end && part.bytes.len() as u64 == limit && part.lines <= wanted;
        break;
    }
    if part.lines == wanted && !part.cut {
        part.reaches_end = reader.fill_buf()?.is_empty();
    }
    Ok(part)
}

/// Passes over `count` lines; false when the file has no line after them.
fn skip_lines(reader: &mut impl BufRead, mut count: u64) -> io::Result<bool> {
    while count > 0 {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let mut used = buffer.len();
        for at in memchr::memchr_iter(b'\n', buffer) {
            count -= 1;
            if count == 0 {
                used = at + 1;
                break;
            }
        }
        reader.consume(used);
    }
    Ok(!reader.fill_buf()?.is_empty())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn part(text: &str, start: u64, end: u64, limit: u64) -> Part {
        collect_lines(text.as_bytes(), LineRange { start, end }, limit).unwrap()
    }

    fn check(text: &str, range: (u64, u64), limit: u64, expected: &Expect) {
        let part = part(text, range.0, range.1, limit);
        let shown = format!(
            "{:?} lines={} end={} cut={}",
            String::from_utf8(part.bytes).unwrap(),
            part.lines,
            part.reaches_end,
            part.cut
        );
        expected.assert_eq(&shown);
    }

    #[test]
    fn ranges() {
        let text = "one\ntwo\nthree";
        check(text, (1, 2), 99, &expect![[r#""one\ntwo\n" lines=2 end=false cut=false"#]]);
        check(text, (2, 9), 99, &expect![[r#""two\nthree" lines=2 end=true cut=false"#]]);
        check(text, (4, 9), 99, &expect![[r#""" lines=0 end=true cut=false"#]]);
        check(text, (1, 3), 5, &expect![[r#""one\nt" lines=2 end=false cut=true"#]]);
        check("", (1, 1), 5, &expect![[r#""" lines=0 end=true cut=false"#]]);
        check("a\n", (2, 2), 5, &expect![[r#""" lines=0 end=true cut=false"#]]);
    }

    proptest! {
        #[test]
        fn parts_put_together_are_the_file(text in "[ab\n]{0,40}", step in 1_u64..5) {
            let mut joined = Vec::new();
            let mut start = 1;
            loop {
                let part = part(&text, start, start + step - 1, 1000);
                joined.extend_from_slice(&part.bytes);
                start += step;
                if part.reaches_end { break; }
                prop_assert_eq!(part.lines, step);
            }
            prop_assert_eq!(String::from_utf8(joined).unwrap(), text);
        }

        #[test]
        fn a_limit_is_kept(text in "[ab\n]{0,40}", start in 1_u64..5, limit in 0_u64..20) {
            let part = part(&text, start, 99, limit);
            prop_assert!(part.bytes.len() as u64 <= limit);
            prop_assert!(part.cut || part.reaches_end);
        }
    }
}
