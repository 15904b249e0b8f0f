//! Measures retrieval: `retrieval QUESTIONS_DIR CORPUS_DIR [misses] [ablate] [tune] [SPANS.tsv]`.
//!
//! `QUESTIONS_DIR` holds `repos.json` and one file of questions for each project; `CORPUS_DIR` holds one folder
//! for each project. Prints NDCG@10, recall@10 and the mean reciprocal rank over files, by category and language, for
//! BM25 alone, the ranker without vectors, vectors alone, and both. `ablate` takes parts away; `tune` looks for weights
//! and says what they are worth on projects they were not chosen on. A file of spans is measured instead of the questions.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program for developers")]

mod corpus;
mod measure;
mod spans;
mod tune;

use std::path::Path;
use std::time::Instant;

use corpus::{Asked, Project, load};
use measure::{Looks, report};
use proofstone_context::search::{Filter, PARTS, WITHOUT_VECTORS, Weights, search};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [questions, corpus, rest @ ..] = arguments.as_slice() else {
        println!("usage: retrieval QUESTIONS_DIR CORPUS_DIR [misses] [ablate] [tune] [SPANS.tsv]");
        return;
    };
    let (projects, mut asked) = load(Path::new(questions), Path::new(corpus));
    if let Some(file) = rest.iter().find(|given| Path::new(given).is_file()) {
        asked = spans::load(Path::new(file), &projects);
        println!("{} questions of {file}", asked.len());
    }
    let wants = |word: &str| rest.iter().any(|given| given == word);
    for (title, weights) in [
        ("BM25 alone", Weights::bm25_only()),
        ("the ranker without vectors", Weights::without_vectors()),
        ("vectors alone", Weights::vectors_only()),
        ("the ranker with vectors", Weights::default()),
    ] {
        report(title, &projects, &asked, &weights);
    }
    time_queries(&projects, &asked);
    if wants("ablate") {
        ablate(&projects, &asked);
    }
    if wants("misses") {
        misses(&projects, &asked, &Weights::default());
    }
    if wants("tune") {
        tune::run(&projects, &asked);
    }
}

/// What each part is worth: the ranker with it taken away.
fn ablate(projects: &[Project], asked: &[Asked]) {
    let looks = Looks::at(projects, asked, Weights::default().bm25);
    let names = [
        "text",
        "coverage",
        "file",
        "names",
        "file name",
        "folder",
        "definition",
        "vector of the chunk",
        "vectors of the file",
        "vector of the path",
    ];
    println!("\nwithout one part (all: {:.4})", looks.mean_ndcg(&Weights::default()));
    for (part, name) in names.iter().enumerate().take(PARTS) {
        let mut weights = Weights::default();
        weights.parts.iter_mut().for_each(|parts| parts[part] = 0.0);
        println!("  {name}: {:.4}", looks.mean_ndcg(&weights));
    }
    let mut weights = Weights::default();
    weights.parts.iter_mut().for_each(|parts| parts[WITHOUT_VECTORS..].fill(0.0));
    println!("  all vectors, other weights kept: {:.4}", looks.mean_ndcg(&weights));
    let weights = Weights { repeat: 1.0, ..Weights::default() };
    println!("  further spans counting as much: {:.4}", looks.mean_ndcg(&weights));
    let weights = Weights { kinds: [1.0; 8], ..Weights::default() };
    println!("  tests and the like counting as much: {:.4}", looks.mean_ndcg(&weights));
}

fn time_queries(projects: &[Project], asked: &[Asked]) {
    let weights = Weights::default();
    let time = |a: &Asked| {
        let started = Instant::now();
        let _ = search(&projects[a.project].view, &a.question, &Filter::default(), &weights, 10);
        started.elapsed().as_secs_f64() * 1e3
    };
    let mut times: Vec<f64> = asked.iter().map(time).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[times.len() * share / 100];
    println!("\nquery p50 {:.3} ms, p99 {:.3} ms", at(50), at(99));
}

fn misses(projects: &[Project], asked: &[Asked], weights: &Weights) {
    let looks = Looks::at(projects, asked, weights.bm25);
    for (number, a) in asked.iter().enumerate() {
        let score = looks.ndcg(number, weights);
        if score >= 0.7 {
            continue;
        }
        println!(
            "{score:.2} {} {:?} {:?} wanted {:?}",
            projects[a.project].name, a.question.kind, a.question.terms, a.wanted
        );
        let found = search(&projects[a.project].view, &a.question, &Filter::default(), weights, 5);
        for h in found.0 {
            println!(
                "      {:.3} {} {}-{} {:?}",
                h.score, h.path, h.span.start_line, h.span.end_line, h.features
            );
        }
    }
}
