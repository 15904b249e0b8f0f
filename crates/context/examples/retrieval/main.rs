//! Measures retrieval: `retrieval QUESTIONS_DIR CORPUS_DIR [misses] [ablate] [model FILE] [texts FILE] [likeness FILE]
//! [TABLE.tsv]`, and learns from it: `retrieval learn SET... [model FILE]`, where a SET is
//! `QUESTIONS_DIR,CORPUS_DIR` or `QUESTIONS_DIR,CORPUS_DIR,TABLE.tsv`.
//!
//! `QUESTIONS_DIR` holds `repos.json` and one file of questions for each project, or there is a table of questions (`table.rs`) in their
//! place; `CORPUS_DIR` holds one folder for each project. Prints NDCG@10, recall@10 and the mean reciprocal rank over files, by
//! category and language, for BM25 alone, the ranker without vectors, vectors alone, and both. `ablate` takes parts
//! away; `learn` says what each feature should count by all of the sets together (`learn.rs`); `model` measures another file of
//! `training/export.py`; `texts` and `likeness` put another model in place of ours (`others.rs`).

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program for developers")]

mod corpus;
mod learn;
mod measure;
mod others;
mod table;

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use corpus::{Asked, Project, load};
use measure::{Looks, report};
use proofstone_context::embed::Model;
use proofstone_context::search::{Features, Filter, WITHOUT_VECTORS, Weights, search};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [questions, corpus, rest @ ..] = arguments.as_slice() else {
        println!(
            "usage: retrieval QUESTIONS_DIR CORPUS_DIR [misses] [ablate] [model FILE] [texts FILE] [likeness FILE] [TABLE.tsv]"
        );
        println!("       retrieval learn QUESTIONS_DIR,CORPUS_DIR[,TABLE.tsv]... [model FILE]");
        return;
    };
    let after = |word: &str| {
        let place = rest.iter().position(|given| given == word)?;
        rest.get(place + 1).map(Path::new)
    };
    if let Some(file) = after("model") {
        let bytes = std::fs::read(file).unwrap();
        assert!(Model::replace(bytes.leak()), "{} is no model of this size", file.display());
    }
    if questions == "learn" {
        let sets = arguments[1..].iter().take_while(|given| *given != "model");
        return learn::run(&sets.map(|set| learn::Set::load(set)).collect::<Vec<_>>());
    }
    let is_table = |given: &&String| Path::new(given).extension() == Some(OsStr::new("tsv"));
    let table = rest.iter().find(is_table);
    let (projects, mut asked) = load(Path::new(questions), Path::new(corpus), table.map(Path::new));
    if let Some(out) = after("texts") {
        return others::write_texts(&projects, &asked, out);
    }
    if let Some(file) = after("likeness") {
        return others::run(&projects, &mut asked, file);
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
}

/// What each part is worth: the ranker with it taken away.
fn ablate(projects: &[Project], asked: &[Asked]) {
    let looks = Looks::at(projects, asked, Weights::default().bm25);
    println!("\nwithout one part (all: {:.4})", looks.mean_ndcg(&Weights::default()));
    for (part, name) in Features::NAMES.iter().enumerate() {
        let mut weights = Weights::default();
        (weights.name[part], weights.sentence[part]) = (0.0, 0.0);
        println!("  {name}: {:.4}", looks.mean_ndcg(&weights));
    }
    let mut weights = Weights::default();
    weights.name[WITHOUT_VECTORS..].fill(0.0);
    weights.sentence[WITHOUT_VECTORS..].fill(0.0);
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
