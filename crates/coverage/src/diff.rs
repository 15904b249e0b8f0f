//! Unified diffs: which lines were added, and where the others went.

/// What a diff says about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The path before; `None` for a new file.
    pub old: Option<String>,
    /// The path after; `None` for a removed file.
    pub new: Option<String>,
    /// Lines that were added, by their number after.
    pub added: Vec<u32>,
    /// Lines that were removed, by their number before.
    pub removed: Vec<u32>,
    /// Whether git shows no lines because the content is binary.
    pub binary: bool,
}

impl FileDiff {
    /// The path before, if it was another one.
    pub fn renamed_from(&self) -> Option<&str> {
        let (old, new) = (self.old.as_deref()?, self.new.as_deref()?);
        (old != new).then_some(old)
    }
}

/// Why a diff could not be read. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// A hunk header that makes no sense.
    #[error("line {0} of the diff is no hunk header")]
    Header(usize),
    /// A hunk that ends before its header says.
    #[error("line {0} of the diff: the hunk has other lines than its header says")]
    Body(usize),
    /// The diff of a merge.
    #[error(
        "line {0} of the diff: combined diffs of merges can't be used; give the diff against one parent"
    )]
    Combined(usize),
    /// Text without a single file header.
    #[error("the text is no unified diff: it has no `---`/`+++` or `diff --git` line")]
    NoDiff,
}

/// Reads a unified diff, from git or from diff. Empty text is an empty diff.
pub fn parse(text: &str) -> Result<Vec<FileDiff>, DiffError> {
    let mut parser = Parser::default();
    for (at, line) in text.lines().enumerate() {
        parser.line(at + 1, line)?;
    }
    if parser.old_left > 0 || parser.new_left > 0 {
        return Err(DiffError::Body(text.lines().count()));
    }
    if parser.files.is_empty() && !text.trim().is_empty() {
        return Err(DiffError::NoDiff);
    }
    Ok(parser.files)
}

#[derive(Default)]
struct Parser {
    files: Vec<FileDiff>,
    old_line: u32,
    new_line: u32,
    old_left: u32,
    new_left: u32,
    fresh: bool,
}

impl Parser {
    fn line(&mut self, at: usize, line: &str) -> Result<(), DiffError> {
        if self.old_left > 0 || self.new_left > 0 {
            return self.body(at, line);
        }
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.begin(paths);
        } else if line.starts_with("diff --cc ") || line.starts_with("@@@ ") {
            return Err(DiffError::Combined(at));
        } else if let Some(path) = line.strip_prefix("rename from ") {
            self.file().old = Some(unquoted(path));
        } else if let Some(path) = line.strip_prefix("rename to ") {
            self.file().new = Some(unquoted(path));
        } else if line.starts_with("new file mode ") {
            self.file().old = None;
        } else if line.starts_with("deleted file mode ") {
            self.file().new = None;
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            self.file().binary = true;
        } else if let Some(path) = line.strip_prefix("--- ") {
            self.old_header(path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            self.file().new = header_path(path, "b/");
            self.fresh = false;
        } else if line.starts_with("@@ ") && !self.files.is_empty() {
            self.hunk(line).ok_or(DiffError::Header(at))?;
        }
        Ok(())
    }

    /// `a/x b/x`: with the same path twice it can be cut in the middle; a rename says its own.
    fn begin(&mut self, paths: &str) {
        let paths = paths.trim();
        let half = paths.len() / 2;
        let same = (paths.as_bytes().get(half) == Some(&b' '))
            .then(|| (unquoted(&paths[..half]), unquoted(&paths[half + 1..])))
            .map(|(old, new)| (stripped(&old, "a/"), stripped(&new, "b/")))
            .filter(|(old, new)| old == new);
        let (old, new) = same.map_or((None, None), |(old, new)| (Some(old), Some(new)));
        self.files.push(FileDiff { old, new, ..FileDiff::default() });
        self.fresh = true;
    }

    fn old_header(&mut self, path: &str) {
        // A plain diff has no line of its own that begins a file.
        if !self.fresh {
            self.files.push(FileDiff::default());
        }
        self.file().old = header_path(path, "a/");
    }

    fn file(&mut self) -> &mut FileDiff {
        if self.files.is_empty() {
            self.files.push(FileDiff::default());
        }
        self.files.last_mut().expect("one was pushed if there was none")
    }

    /// `@@ -old,count +new,count @@ …`
    fn hunk(&mut self, line: &str) -> Option<()> {
        let mut parts = line.split(' ').skip(1);
        (self.old_line, self.old_left) = extent(parts.next()?.strip_prefix('-')?)?;
        (self.new_line, self.new_left) = extent(parts.next()?.strip_prefix('+')?)?;
        Some(())
    }

