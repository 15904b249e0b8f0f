//! Bodies by indentation, as Python writes them. Comments, strings and brackets are told apart, which is what it takes to
//! know where a statement begins.

use super::{Place, Stretch, indent};

/// All but the last statement of every function of up to `largest` bytes. The last one stays, so that the function ends
/// where it did.
pub(super) fn bodies(text: &str, largest: usize) -> Vec<Stretch> {
    let Some(lines) = lines(text.as_bytes()) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if !line.begins_function {
            continue;
        }
        let body = body(&lines[at..], line.indent);
        let [first, .., last] = body else { continue };
        let end = lines.get(at + body.len()).map_or(text.len(), |after| after.start.byte);
        if last.stands_alone && end - line.start.byte <= largest {
            found.push(first.start..last.start);
            at += body.len();
        }
    }
    found
}

/// The lines of a block in something that is indented by so much. A comment may stand anywhere, but not behind the block.
fn body(lines: &[Line], indent: usize) -> &[Line] {
    let after = lines.iter().position(|line| line.indent <= indent && !line.is_comment);
    let lines = &lines[..after.unwrap_or(lines.len())];
    let last = lines.iter().rposition(|line| line.indent > indent);
    &lines[..last.map_or(0, |last| last + 1)]
}

/// A statement's first line, or a line with nothing but a comment.
struct Line {
    start: Place,
    indent: usize,
    is_comment: bool,
    begins_function: bool,
    /// Whether it is a whole statement by itself: no `else` of one before it, no comment.
    stands_alone: bool,
}

/// The lines that statements begin on; none where strings or brackets do not end.
fn lines(bytes: &[u8]) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    let (mut at, mut row) = (0, 0);
    while at < bytes.len() {
        let start = Place { byte: at, row, column: 0 };
        let indent = indent(&bytes[at..]);
        let content = &bytes[at + indent..];
        let end = statement_end(bytes, at)?;
        if !matches!(content.first(), None | Some(b'\n' | b'\r' | b'\x0C')) {
            let is_comment = content[0] == b'#';
            let header = ends_with_colon(&bytes[at..end]);
            lines.push(Line {
                start,
                indent,
                is_comment,
                begins_function: header && is_function(content),
                stands_alone: !is_comment && !header && !continues(content),
            });
        }
        row += memchr::memchr_iter(b'\n', &bytes[at..end]).count();
        at = end;
    }
    Some(lines)
}

/// Where the statement that begins at `at` ends: behind the first end of a line outside of strings and brackets.
fn statement_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'\n' if depth == 0 => return Some(at + 1),
            b'(' | b'[' | b'{' => {
                depth += 1;
                at + 1
            }
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                at + 1
            }
            b'#' => at + memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at),
            b'\\' => at + if bytes[at + 1..].starts_with(b"\r\n") { 3 } else { 2 },
            b'"' | b'\'' => string_end(bytes, at, *byte)?,
            _ => at + 1,
        };
    }
    (depth == 0).then_some(bytes.len())
}

/// Where the string that begins with a quote at `at` ends.
fn string_end(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let triple = [quote; 3];
    let is_triple = bytes[at..].starts_with(&triple);
    let mut inside = at + if is_triple { 3 } else { 1 };
    loop {
        match bytes.get(inside)? {
            b'\\' => inside += 2,
            b'\n' if !is_triple => return None,
            byte if *byte != quote => inside += 1,
            _ if !is_triple => return Some(inside + 1),
            _ if bytes[inside..].starts_with(&triple) => return Some(inside + 3),
            _ => inside += 1,
        }
    }
}

fn is_function(content: &[u8]) -> bool {
    let content = content.strip_prefix(b"async ").unwrap_or(content).trim_ascii_start();
    content.starts_with(b"def ")
}

/// Whether a statement's last line says that a block follows. A comment behind the colon is looked through.
fn ends_with_colon(statement: &[u8]) -> bool {
    let last = statement.trim_ascii_end();
    let line = memchr::memrchr(b'\n', last).map_or(last, |end| &last[end + 1..]);
    let plain = memchr::memchr(b'#', line).map_or(line, |comment| line[..comment].trim_ascii_end());
    last.ends_with(b":") || plain.ends_with(b":")
}

/// Whether it goes on with the statement before it.
fn continues(content: &[u8]) -> bool {
    let letters = content.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    matches!(&content[..letters], b"else" | b"elif" | b"except" | b"finally" | b"case")
        || content[0] == b'@'
}
