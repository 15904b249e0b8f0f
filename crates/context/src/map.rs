//! The map of a project: its most connected definitions, within a budget.
//!
//! A file that uses a name which another one defines points to it. Files that many point to rank high, the more
//! so the higher those rank; a name that is defined in many places says little.

use rustc_hash::FxHashMap;

use crate::index::View;
use crate::search::PathKind;
use crate::syntax::{Definition, DefinitionKind};

/// Steps of the ranking; it settles long before.
const STEPS: usize = 20;
const DAMPING: f64 = 0.85;
/// Names defined in more files than this are everybody's.
const COMMON: usize = 8;

/// A file on the map.
#[derive(Debug, Clone)]
pub struct MappedFile {
    /// Path relative to the root.
    pub path: String,
    /// Its share of all connections, 0 to 1.
    pub rank: f64,
    /// Its definitions that others use, in the order they stand.
    pub definitions: Vec<MappedDefinition>,
}

/// A definition on the map.
#[derive(Debug, Clone)]
pub struct MappedDefinition {
    /// What is defined.
    pub definition: Definition,
    /// How many other files use its name.
    pub used_by: usize,
}

/// Ranks files by how they are connected. `focus` are files the reader cares about; what they use comes first.
pub fn map(view: &View, within: Option<&str>, focus: &[String]) -> Vec<MappedFile> {
    let (edges, used) = connections(view);
    let ranks = rank(view.files().len(), &edges, &focus_weights(view, focus));
    let mut files: Vec<MappedFile> = Vec::new();
    for (number, file) in view.files().iter().enumerate() {
        let in_scope = within.is_none_or(|module| crate::module::contains(module, &file.path));
        let Some(id) = view.doc(number as u32).filter(|_| in_scope) else { continue };
        let shown = |d: Definition| {
            let used_by = used.get(&(number as u32, d.name.clone())).copied().unwrap_or(0);
            (used_by > 0 && d.kind != DefinitionKind::Variable && d.kind != DefinitionKind::Section)
                .then_some(MappedDefinition { definition: d, used_by })
        };
        let definitions: Vec<MappedDefinition> =
            view.segment(id).doc_definitions(id.doc).filter_map(shown).collect();
        let is_test = PathKind::of(&file.path) == PathKind::Test;
        if !definitions.is_empty() && !is_test {
            files.push(MappedFile { path: file.path.clone(), rank: ranks[number], definitions });
        }
    }
    files.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.path.cmp(&b.path)));
    files
}

type Edges = FxHashMap<(u32, u32), f64>;
type Used = FxHashMap<(u32, String), usize>;

/// Who uses whose names: edges from the user to the definer, and for each name how many files use it.
fn connections(view: &View) -> (Edges, Used) {
    let mut definers: FxHashMap<String, Vec<u32>> = FxHashMap::default();
    for (number, _) in view.files().iter().enumerate() {
        let Some(id) = view.doc(number as u32) else { continue };
        for d in view.segment(id).doc_definitions(id.doc) {
            let telling = d.name.len() > 3 && d.kind.is_main();
            let files = definers.entry(d.name).or_default();
            if telling && files.last() != Some(&(number as u32)) {
                files.push(number as u32);
            }
        }
    }
    let (mut edges, mut used) = (Edges::default(), Used::default());
    for (name, files) in
        definers.into_iter().filter(|(_, files)| !files.is_empty() && files.len() <= COMMON)
    {
        let users = users_of(view, &name);
        for definer in &files {
            let others = users.iter().filter(|user| *user != definer);
            for user in others {
                *edges.entry((*user, *definer)).or_default() += 1.0 / files.len() as f64;
                *used.entry((*definer, name.clone())).or_default() += 1;
            }
        }
    }
    (edges, used)
}

/// Files in which the name stands as a word of its own.
fn users_of(view: &View, name: &str) -> Vec<u32> {
    let tokens = crate::tokens::unique_tokens(name);
    // An identifier's last word is the whole of it.
    let Some(whole) = tokens.last() else { return Vec::new() };
    let mut users = Vec::new();
    for (number, segment) in view.segments.iter().enumerate() {
        let mut last = None;
        for posting in segment.postings(whole).filter(|p| p.count > p.named) {
            let doc = segment.chunk(posting.chunk).doc;
            if last != Some(doc) {
                last = Some(doc);
                users.extend(
                    view.holders(crate::index::DocId { segment: number as u32, doc }).files(),
                );
            }
        }
    }
    users.sort_unstable();
    users.dedup();
    users
}

fn focus_weights(view: &View, focus: &[String]) -> Vec<(u32, f64)> {
    focus.iter().filter_map(|path| view.file_number(path)).map(|file| (file, 1.0)).collect()
}

/// PageRank, leaning towards what the focus uses.
fn rank(count: usize, edges: &Edges, focus: &[(u32, f64)]) -> Vec<f64> {
    let base = 1.0 / count.max(1) as f64;
    let mut start = vec![if focus.is_empty() { base } else { 0.2 * base }; count];
    for (file, _) in focus {
        start[*file as usize] += 0.8 / focus.len() as f64;
    }
    let mut out = vec![0.0; count];
    for ((from, _), weight) in edges {
        out[*from as usize] += weight;
    }
    let mut ordered: Vec<(&(u32, u32), &f64)> = edges.iter().collect();
    ordered.sort_unstable_by_key(|(edge, _)| **edge);
    let mut ranks = start.clone();
    for _ in 0..STEPS {
        let mut next: Vec<f64> = start.iter().map(|s| s * (1.0 - DAMPING)).collect();
        for ((from, to), weight) in &ordered {
            next[*to as usize] += DAMPING * ranks[*from as usize] * **weight / out[*from as usize];
        }
        let idle: f64 = (0..count).filter(|n| out[*n] == 0.0).map(|n| ranks[n]).sum();
        next.iter_mut().zip(&start).for_each(|(n, s)| *n += DAMPING * idle * s);
        ranks = next;
    }
    ranks
}
