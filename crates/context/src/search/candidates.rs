//! Which chunks are looked at closely.

use super::features::FileFacts;
use super::score::Scores;
use crate::index::{DocId, View};

/// Chunks that are looked at closely.
const CANDIDATES: usize = 400;

/// A chunk, and a file that holds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) id: DocId,
    pub(crate) chunk: u32,
    pub(crate) file: u32,
}

/// Which files may answer.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only files of this module: a folder's name anywhere on the path, or the file's own name.
    pub module: Option<String>,
}

impl Filter {
    fn allows(&self, path: &str) -> bool {
        self.module.as_deref().is_none_or(|module| crate::module::contains(module, path))
    }
}

/// Chunks worth a closer look: those with the best scores, those that define a name asked for, and the best
/// chunk of each file whose name answers.
pub(crate) fn candidates(
    view: &View,
    scores: &Scores,
    facts: &FileFacts,
    nearest: &[(u32, u32, f32)],
    filter: &Filter,
) -> (Vec<Place>, usize) {
    let mut rough: Vec<(f32, Place)> = Vec::new();
    let enough = CANDIDATES * 4;
    let (least, total) = least_of_best(scores, enough);
    let least = if filter.module.is_none() { least } else { 0.0 };
    let add = |rough: &mut Vec<_>, segment: u32, chunk: u32, score: f32| {
        let doc = view.segments[segment as usize].chunk(chunk).doc;
        let id = DocId { segment, doc };
        for file in view.holders(id).files() {
            if filter.allows(&view.files()[*file as usize].path) {
                rough.push((score, Place { id, chunk, file: *file }));
            }
        }
    };
    for (segment, chunks) in scores.chunks.iter().enumerate() {
        let scored = chunks.iter().enumerate().filter(|(_, score)| score.text > 0.0);
        for (chunk, score) in scored.filter(|(_, score)| score.rough() >= least) {
            add(&mut rough, segment as u32, chunk as u32, score.rough());
        }
    }
    let total = if filter.module.is_none() { total } else { rough.len() };
    for ((segment, chunk), sure) in &facts.defining {
        add(&mut rough, *segment, *chunk, scores.best_possible * (1.0 + sure));
    }
    for file in facts.files_by_stem() {
        if let Some(id) = view.doc(file) {
            let best = best_chunk(view, scores, id);
            if let Some((chunk, score)) = best {
                add(&mut rough, id.segment, chunk, scores.best_possible * 0.5 + score);
            }
        }
    }
    for (segment, chunk, near) in nearest {
        add(&mut rough, *segment, *chunk, scores.best_possible * (0.5 + near));
    }
    // Only the best are put in order; all that are as good as the last of them stay, so that ties are decided below.
    if rough.len() > enough {
        let (_, last, _) = rough.select_nth_unstable_by(enough, |a, b| b.0.total_cmp(&a.0));
        let least = last.0;
        rough.retain(|entry| entry.0 >= least);
    }
    // Ties go by path and place, never by where a segment happens to keep a document.
    let start = |place: &Place| view.segment(place.id).chunk(place.chunk).start_line;
    rough.sort_by(|(a_score, a), (b_score, b)| {
        let by_file = b_score.total_cmp(a_score).then(a.file.cmp(&b.file));
        by_file.then_with(|| start(a).cmp(&start(b)))
    });
    let mut seen = rustc_hash::FxHashSet::default();
    let places = rough.into_iter().map(|(_, place)| place);
    let kept = places.filter(|place| seen.insert((place.file, place.chunk))).take(CANDIDATES);
    (kept.collect(), total)
}

/// What the first chunk after the best ones scores by words, and how many have any of the words. What can't be among the best
/// any more is let go from time to time, so that few numbers are kept.
fn least_of_best(scores: &Scores, best: usize) -> (f32, usize) {
    let (mut total, mut least) = (0, 0.0);
    let mut rough: Vec<f32> = Vec::with_capacity(best * 4);
    for score in scores.chunks.iter().flatten().filter(|score| score.text > 0.0) {
        total += 1;
        if score.rough() >= least {
            rough.push(score.rough());
        }
        if rough.len() == best * 4 {
            least = cut_after(&mut rough, best);
        }
    }
    if total <= best { (0.0, total) } else { (cut_after(&mut rough, best), total) }
}

/// Keeps the best and the one after them, which is returned.
fn cut_after(rough: &mut Vec<f32>, best: usize) -> f32 {
    if rough.len() > best {
        let (_, least, _) = rough.select_nth_unstable_by(best, |a, b| b.total_cmp(a));
        let least = *least;
        rough.truncate(best + 1);
        return least;
    }
    0.0
}

fn best_chunk(view: &View, scores: &Scores, id: DocId) -> Option<(u32, f32)> {
    let chunks = view.segment(id).doc_chunks(id.doc);
    let scored = chunks.map(|c| (c, scores.chunks[id.segment as usize][c as usize].text));
    scored.fold(None, |best: Option<(u32, f32)>, this| match best {
        Some(best) if best.1 >= this.1 => Some(best),
        _ => Some(this),
    })
}
