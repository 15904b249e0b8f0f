//! Bytes of a file as text, and whether that is honest.

/// How many bytes are looked at to tell text from something else.
const SNIFFED: usize = 8 * 1024;

/// A file's text and how it was got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Where it was not plain UTF-8, what was done.
    pub decoding: Decoding,
}

/// How bytes became text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// They were UTF-8.
    Utf8,
    /// A byte-order mark said UTF-16.
    Utf16,
    /// Some bytes were not UTF-8 and stand as U+FFFD.
    Lossy,
}

/// Decodes a file; `None` for one that is not text.
pub fn decode(bytes: Vec<u8>) -> Option<Text> {
    match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => return Some(utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => return Some(utf16(rest, u16::from_be_bytes)),
        _ => {}
    }
    if is_binary(&bytes) {
        return None;
    }
    Some(match String::from_utf8(bytes) {
        Ok(text) => Text { text: without_mark(text), decoding: Decoding::Utf8 },
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Text { text, decoding: Decoding::Lossy }
        }
    })
}

/// Whether the beginning holds a NUL, as no text does.
pub fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(SNIFFED)]).is_some()
}

/// Lines as editors count them: a last line without its end counts.
pub fn count_lines(text: &str) -> u64 {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    ends + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Text {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let text =
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Text { text, decoding: Decoding::Utf16 }
}

fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{FEFF}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Option<(&str, Decoding)>) {
        let got = decode(bytes.to_vec());
        assert_eq!(got.as_ref().map(|t| (t.text.as_str(), t.decoding)), expected);
    }

    #[test]
    fn encodings() {
        check(b"plain", Some(("plain", Decoding::Utf8)));
        check(b"\xEF\xBB\xBFmark", Some(("mark", Decoding::Utf8)));
        check(b"\xFF\xFEh\0i\0", Some(("hi", Decoding::Utf16)));
        check(b"\xFE\xFF\0h\0i", Some(("hi", Decoding::Utf16)));
        check(b"caf\xE9", Some(("caf\u{FFFD}", Decoding::Lossy)));
        check(b"\x7FELF\0\0", None);
        check(b"", Some(("", Decoding::Utf8)));
    }

    #[test]
    fn lines() {
        assert_eq!(
            [count_lines(""), count_lines("a"), count_lines("a\n"), count_lines("a\nb")],
            [0, 1, 1, 2]
        );
    }
}
