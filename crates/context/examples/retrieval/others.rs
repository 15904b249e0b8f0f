//! The ranker with another model's vectors in place of ours: `texts OUT` writes what is to be embedded, `likeness FILE` reads
//! how alike everything is. `bench/retrieval/other_models.py` stands between the two and says what the files hold.

use std::io::Write;
use std::path::Path;

use proofstone_context::index::{ChunkSpan, FileEntry};
use proofstone_context::search::{Likeness, WITHOUT_VECTORS, Weights};
use serde_json::json;

use crate::corpus::{Asked, Project};
use crate::measure::report;

/// Writes each project's chunks, paths and questions, one line of JSON a project.
pub(crate) fn write_texts(projects: &[Project], asked: &[Asked], out: &Path) {
    let mut out = std::io::BufWriter::new(std::fs::File::create(out).unwrap());
    for (number, project) in projects.iter().enumerate() {
        let texts: Vec<String> =
            project.view.chunk_places().map(|place| text(project, place)).collect();
        let paths: Vec<&str> = project.view.files().iter().map(|file| file.path.as_str()).collect();
        let mine = asked.iter().filter(|a| a.project == number);
        let questions: Vec<&str> = mine.map(|a| a.text.as_str()).collect();
        let line = json!({ "name": project.name, "chunks": texts, "paths": paths, "questions": questions });
        writeln!(out, "{line}").unwrap();
    }
}

/// A chunk with its path before it.
fn text(project: &Project, (file, span): (&FileEntry, ChunkSpan)) -> String {
    let bytes = std::fs::read(project.folder.join(&file.path)).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let count = (span.end_line - span.start_line + 1) as usize;
    let lines: Vec<&str> = text.lines().skip(span.start_line as usize - 1).take(count).collect();
    format!("{}\n{}", file.path, lines.join("\n"))
}

/// How strongly another model's vectors count beside ours: what its likenesses are like is its own affair.
const STRENGTHS: [f32; 5] = [0.15, 0.3, 0.5, 1.0, 1.5];

/// Measures the ranker by another model's likenesses.
pub(crate) fn run(projects: &[Project], asked: &mut [Asked], file: &Path) {
    read_likeness(projects, asked, file);
    report("vectors alone", projects, asked, &Weights::vectors_only());
    for strength in STRENGTHS {
        let mut weights = Weights::default();
        let vectors = weights.name[WITHOUT_VECTORS..]
            .iter_mut()
            .chain(&mut weights.sentence[WITHOUT_VECTORS..]);
        vectors.for_each(|weight| *weight *= strength);
        report(&format!("the ranker with {strength} of them"), projects, asked, &weights);
    }
}

/// Reads how alike each question is to its project's chunks and paths.
fn read_likeness(projects: &[Project], asked: &mut [Asked], file: &Path) {
    let bytes = std::fs::read(file).unwrap();
    let (numbers, _) = bytes.as_chunks::<4>();
    let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    for (number, project) in projects.iter().enumerate() {
        let (chunks, paths) = (project.view.chunk_places().count(), project.view.files().len());
        for a in asked.iter_mut().filter(|a| a.project == number) {
            a.likeness = Some(Likeness {
                chunks: numbers.by_ref().take(chunks).collect(),
                paths: numbers.by_ref().take(paths).collect(),
            });
        }
    }
}
