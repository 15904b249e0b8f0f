//! The code a discovery is about, and whether it is still as it was.

use proofstone_jail::Root;

use crate::index::{analyse, content_hash};
use crate::language::Language;
use crate::text::decode;

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The file, relative to the root.
    pub path: String,
    /// The definition in it, where one was named.
    pub symbol: Option<String>,
    /// Hash of the file, or of the definition's lines, when it was recorded.
    pub hash: String,
    /// The commit that was checked out then.
    pub commit: Option<String>,
}

/// How the code is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorState {
    /// As it was.
    Holds,
    /// Changed since: the discovery may no longer be true.
    Suspect,
    /// The file or the definition is gone.
    Gone,
}

impl AnchorState {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Suspect => "suspect",
            Self::Gone => "gone",
        }
    }
}

impl Anchor {
    /// Takes the code as it is now; `None` where there is no such file or definition.
    pub(super) fn take(root: &Root, path: &str, symbol: Option<&str>) -> Option<Self> {
        let hash = hash_now(root, path, symbol)?;
        let (path, symbol) = (path.to_owned(), symbol.map(str::to_owned));
        Some(Self { path, symbol, hash, commit: head(root) })
    }

    /// Compares with the code as it is now.
    pub(super) fn state(&self, root: &Root) -> AnchorState {
        match hash_now(root, &self.path, self.symbol.as_deref()) {
            None => AnchorState::Gone,
            Some(hash) if hash == self.hash => AnchorState::Holds,
            Some(_) => AnchorState::Suspect,
        }
    }
}

fn hash_now(root: &Root, path: &str, symbol: Option<&str>) -> Option<String> {
    let bytes = root.read(path).ok()?;
    let language = Language::of(path);
    let Some(symbol) = symbol else { return Some(hex(&content_hash(language, &bytes))) };
    let text = decode(bytes)?.text;
    let definitions = analyse(language, &text).definitions;
    let found = definitions.iter().find(|d| d.name == symbol)?;
    let lines = text.lines().skip(found.start_line as usize - 1);
    let body: Vec<&str> = lines.take((found.end_line - found.start_line + 1) as usize).collect();
    Some(hex(&content_hash(language, body.join("\n").as_bytes())))
}

fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex()[..32].to_owned()
}

/// The commit that is checked out, read from git's own files: the jail does not open them, and nothing but a
/// hash leaves here.
fn head(root: &Root) -> Option<String> {
    let git = root.path().join(".git");
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let commit = match head.trim().strip_prefix("ref: ") {
        Some(name) if !name.contains("..") => std::fs::read_to_string(git.join(name)).ok()?,
        Some(_) => return None,
        None => head,
    };
    let commit = commit.trim();
    (commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit())).then(|| commit.to_owned())
}
