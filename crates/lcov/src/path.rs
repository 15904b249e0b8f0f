//! When two spellings in one tracefile are the same file.

use std::borrow::Cow;

/// The spelling under which sections of one file meet: without `.` segments and doubled slashes.
/// What needs knowledge of the project (roots, `..`, drive letters) is not decided here.
pub(crate) fn key(path: &[u8]) -> Cow<'_, [u8]> {
    let odd = path.starts_with(b"./") || path.windows(2).any(|w| w == b"//" || w == b"/.");
    if !odd {
        return Cow::Borrowed(path);
    }
    let root: &[u8] = if path.starts_with(b"/") { b"/" } else { b"" };
    let segments = path.split(|byte| *byte == b'/').filter(|s| !s.is_empty() && *s != b".");
    Cow::Owned([root, &segments.collect::<Vec<_>>().join(&b'/')].concat())
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
            ("/x//y/a.rs", "/x/y/a.rs"),
            ("/x/.hidden/a.rs", "/x/.hidden/a.rs"),
            ("../src/a.rs", "../src/a.rs"),
        ] {
            assert_eq!(key(path.as_bytes()), expected.as_bytes());
        }
    }
}
