//! Reading one file: whole or in part, with what it imports, and only what changed when it was read before.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use proofstone_jail::{JailError, LineRange, Root};

use crate::imports::{self, Resolved, SyntaxFault};
use crate::language::Language;
use crate::text::{Decoding, count_lines, decode};

/// The most bytes of dependencies that are returned with a file.
const DEPENDENCY_BYTES: usize = 256 * 1024;
/// Bytes of earlier readings kept, to tell what changed since.
const REMEMBERED_BYTES: usize = 32 << 20;

/// A file as it was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Path with links resolved.
    pub path: String,
    /// The text, or the part asked for.
    pub text: String,
    /// Names the whole content; `None` for a part of a file too large to read whole.
    pub tag: Option<String>,
    /// Bytes of the whole file.
    pub size: u64,
    /// Lines of the text returned.
    pub lines: u64,
    /// First line returned, 1-based.
    pub start_line: u64,
    /// Whether the file ends with the text returned.
    pub reaches_end: bool,
    /// Last written.
    pub modified: Option<SystemTime>,
    /// The language by its name.
    pub language: Option<Language>,
    /// What a reader should know about the text.
    pub notes: Vec<String>,
}

/// Reads a file, or a range of its lines.
pub fn read(root: &Root, path: &str, range: Option<LineRange>) -> Result<Reading, JailError> {
    let file = root.open_file(path)?;
    let (resolved, size, modified) = (file.resolved().to_owned(), file.size(), file.modified());
    let limit = root.policy().max_bytes();
    let (bytes, tag, start_line, reaches_end, cut) = match range {
        None => {
            let bytes = file.read_all(limit)?;
            let tag = tag(&bytes);
            (bytes, Some(tag), 1, true, false)
        }
        Some(range) => {
            let part = file.read_lines(range, limit)?;
            let tag = whole_tag(root, path, size, limit);
            (part.bytes, tag, range.start, part.reaches_end, part.cut)
        }
    };
    let mut notes = Vec::new();
    if cut {
        notes.push(format!("the range was cut at {limit} bytes: ask for fewer lines"));
    }
    let text = shown_text(bytes, &mut notes);
    let language = Language::of(&resolved);
    let lines = count_lines(&text);
    if lines == 0 && start_line > 1 {
        notes.push(format!("the file ends before line {start_line}"));
    }
    Ok(Reading {
        path: resolved,
        text,
        tag,
        size,
        lines,
        start_line,
        reaches_end,
        modified,
        language,
        notes,
    })
}

fn whole_tag(root: &Root, path: &str, size: u64, limit: u64) -> Option<String> {
    if size > limit { None } else { root.read(path).ok().map(|bytes| tag(&bytes)) }
}

fn tag(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

fn shown_text(bytes: Vec<u8>, notes: &mut Vec<String>) -> String {
    let Some(text) = decode(bytes) else {
        notes.push("not text: only what is known about the file is returned".to_owned());
        return String::new();
    };
    match text.decoding {
        Decoding::Utf8 => {}
        Decoding::Utf16 => notes.push("decoded from UTF-16".to_owned()),
        Decoding::Lossy => {
            notes.push("not valid UTF-8: the bytes that are not stand as U+FFFD".to_owned());
        }
    }
    text.text
}

/// What a file imports.
#[derive(Debug, Clone, Default)]
pub struct Dependencies {
    /// Files of the project, in the order they are imported.
    pub files: Vec<Dependency>,
    /// Packages from outside, by name.
    pub external: Vec<String>,
    /// Imports of the project's own that lead nowhere.
    pub unresolved: Vec<String>,
    /// Where the file stops being readable, if it does.
    pub fault: Option<SyntaxFault>,
}

/// One imported file.
#[derive(Debug, Clone)]
pub struct Dependency {
    /// Path relative to the root.
    pub path: String,
    /// How it is imported.
    pub kind: &'static str,
    /// Its text, unless there was no room for it or it can't be read.
    pub text: Option<String>,
    /// Why it has no text.
    pub left_out: Option<String>,
}

/// The imports of a text, resolved, with their own texts as far as there is room.
pub fn dependencies(root: &Root, reading: &Reading, with_text: bool) -> Dependencies {
    let mut found = Dependencies::default();
    let Some(language) = reading.language.filter(|l| imports::understands(*l)) else {
        return found;
    };
    let (written, fault) = imports::written(language, &reading.text);
    found.fault = fault;
    for import in written {
        match imports::resolve(root, language, &reading.path, &reading.text, &import) {
            Resolved::Files(files) => {
                let kind = if import.kind == "member" { "import" } else { import.kind };
                for path in files {
                    if path != reading.path && !found.files.iter().any(|known| known.path == path) {
                        found.files.push(Dependency { path, kind, text: None, left_out: None });
                    }
                }
            }
            Resolved::External(name) => note_once(&mut found.external, name),
            Resolved::Missing => note_once(&mut found.unresolved, import.target),
        }
    }
    if with_text {
        fill(root, &mut found.files);
    }
    found
}

fn note_once(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

fn fill(root: &Root, files: &mut [Dependency]) {
    let mut room = DEPENDENCY_BYTES;
    for file in files {
        match read(root, &file.path, None) {
            Ok(reading) if reading.text.len() <= room => {
                room -= reading.text.len();
                file.text = Some(reading.text);
            }
            Ok(reading) => {
                file.left_out = Some(format!(
                    "{} bytes, more than is left of {DEPENDENCY_BYTES} for all dependencies: read it by itself",
                    reading.size
                ));
            }
            Err(error) => file.left_out = Some(error.to_string()),
        }
    }
}

/// Texts that were read before, by their tags, so that the next reading can tell what changed.
#[derive(Debug, Default)]
pub struct Readings {
    kept: Mutex<VecDeque<(String, String)>>,
}

impl Readings {
    /// Keeps a text; the oldest ones give way.
    pub fn keep(&self, tag: &str, text: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| known != tag);
        kept.push_back((tag.to_owned(), text.to_owned()));
        let mut bytes: usize = kept.iter().map(|(_, text)| text.len()).sum();
        while bytes > REMEMBERED_BYTES {
            bytes -= kept.pop_front().map_or(bytes, |(_, text)| text.len());
        }
    }

    /// The difference from the text with this tag to another; `None` when that text is not kept.
    pub fn difference(&self, tag: &str, path: &str, text: &str) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, before) = kept.iter().find(|(known, _)| known == tag)?;
        let diff = similar::TextDiff::from_lines(before.as_str(), text);
        Some(
            diff.unified_diff()
                .context_radius(3)
                .header(&format!("a/{path}"), &format!("b/{path}"))
                .to_string(),
        )
    }
}
