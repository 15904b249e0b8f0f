//! Learns what each feature counts from questions whose answers are known: `retrieval UNSEEN UNSEEN QUESTIONS.tsv learn`.
//!
//! The right file is to be first among all files, each standing where its best chunk does, and, where a function is asked for,
//! its chunk among all chunks: both as the logarithm of a softmax over the candidates. Weights are not negative and drawn to
//! zero a little. The questions are not those that the ranker is judged by, so nothing else holds the weights back.

use std::collections::BTreeMap;

use proofstone_context::search::{Features, PARTS, QuestionKind, WITHOUT_VECTORS, Weights};

use crate::corpus::{Asked, Project};
use crate::measure::{Looks, mean};

/// Candidates of a question that are learned from, by the weights there are.
const CANDIDATES: usize = 60;
/// A question about a whole file counts so much more than one about a function.
const WHOLE_FILE: f64 = 2.0;
/// What the right chunk counts beside the right file.
const RIGHT_CHUNK: f64 = 0.4;
/// How strongly weights are drawn to zero.
const PULL: f64 = 1e-3;
const STEPS: usize = 600;

/// One question: what its candidates are, and which of them are right.
struct Lesson {
    number: usize,
    weight: f64,
    features: Vec<[f64; PARTS]>,
    /// The first candidate of each one's file, so that candidates of a file know each other.
    files: Vec<usize>,
    in_the_file: Vec<bool>,
    right: Vec<bool>,
}

pub(crate) fn run(looks: &Looks<'_>, projects: &[Project], asked: &[Asked]) {
    let lessons = lessons(looks, asked);
    println!("\nlearned from {} questions of several words", lessons.len());
    for with_vectors in [false, true] {
        let parts = if with_vectors { PARTS } else { WITHOUT_VECTORS };
        let learned = learn(&lessons.iter().collect::<Vec<_>>(), parts);
        println!("{} vectors", if with_vectors { "with" } else { "without" });
        for (name, weight) in Features::NAMES.iter().zip(learned) {
            println!("  {name}: {weight:.2}");
        }
        cross_validate(looks, projects, asked, &lessons, parts);
    }
}

/// What weights are worth that were learned from one half of the projects, on the other half.
fn cross_validate(
    looks: &Looks<'_>,
    projects: &[Project],
    asked: &[Asked],
    lessons: &[Lesson],
    parts: usize,
) {
    let half = |number: usize| asked[number].project % 2;
    let weights = [0, 1].map(|held_out| {
        let others: Vec<&Lesson> = lessons.iter().filter(|l| half(l.number) != held_out).collect();
        Weights {
            sentence: learn(&others, parts).map(|weight| weight as f32),
            ..Weights::default()
        }
    });
    let numbers = || (0..asked.len()).filter(|n| asked[*n].question.kind != QuestionKind::Symbol);
    let mut languages: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for number in numbers() {
        let found = looks.ndcg(number, &weights[half(number)]);
        languages.entry(&projects[asked[number].project].language).or_default().push(found);
    }
    let with_lines = || numbers().filter(|n| !asked[*n].spans.is_empty());
    let hits =
        |within| with_lines().filter(|n| looks.hits_a_span(*n, &weights[half(*n)], within)).count();
    println!(
        "  on the half not learned from: NDCG@10 {:.4} of {}, functions within 1 {}, within 5 {} of {}",
        mean(languages.values().flatten().copied()),
        numbers().count(),
        hits(1),
        hits(5),
        with_lines().count(),
    );
    let shown = languages.iter().map(|(name, found)| (name, mean(found.iter().copied())));
    let shown: Vec<String> = shown.map(|(name, found)| format!("{name} {found:.4}")).collect();
    println!("  by language: {}", shown.join(", "));
}