    fn body(&mut self, at: usize, line: &str) -> Result<(), DiffError> {
        let (old_line, new_line) = (self.old_line, self.new_line);
        let (old, new) = match line.as_bytes().first() {
            Some(b'+') => {
                self.file().added.push(new_line);
                (0, 1)
            }
            Some(b'-') => {
                self.file().removed.push(old_line);
                (1, 0)
            }
            // Some mailers strip the space of an empty context line.
            Some(b' ') | None => (1, 1),
            Some(b'\\') => (0, 0),
            _ => return Err(DiffError::Body(at)),
        };
        self.old_left = self.old_left.checked_sub(old).ok_or(DiffError::Body(at))?;
        self.new_left = self.new_left.checked_sub(new).ok_or(DiffError::Body(at))?;
        self.old_line = self.old_line.saturating_add(old);
        self.new_line = self.new_line.saturating_add(new);
        Ok(())
    }
}

fn extent(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

fn header_path(text: &str, prefix: &str) -> Option<String> {
    // diff writes the file's time after a tab.
    let text = if text.starts_with('"') { text } else { text.split('\t').next().unwrap_or(text) };
    let path = unquoted(text.trim_end());
    (path != "/dev/null").then(|| stripped(&path, prefix))
}

fn stripped(path: &str, prefix: &str) -> String {
    path.strip_prefix(prefix).unwrap_or(path).to_owned()
}

/// Git quotes unusual names like a C string, with bytes in octal.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'\\' { escaped(&mut rest) } else { byte });
    }
    crate::report::readable_path(&bytes)
}

fn escaped(rest: &mut std::iter::Peekable<std::str::Bytes<'_>>) -> u8 {
    match rest.next() {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(digit @ b'0'..=b'7') => {
            let mut value = u32::from(digit - b'0');
            for _ in 0..2 {
                match rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                    Some(next) => value = value * 8 + u32::from(next - b'0'),
                    None => break,
                }
            }
            value as u8
        }
        Some(other) => other,
        None => b'\\',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_diff() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
                    @@ -1,2 +1,3 @@ fn main\n-old\n+new\n+newer\n same\n@@ -9 +10,0 @@\n-gone\n";
        let files = parse(diff).unwrap();
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].new.as_deref(), Some("src/a.rs"));
        assert_eq!(
            (files[0].added.as_slice(), files[0].removed.as_slice()),
            (&[1, 2][..], &[1, 9][..])
        );
    }

    #[test]
    fn renames_new_removed_and_odd_names() {
        let diff = "diff --git a/old.rs b/new.rs\nsimilarity index 90%\nrename from old.rs\nrename to new.rs\n\
                    --- a/old.rs\n+++ b/new.rs\n@@ -1 +1 @@\n-a\n+b\n\
                    diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n\
                    diff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n\
                    diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\n--- \"a/caf\\303\\251\"\n+++ \"b/caf\\303\\251\"\n@@ -1 +1 @@\n-a\n+b\n\
                    diff --git a/pic.png b/pic.png\nBinary files a/pic.png and b/pic.png differ\n";
        let files = parse(diff).unwrap();
        let names: Vec<_> = files.iter().map(|f| (f.old.as_deref(), f.new.as_deref())).collect();
        assert_eq!(
            names,
            [
                (Some("old.rs"), Some("new.rs")),
                (None, Some("x")),
                (Some("y"), None),
                (Some("café"), Some("café")),
                (Some("pic.png"), Some("pic.png")),
            ]
        );
        assert_eq!(files[0].renamed_from(), Some("old.rs"));
        assert!(files[4].binary);
    }

    #[test]
    fn a_plain_diff_of_two_files() {
        let diff = "--- one.c\t2026-01-01\n+++ one.c\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n--- two.c\n+++ two.c\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        let files = parse(diff).unwrap();
        assert_eq!(files.iter().map(|f| f.added.len()).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn what_is_no_diff_is_refused() {
        assert_eq!(parse(""), Ok(vec![]));
        assert_eq!(parse("hello"), Err(DiffError::NoDiff));
        assert_eq!(parse("--- a\n+++ b\n@@ -x +1 @@\n"), Err(DiffError::Header(3)));
        assert_eq!(parse("--- a\n+++ b\n@@ -1 +1 @@\n-a\n"), Err(DiffError::Body(4)));
        assert_eq!(parse("--- a\n+++ b\n@@ -1 +1 @@\nzzz\n"), Err(DiffError::Body(4)));
        assert_eq!(parse("diff --cc a\n"), Err(DiffError::Combined(1)));
    }
}
