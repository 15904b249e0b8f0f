//! Looks for weights, and judges them on projects they were not chosen on.

use std::collections::BTreeMap;

use proofstone_context::search::{PARTS, WITHOUT_VECTORS, Weights};

use crate::corpus::{Asked, Project};
use crate::measure::{Looks, mean};

type Dial = fn(&mut Weights, usize) -> &mut f32;

/// Every number that may move, and how many of a kind there are.
const DIALS: &[(Dial, usize)] =
    &[(|w, n| &mut w.parts[n / PARTS][n % PARTS], 3 * PARTS), (|w, n| &mut w.kinds[n + 1], 7)];

/// How many searches there are, each without some of the projects.
const SEARCHES: usize = 5;
/// What moving one number by a factor of e has to be worth.
const PULL: f64 = 0.0005;

/// Nobody's choice: each feature counts alike, vectors as much as words, a defined name most.
fn plain(with_vectors: bool) -> Weights {
    let mut weights = Weights::default();
    for part in &mut weights.parts {
        *part = [0.4, 0.3, 0.3, 0.2, 0.4, 0.1, 0.5, 0.4, 0.3, 0.2];
        if !with_vectors {
            part[WITHOUT_VECTORS..].fill(0.0);
        }
    }
    weights.kinds = [1.0, 0.5, 0.5, 0.5, 0.7, 0.7, 0.8, 0.6];
    weights
}

pub(crate) fn run(projects: &[Project], asked: &[Asked]) {
    let looks = Looks::at(projects, asked, Weights::default().bm25);
    for with_vectors in [false, true] {
        let start = plain(with_vectors);
        println!("\n{} vectors", if with_vectors { "with" } else { "without" });
        println!("  plain weights: {:.4}", looks.mean_ndcg(&start));
        let held_out = held_out(&looks, projects.len(), asked, &start);
        println!(
            "  chosen without the project they are judged on: {:.4}",
            mean(held_out.iter().copied())
        );
        by_language(projects, asked, &held_out);
        let everything: Vec<usize> = (0..projects.len()).collect();
        let chosen = choose(&looks, &everything, asked, &start);
        println!("  chosen on all of them: {:.4}\n{chosen:?}", looks.mean_ndcg(&chosen));
    }
}

fn by_language(projects: &[Project], asked: &[Asked], scores: &[f64]) {
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (asked, score) in asked.iter().zip(scores) {
        groups.entry(&projects[asked.project].language).or_default().push(*score);
    }
    let shown = groups.into_iter().map(|(n, v)| format!("{n} {:.3}", mean(v.into_iter())));
    println!("    {}", shown.collect::<Vec<_>>().join(", "));
}

/// Each question's NDCG by weights that were chosen on the other projects.
fn held_out(looks: &Looks<'_>, projects: usize, asked: &[Asked], start: &Weights) -> Vec<f64> {
    let mut scores = vec![0.0; asked.len()];
    for project in 0..projects {
        let others: Vec<usize> = (0..projects).filter(|other| *other != project).collect();
        let chosen = choose(looks, &others, asked, start);
        for number in (0..asked.len()).filter(|number| asked[*number].project == project) {
            scores[number] = looks.ndcg(number, &chosen);
        }
    }
    scores
}

/// The middle of what several searches find, each without some of the projects: what only one of them wants is
/// mostly noise.
fn choose(looks: &Looks<'_>, projects: &[usize], asked: &[Asked], start: &Weights) -> Weights {
    let found: Vec<Weights> = (0..SEARCHES)
        .map(|search| {
            let seen = |number: &usize| {
                let place = projects.iter().position(|p| *p == asked[*number].project);
                place.is_some_and(|place| place % SEARCHES != search)
            };
            climb(looks, &(0..asked.len()).filter(seen).collect::<Vec<_>>(), start)
        })
        .collect();
    let mut middle = start.clone();
    for (dial, count) in DIALS {
        for n in 0..*count {
            let logarithms =
                found.iter().map(|w| f64::from(*dial(&mut w.clone(), n)).max(1e-9).ln());
            *dial(&mut middle, n) = mean(logarithms).exp() as f32;
        }
    }
    middle
}

/// Moves one number after the other as long as that helps, and not far from where it began.
fn climb(looks: &Looks<'_>, asked: &[usize], start: &Weights) -> Weights {
    let value =
        |w: &Weights| mean(asked.iter().map(|n| looks.ndcg(*n, w))) - PULL * distance(w, start);
    let (mut best, mut best_value) = (start.clone(), value(start));
    for step in [2.0_f32, 1.5, 1.25] {
        for (dial, count) in DIALS {
            for n in 0..*count {
                for factor in [step, 1.0 / step] {
                    let mut tried = best.clone();
                    let number = dial(&mut tried, n);
                    *number = (*number * factor).min(3.0);
                    let tried_value = value(&tried);
                    if tried_value > best_value + 1e-5 {
                        (best, best_value) = (tried, tried_value);
                    }
                }
            }
        }
    }
    best
}

/// How far from the start, so that noise alone does not move them.
fn distance(w: &Weights, start: &Weights) -> f64 {
    let mut moved = 0.0;
    for (dial, count) in DIALS {
        for n in 0..*count {
            let (a, b) = (*dial(&mut w.clone(), n), *dial(&mut start.clone(), n));
            moved += if b > 0.0 { f64::from((a / b).ln().abs()) } else { 0.0 };
        }
    }
    moved
}
