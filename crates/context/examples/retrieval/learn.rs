//! Learns what each feature counts from questions whose answers are known: `retrieval learn SET...`. Each set counts as much as
//! another, however many questions it has.
//!
//! The right file is to be first among all files, each standing where its best chunk does, and, where a function is asked for,
//! its chunk among all chunks: both as the logarithm of a softmax over the candidates. Weights are not negative and drawn to
//! zero a little. What the weights are worth is said of projects that they were not learned from, a quarter of each set at a time.

use std::collections::BTreeMap;
use std::path::Path;

use proofstone_context::search::{Features, PARTS, QuestionKind, WITHOUT_VECTORS, Weights};

use crate::corpus::{Asked, Project, load};
use crate::measure::{Looks, mean};

/// Candidates of a question that are learned from, by the weights there are.
const CANDIDATES: usize = 60;
/// A question about a whole file counts so much more than one about a function.
const WHOLE_FILE: f64 = 2.0;
/// What the right chunk counts beside the right file.
const RIGHT_CHUNK: f64 = 0.4;
/// How strongly weights are drawn to zero.
const PULL: f64 = 1e-3;
const STEPS: usize = 400;
/// Projects are held out in so many parts.
const PARTS_HELD_OUT: usize = 4;

/// Questions about some projects.
pub(crate) struct Set {
    name: String,
    projects: Vec<Project>,
    asked: Vec<Asked>,
}

impl Set {
    /// `QUESTIONS_DIR,CORPUS_DIR` or `QUESTIONS_DIR,CORPUS_DIR,TABLE.tsv`.
    pub(crate) fn load(written: &str) -> Self {
        let mut parts = written.split(',').map(Path::new);
        let (Some(questions), Some(corpus)) = (parts.next(), parts.next()) else {
            panic!("{written} is no QUESTIONS_DIR,CORPUS_DIR");
        };
        let (projects, asked) = load(questions, corpus, parts.next());
        Self { name: questions.display().to_string(), projects, asked }
    }

    /// Questions of several words.
    fn numbers(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.asked.len()).filter(|n| self.asked[*n].question.kind != QuestionKind::Symbol)
    }

    /// The part in which a question's project is held out: by its name, so that it is the same one in every set that has the
    /// project, written with a slash or a dash after the registry.
    fn part(&self, number: usize) -> usize {
        let name = &self.projects[self.asked[number].project].name;
        let mixed = |sum: usize, byte: u8| sum.wrapping_mul(31).wrapping_add(usize::from(byte));
        let letters = name.bytes().map(|byte| if byte == b'/' { b'-' } else { byte });
        letters.fold(7, mixed) % PARTS_HELD_OUT
    }
}

/// One question: what its candidates are, and which of them are right.
struct Lesson {
    /// In which part its project is held out.
    part: usize,
    weight: f64,
    features: Vec<[f64; PARTS]>,
    /// The first candidate of each one's file, so that candidates of a file know each other.
    files: Vec<usize>,
    in_the_file: Vec<bool>,
    right: Vec<bool>,
}

pub(crate) fn run(sets: &[Set]) {
    let bm25 = Weights::default().bm25;
    let looks: Vec<(&Set, Looks<'_>)> =
        sets.iter().map(|set| (set, Looks::at(&set.projects, &set.asked, bm25))).collect();
    let lessons: Vec<Lesson> = looks.iter().flat_map(|(set, looks)| lessons(set, looks)).collect();
    println!("\nlearned from {} questions of several words", lessons.len());
    for with_vectors in [false, true] {
        let parts = if with_vectors { PARTS } else { WITHOUT_VECTORS };
        let learned = learn(&lessons.iter().collect::<Vec<_>>(), parts);
        println!("{} vectors", if with_vectors { "with" } else { "without" });
        for (name, weight) in Features::NAMES.iter().zip(learned) {
            println!("  {name}: {weight:.2}");
        }
        let held_out = (0..PARTS_HELD_OUT).map(|part| {
            let others: Vec<&Lesson> = lessons.iter().filter(|l| l.part != part).collect();
            let sentence = learn(&others, parts).map(|weight| weight as f32);
            Weights { sentence, ..Weights::default() }
        });
        let weights: Vec<Weights> = held_out.collect();
        for (set, looks) in &looks {
            report(set, looks, &weights);
        }
    }
}

/// What weights are worth on projects that they were not learned from.
fn report(set: &Set, looks: &Looks<'_>, weights: &[Weights]) {
    let of = |number| &weights[set.part(number)];
    let mut languages: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for number in set.numbers() {
        let found = looks.ndcg(number, of(number));
        languages.entry(&set.projects[set.asked[number].project].language).or_default().push(found);
    }
    let with_lines = set.numbers().filter(|n| !set.asked[*n].spans.is_empty());
    let hits =
        |within| with_lines.clone().filter(|n| looks.hits_a_span(*n, of(*n), within)).count();
    println!(
        "  {}, not learned from: NDCG@10 {:.4} of {}, functions within 1 {}, within 5 {} of {}",
        set.name,
        mean(languages.values().flatten().copied()),
        set.numbers().count(),
        hits(1),
        hits(5),
        with_lines.clone().count(),
    );
    let shown = languages.iter().map(|(name, found)| (name, mean(found.iter().copied())));
    let shown: Vec<String> = shown.map(|(name, found)| format!("{name} {found:.4}")).collect();
    println!("    by language: {}", shown.join(", "));
}

fn lessons(set: &Set, looks: &Looks<'_>) -> Vec<Lesson> {
    let of_project =
        |project| set.asked.iter().filter(|a| a.project == project).count().max(1) as f64;
    let made = set.numbers().map(|number| {
        let asked = &set.asked[number];
        // A project counts by the root of how many questions it has.
        let weight = if asked.spans.is_empty() { WHOLE_FILE } else { 1.0 };
        let weight = weight / of_project(asked.project).sqrt();
        lesson(looks, number, set.part(number), weight)
    });
    let mut lessons: Vec<Lesson> =
        made.filter(|lesson| lesson.in_the_file.contains(&true)).collect();
    let all: f64 = lessons.iter().map(|lesson| lesson.weight).sum();
    for lesson in &mut lessons {
        lesson.weight /= all;
    }
    lessons
}

fn lesson(looks: &Looks<'_>, number: usize, part: usize, weight: f64) -> Lesson {
    let (features, files, in_the_file, right) = <_>::default();
    let mut lesson = Lesson { part, weight, features, files, in_the_file, right };
    let mut firsts: BTreeMap<u32, usize> = BTreeMap::new();
    let weights = Weights::default();
    for (place, found) in looks.best(number, CANDIDATES).into_iter().enumerate() {
        let (features, file, is_wanted, is_right) = found;
        let factor = weights.of_kind(features.kind);
        lesson.features.push(features.values().map(|value| f64::from(value * factor)));
        lesson.files.push(*firsts.entry(file).or_insert(place));
        lesson.in_the_file.push(is_wanted);
        lesson.right.push(is_right);
    }
    lesson
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
