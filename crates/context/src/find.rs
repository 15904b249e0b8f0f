//! Answers from the index, each verified against the file it speaks of.

use std::time::{Instant, SystemTime};

use proofstone_jail::Root;
use rustc_hash::FxHashMap;

use crate::index::{ContentHash, Index, Progress, Readiness, StoreError, View, content_hash};
use crate::language::Language;
use crate::project::Project;
use crate::search::{Filter, Hit, Question, Weights, search};
use crate::text::decode;

/// How often a search is repeated because a file changed under it.
const TRIES: usize = 3;
/// Longest excerpt, in lines and in bytes.
const EXCERPT_LINES: usize = 80;
const EXCERPT_BYTES: usize = 4_000;

/// A result that was true when it was given.
#[derive(Debug, Clone)]
pub struct CodeHit {
    /// Where and why.
    pub hit: Hit,
    /// The lines, perhaps cut at the end.
    pub excerpt: String,
    /// Whether they were cut.
    pub cut: bool,
    /// Hash of the content this was computed from and verified against.
    pub content: ContentHash,
    /// When the file was last written.
    pub modified: Option<SystemTime>,
    /// Other files with the same content.
    pub also_at: Vec<String>,
    /// How alike its vector is to the question's, 0 to 1, where there are vectors.
    pub likeness: Option<f32>,
}

/// What was found, and in how much of the project.
#[derive(Debug, Clone)]
pub struct Found {
    /// The results, best first.
    pub hits: Vec<CodeHit>,
    /// How many chunks had anything to do with the question.
    pub total: usize,
    /// How much of the project was searched.
    pub readiness: Readiness,
}

/// Searches the project's code. A file that changed since it was indexed is read again first.
pub fn find(
    project: &Project,
    question: &Question,
    filter: &Filter,
    limit: usize,
    until: Instant,
    tell: &(dyn Fn(Progress) + Sync),
) -> Result<Found, StoreError> {
    let (index, mut readiness) = project.fresh_index(until, tell)?;
    for _ in 0..TRIES {
        let view = index.view();
        // A few more than asked for, because copies of one content become one result.
        let (hits, total) = search(&view, question, filter, &Weights::default(), limit * 2 + 10);
        let verified: Vec<Option<CodeHit>> = merge_copies(&view, hits)
            .into_iter()
            .take(limit)
            .map(|hit| verify(project.root(), &view, hit))
            .collect();
        if verified.iter().all(Option::is_some) || Instant::now() >= until {
            let hits = verified.into_iter().flatten().collect();
            return Ok(Found { hits, total, readiness });
        }
        readiness = reread(project, &index)?;
    }
    let view = index.view();
    let (hits, total) = search(&view, question, filter, &Weights::default(), limit);
    let hits = merge_copies(&view, hits)
        .into_iter()
        .filter_map(|hit| verify(project.root(), &view, hit))
        .collect();
    Ok(Found { hits, total, readiness })
}

fn reread(project: &Project, index: &Index) -> Result<Readiness, StoreError> {
    index.refresh(project.root(), &std::sync::atomic::AtomicBool::new(false), &|_| {})
}

/// The same lines of the same content at several paths are one result.
fn merge_copies(view: &View, hits: Vec<Hit>) -> Vec<(Hit, Vec<String>)> {
    let mut places: FxHashMap<(ContentHash, u32), usize> = FxHashMap::default();
    let mut merged: Vec<(Hit, Vec<String>)> = Vec::new();
    for hit in hits {
        let content = view.files()[hit.file as usize].state.hash().unwrap_or_default();
        if let Some(place) = places.get(&(content, hit.span.start_line)) {
            merged[*place].1.push(hit.path);
        } else {
            places.insert((content, hit.span.start_line), merged.len());
            merged.push((hit, Vec::new()));
        }
    }
    merged
}

/// Reads the lines of a hit; `None` when the file is no longer what was indexed.
fn verify(root: &Root, view: &View, (hit, also_at): (Hit, Vec<String>)) -> Option<CodeHit> {
    let content = view.files()[hit.file as usize].state.hash()?;
    let file = root.open_file(&hit.path).ok()?;
    let modified = file.modified();
    let bytes = file.read_all(root.policy().max_bytes()).ok()?;
    if content_hash(Language::of(&hit.path), &bytes) != content {
        return None;
    }
    let (excerpt, cut) = excerpt(&decode(bytes)?.text, hit.span.start_line, hit.span.end_line);
    Some(CodeHit { hit, excerpt, cut, content, modified, also_at, likeness: None })
}

fn excerpt(text: &str, start: u32, end: u32) -> (String, bool) {
    let mut out = String::new();
    let wanted = end.saturating_sub(start) as usize + 1;
    for (count, line) in
        text.split_inclusive('\n').skip((start as usize).saturating_sub(1)).take(wanted).enumerate()
    {
        if count == EXCERPT_LINES || out.len() + line.len() > EXCERPT_BYTES {
            if out.is_empty() {
                out.extend(line.chars().take(EXCERPT_BYTES / 4));
            }
            return (out, true);
        }
        out.push_str(line);
    }
    (out.trim_end_matches(['\n', '\r']).to_owned(), false)
}