fn lessons(looks: &Looks<'_>, asked: &[Asked]) -> Vec<Lesson> {
    let of_project = |project| asked.iter().filter(|a| a.project == project).count().max(1) as f64;
    let mut lessons = Vec::new();
    for (number, a) in asked.iter().enumerate() {
        if a.question.kind == QuestionKind::Symbol {
            continue;
        }
        // A project counts by the root of how many questions it has.
        let weight = if a.spans.is_empty() { WHOLE_FILE } else { 1.0 };
        let weight = weight / of_project(a.project).sqrt();
        let mut lesson = Lesson {
            number,
            weight,
            features: Vec::new(),
            files: Vec::new(),
            in_the_file: Vec::new(),
            right: Vec::new(),
        };
        let weights = Weights::default();
        for (features, file, is_wanted, is_right) in looks.best(number, CANDIDATES) {
            let factor = weights.of_kind(features.kind);
            lesson.features.push(features.values().map(|value| f64::from(value * factor)));
            lesson.files.push(file as usize);
            lesson.in_the_file.push(is_wanted);
            lesson.right.push(is_right);
        }
        let files = lesson.files.clone();
        let first = |file| files.iter().position(|other| *other == file).unwrap_or(0);
        lesson.files = files.iter().map(|file| first(*file)).collect();
        if lesson.in_the_file.contains(&true) {
            lessons.push(lesson);
        }
    }
    lessons
}

/// Weights that sum up to how many there are.
fn learn(lessons: &[&Lesson], parts: usize) -> [f64; PARTS] {
    let mut weights = [0.0; PARTS];
    weights[..parts].fill(1.0);
    let (mut mean, mut square) = ([0.0_f64; PARTS], [0.0_f64; PARTS]);
    for step in 1..=STEPS {
        let slope = slope(lessons, &weights);
        let pace = 0.1 * (1.0 - step as f64 / STEPS as f64);
        for n in 0..parts {
            mean[n] = 0.9 * mean[n] + 0.1 * slope[n];
            square[n] = 0.99 * square[n] + 0.01 * slope[n] * slope[n];
            let mean = mean[n] / (1.0 - 0.9_f64.powi(step as i32));
            let square = square[n] / (1.0 - 0.99_f64.powi(step as i32));
            weights[n] = (weights[n] - pace * mean / (square.sqrt() + 1e-8)).max(0.0);
        }
    }
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight * parts as f64 / sum)
}

fn slope(lessons: &[&Lesson], weights: &[f64; PARTS]) -> [f64; PARTS] {
    let mut total = [0.0; PARTS];
    for lesson in lessons {
        let scores: Vec<f64> = lesson.features.iter().map(|f| dot(f, weights)).collect();
        let mut pulls = vec![0.0; scores.len()];
        // Each file by its best chunk alone.
        let best = best_of_files(&scores, &lesson.files);
        let is_best = |n: usize| best[lesson.files[n]] == Some(n);
        add_pulls(&mut pulls, &scores, is_best, |n| lesson.in_the_file[n], 1.0);
        add_pulls(&mut pulls, &scores, |_| true, |n| lesson.right[n], RIGHT_CHUNK);
        for (features, pull) in lesson.features.iter().zip(pulls) {
            total.iter_mut().zip(features).for_each(|(t, f)| *t += f * pull * lesson.weight);
        }
    }
    let all: f64 = lessons.iter().map(|lesson| lesson.weight).sum();
    let mut slope = total.map(|t| t / all);
    slope.iter_mut().zip(weights).for_each(|(s, w)| *s += 2.0 * PULL * w);
    slope
}

/// For the first candidate of each file, its best.
fn best_of_files(scores: &[f64], files: &[usize]) -> Vec<Option<usize>> {
    let mut best: Vec<Option<usize>> = vec![None; scores.len()];
    for (n, file) in files.iter().enumerate() {
        if best[*file].is_none_or(|known| scores[n] > scores[known]) {
            best[*file] = Some(n);
        }
    }
    best
}

/// How the loss changes with each score: the softmax over some candidates less that over the right ones of them.
fn add_pulls(
    pulls: &mut [f64],
    scores: &[f64],
    counts: impl Fn(usize) -> bool,
    is_right: impl Fn(usize) -> bool,
    weight: f64,
) {
    let some: Vec<usize> = (0..scores.len()).filter(|n| counts(*n)).collect();
    let most = some.iter().map(|n| scores[*n]).fold(f64::NEG_INFINITY, f64::max);
    let exp = |n: usize| (scores[n] - most).exp();
    let all: f64 = some.iter().map(|n| exp(*n)).sum();
    let right: f64 = some.iter().filter(|n| is_right(**n)).map(|n| exp(*n)).sum();
    if right > 0.0 {
        for n in some {
            let wanted = if is_right(n) { exp(n) / right } else { 0.0 };
            pulls[n] += weight * (exp(n) / all - wanted);
        }
    }
}

fn dot(a: &[f64; PARTS], b: &[f64; PARTS]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
