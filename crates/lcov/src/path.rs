//! When two spellings are the same file. Works on bytes: a path may be in any encoding.

use std::borrow::Cow;

/// One spelling for every way to write a path: slashes, no `.`, `..` or doubled slashes, a
/// lower-case drive letter, no `file://`.
///
/// ```
/// use proofstone_lcov::normal_path;
///
/// assert_eq!(&*normal_path(b".\\src\\x\\..\\a.ts"), b"src/a.ts");
/// assert_eq!(&*normal_path(b"file:///C:/a%20b.ts"), b"c:/a b.ts");
/// ```
pub fn normal_path(path: &[u8]) -> Cow<'_, [u8]> {
    let path = path.trim_ascii();
    if is_normal(path) {
        return Cow::Borrowed(path);
    }
    let slashed: Vec<u8> = path.iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect();
    let path = match slashed.strip_prefix(b"file://") {
        Some(address) => decoded(address),
        None => slashed,
    };
    Cow::Owned(without_dots(&path))
}

/// A path relative to a root that it lies beneath, else the path itself. Both are normal already.
///
/// ```
/// use proofstone_lcov::path_beneath;
///
/// assert_eq!(path_beneath(b"/p/src/a.ts", b"/p"), b"src/a.ts");
/// assert_eq!(path_beneath(b"/pp/a.ts", b"/p"), b"/pp/a.ts");
/// ```
pub fn path_beneath<'a>(path: &'a [u8], root: &[u8]) -> &'a [u8] {
    match path.strip_prefix(root) {
        Some(rest) if root.ends_with(b"/") => rest,
        Some([b'/', rest @ ..]) if !root.is_empty() => rest,
        _ => path,
    }
}

/// Most paths are: it is told without copying them.
fn is_normal(path: &[u8]) -> bool {
    let odd =
        |pair: &[u8]| matches!(pair, b"//" | b"/." | [b'\\', _] | [_, b'\\'] | [b'A'..=b'Z', b':']);
    !path.starts_with(b".")
        && !path.starts_with(b"file:")
        && !path.windows(2).any(odd)
        && (path.len() < 2 || !path.ends_with(b"/"))
        && path != b"\\"
}

/// The path of a `file://` address: `%20` is a space, and the slash before a drive belongs to no path.
fn decoded(address: &[u8]) -> Vec<u8> {
    let address = match address {
        [b'/', rest @ ..] if rest.get(1) == Some(&b':') => rest,
        _ => address,
    };
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut path = Vec::with_capacity(address.len());
    let mut rest = address;
    while let [first, tail @ ..] = rest {
        let pair = tail.first().zip(tail.get(1)).filter(|_| *first == b'%');
        let byte = pair.and_then(|(high, low)| Some(digit(*high)? << 4 | digit(*low)?));
        path.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    path
}

fn without_dots(path: &[u8]) -> Vec<u8> {
    let absolute = path.starts_with(b"/");
    let mut segments: Vec<Vec<u8>> = Vec::new();
    for segment in path.split(|byte| *byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." if segments.last().is_some_and(|last| last != b"..") => {
                segments.pop();
            }
            b".." if absolute => {}
            [letter, b':'] if segments.is_empty() => {
                segments.push(vec![letter.to_ascii_lowercase(), b':']);
            }
            segment => segments.push(segment.to_vec()),
        }
    }
    let start: &[u8] = if absolute { b"/" } else { b"" };
    [start, &segments.join(&b'/')].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_meet() {
        for (path, expected) in [
            ("src/a.rs", "src/a.rs"),
            ("./src/a.rs", "src/a.rs"),
            ("src/./a.rs", "src/a.rs"),
            ("./src//a.ts", "src/a.ts"),
            ("/x//y/a.rs", "/x/y/a.rs"),
            ("/x/.hidden/a.rs", "/x/.hidden/a.rs"),
            (".hidden/a.rs", ".hidden/a.rs"),
            ("../src/a.rs", "../src/a.rs"),
            ("src/x/../a.ts", "src/a.ts"),
            ("/../a.ts", "/a.ts"),
            ("src\\a.ts", "src/a.ts"),
            ("C:\\Work\\a.ts", "c:/Work/a.ts"),
            ("C:/Work/a.ts", "c:/Work/a.ts"),
            ("file:///home/me/a.ts", "/home/me/a.ts"),
            ("file:///home/me%20too/a.ts", "/home/me too/a.ts"),
            ("file:///home/100%/a.ts", "/home/100%/a.ts"),
            ("file:///C:/Work/a.ts", "c:/Work/a.ts"),
            (" a.ts ", "a.ts"),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(normal_path(path.as_bytes()), expected.as_bytes(), "{path}");
            assert_eq!(normal_path(expected.as_bytes()), expected.as_bytes(), "{expected}");
        }
        assert_eq!(&*normal_path(b"./caf\xe9.c"), b"caf\xe9.c");
    }

    #[test]
    fn what_is_told_at_a_glance_is_right() {
        for path in
            ["a", "a/", "/", "//", "\\", "a\\", "\\a", "x:/a", "X:", "..", "a/..", "a.", ".a"]
        {
            let glance = normal_path(path.as_bytes()).into_owned();
            assert_eq!(glance, without_dots(&path.replace('\\', "/").into_bytes()), "{path}");
        }
    }
}
