//! Paths as a caller writes them, parsed once: relative, no NUL, never above the root by its own words.

use std::path::{Path, PathBuf};

use crate::JailError;

/// Longest path taken, in bytes: what Linux's `PATH_MAX` allows.
const MAX_BYTES: usize = 4096;

/// A relative path that does not climb above its start. Symbolic links are another matter: they are
/// resolved, and checked, when the path is opened.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath {
    text: String,
    components: Vec<String>,
}

impl RelPath {
    /// Parses a path as an outside caller wrote it. Nothing is percent-decoded or normalised: the bytes are
    /// the name.
    pub fn parse(text: &str) -> Result<Self, JailError> {
        let invalid = |reason| JailError::Invalid { path: printable(text), reason };
        if text.is_empty() {
            return Err(invalid("it is empty"));
        }
        if text.contains('\0') {
            return Err(invalid("it contains a NUL character"));
        }
        if text.len() > MAX_BYTES {
            return Err(invalid("it is longer than 4096 bytes"));
        }
        if is_absolute(text) {
            return Err(JailError::Absolute { path: printable(text) });
        }
        let components: Vec<String> =
            text.split('/').filter(|c| !c.is_empty() && *c != ".").map(str::to_owned).collect();
        if climbs_out(text.split(['/', '\\'])) {
            return Err(JailError::Outside { path: printable(text) });
        }
        Ok(Self { text: printable(text), components })
    }

    /// The path as it was written, control characters escaped: safe to print.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names on the path, `..` among them, `.` left out.
    pub(crate) fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.components.iter().map(String::as_str)
    }

    /// The path for the operating system; the root itself is `.`.
    #[cfg(target_os = "linux")]
    pub(crate) fn to_path(&self) -> PathBuf {
        if self.components.is_empty() {
            return PathBuf::from(".");
        }
        self.components.iter().collect()
    }

    /// Whether it goes up anywhere.
    #[cfg(target_os = "linux")]
    pub(crate) fn has_parent_steps(&self) -> bool {
        self.components.iter().any(|c| c == "..")
    }
}

/// `path` as written beneath `root`, where it is an absolute path that starts there.
pub(crate) fn beneath(root: &Path, path: &Path) -> Option<PathBuf> {
    path.strip_prefix(root).ok().map(Path::to_path_buf)
}

/// Absolute on any system: `/x`, `\x`, `\\server\share`, `C:\x`, `C:/x`, `C:x`.
fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_drive = bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && (bytes.len() == 2 || matches!(bytes[2], b'/' | b'\\') || cfg!(windows));
    matches!(bytes[0], b'/' | b'\\') || has_drive
}

/// Whether the steps ever go above where they began. Backslashes count as separators here on every system,
/// so that a path written for Windows is refused for what it means, not looked up as a strange name.
fn climbs_out<'a>(steps: impl Iterator<Item = &'a str>) -> bool {
    let mut depth = 0_i32;
    for step in steps {
        match step {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Control characters escaped and very long paths cut, so that an error message is one readable line.
fn printable(text: &str) -> String {
    const SHOWN: usize = 300;
    let mut out = String::with_capacity(text.len().min(SHOWN));
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN {
            out.push('…');
            break;
        }
        if c.is_control() || is_invisible(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// Characters that show nothing or turn the direction of writing: they disguise names.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: &Expect) {
        let shown = match RelPath::parse(text) {
            Ok(path) => path.components().collect::<Vec<_>>().join(" > "),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn steps_inside_are_kept() {
        check("src/./a//b.rs", &expect!["src > a > b.rs"]);
        check("src/a/../b.rs", &expect!["src > a > .. > b.rs"]);
        check("odd:name/ü.rs", &expect!["odd:name > ü.rs"]);
    }

    #[test]
    fn what_cannot_be_beneath_the_root_is_refused_by_its_words() {
        check("", &expect!["invalid path : it is empty"]);
        check("a\0b", &expect![[r"invalid path a\u{0}b: it contains a NUL character"]]);
        check("a/../../b", &expect!["a/../../b leads outside the project root"]);
        check(r"a\..\..\b", &expect![[r"a\..\..\b leads outside the project root"]]);
        check(
            "/etc/passwd",
            &expect![
                "absolute path /etc/passwd is not allowed: give it relative to the project root"
            ],
        );
        check(
            r"C:\x",
            &expect![[r"absolute path C:\x is not allowed: give it relative to the project root"]],
        );
    }
}
