//! Looks for weights, and judges them on projects they were not chosen on.

use proofstone_context::search::{PARTS, WITHOUT_VECTORS, Weights};

use crate::corpus::{Asked, Project};
use crate::measure::{Looks, mean};

type Dial = fn(&mut Weights, usize) -> &mut f32;

/// Every number that may move, and how many of a kind there are.
const DIALS: &[(Dial, usize)] =
    &[(|w, n| &mut w.parts[n / PARTS][n % PARTS], 3 * PARTS), (|w, n| &mut w.kinds[n + 1], 7)];

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
            mean(held_out.into_iter())
        );
        let everything: Vec<usize> = (0..asked.len()).collect();
        let chosen = climb(&looks, &everything, &start);
        println!("  chosen on all of them: {:.4}\n{chosen:?}", looks.mean_ndcg(&chosen));
    }
}

/// Each question's NDCG by weights that were chosen on the other projects.
fn held_out(looks: &Looks<'_>, projects: usize, asked: &[Asked], start: &Weights) -> Vec<f64> {
    let mut scores = vec![0.0; asked.len()];
    for project in 0..projects {
        let (seen, judged): (Vec<usize>, Vec<usize>) =
            (0..asked.len()).partition(|n| asked[*n].project != project);
        let chosen = climb(looks, &seen, start);
        for number in judged {
            scores[number] = looks.ndcg(number, &chosen);
        }
    }
    scores
}

/// Moves one number after the other as long as that helps, and not far from where it began.
fn climb(looks: &Looks<'_>, asked: &[usize], start: &Weights) -> Weights {
    let value =
        |w: &Weights| mean(asked.iter().map(|n| looks.ndcg(*n, w))) - 0.004 * distance(w, start);
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
    let pairs = w.parts.iter().flatten().zip(start.parts.iter().flatten());
    let moved = pairs.filter(|(_, b)| **b > 0.0).map(|(a, b)| f64::from((a / b).ln().abs()));
    moved.sum::<f64>() / (3 * PARTS) as f64
}
