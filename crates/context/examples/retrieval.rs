//! Measures retrieval on annotated questions: `retrieval QUESTIONS_DIR CORPUS_DIR [tune]`.
//!
//! `QUESTIONS_DIR` holds `repos.json` and one file of questions for each project; `CORPUS_DIR` holds one folder
//! for each project. Prints NDCG@10 over files by category and language, for BM25 alone and with the ranker.
//! With `tune`, looks for better weights and says what they are worth on projects they were not chosen on.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program for developers")]

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use proofstone_context::index::{Index, View};
use proofstone_context::search::{Filter, Question, Weights, search};
use proofstone_jail::{Policy, Root};
use serde::Deserialize;

#[derive(Deserialize)]
struct Repo {
    name: String,
    language: String,
    root: String,
}

#[derive(Deserialize)]
struct Annotation {
    query: String,
    relevant: Vec<Target>,
    #[serde(default)]
    secondary: Vec<Target>,
    category: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Target {
    Path(String),
    Lines { path: String, start_line: Option<u32>, end_line: Option<u32> },
}

impl Target {
    fn path(&self) -> &str {
        match self {
            Self::Path(path) | Self::Lines { path, .. } => path,
        }
    }

    fn lines(&self) -> Option<(u32, u32)> {
        match self {
            Self::Lines { start_line: Some(start), end_line: Some(end), .. } => {
                Some((*start, *end))
            }
            _ => None,
        }
    }
}

struct Asked {
    project: usize,
    category: String,
    question: Question,
    wanted: HashSet<String>,
    spans: Vec<(String, u32, u32)>,
}

struct Project {
    name: String,
    language: String,
    view: Arc<View>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [questions, corpus, rest @ ..] = arguments.as_slice() else {
        println!("usage: retrieval QUESTIONS_DIR CORPUS_DIR [tune]");
        return;
    };
    let (projects, asked) = load(Path::new(questions), Path::new(corpus));
    report("BM25 alone", &projects, &asked, &Weights::bm25_only());
    report("with the ranker", &projects, &asked, &Weights::default());
    time_queries(&projects, &asked);
    if rest.iter().any(|a| a == "misses") {
        misses(&projects, &asked, &Weights::default());
    }
    if rest.iter().any(|a| a == "tune") {
        tune::run(&projects, &asked);
    }
}

fn load(questions: &Path, corpus: &Path) -> (Vec<Project>, Vec<Asked>) {
    let repos: Vec<Repo> = read_json(&questions.join("repos.json"));
    let (mut projects, mut asked) = (Vec::new(), Vec::new());
    let (mut files, mut seconds) = (0, 0.0);
    for repo in repos {
        let folder = corpus.join(&repo.name).join(&repo.root);
        let Ok(root) = Root::open(&folder, Policy::project()) else {
            println!("{}: not found at {}", repo.name, folder.display());
            continue;
        };
        let cache = tempfile::tempdir().unwrap();
        let started = Instant::now();
        let index = Index::open(cache.path(), root.path()).unwrap();
        let ready = index.refresh(&root, &AtomicBool::new(false), &|_| {}).unwrap();
        seconds += started.elapsed().as_secs_f64();
        files += ready.searchable;
        let annotations: Vec<Annotation> =
            read_json(&questions.join(format!("{}.json", repo.name)));
        let view = index.view();
        let known: HashSet<&str> = view.files().iter().map(|f| f.path.as_str()).collect();
        for annotation in annotations {
            let inside = |target: &Target| {
                let path = if repo.root == "." {
                    target.path()
                } else {
                    target.path().strip_prefix(&format!("{}/", repo.root))?
                };
                known.contains(path).then(|| (path.to_owned(), target.lines()))
            };
            let targets: Vec<_> = annotation
                .relevant
                .iter()
                .chain(&annotation.secondary)
                .filter_map(inside)
                .collect();
            if targets.is_empty() {
                continue;
            }
            let spans =
                targets.iter().filter_map(|(p, l)| l.map(|(a, b)| (p.clone(), a, b))).collect();
            let wanted = targets.into_iter().map(|(path, _)| path).collect();
            let question = Question::parse(&annotation.query);
            asked.push(Asked {
                project: projects.len(),
                category: annotation.category,
                question,
                wanted,
                spans,
            });
        }
        projects.push(Project { name: repo.name, language: repo.language, view });
    }
    println!(
        "{} projects, {files} files indexed in {seconds:.3} s, {} questions",
        projects.len(),
        asked.len()
    );
    (projects, asked)
}

fn read_json<T: serde::de::DeserializeOwned>(path: &PathBuf) -> T {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// NDCG@10 over files: a file counts at the rank of its first chunk among the results.
fn ndcg(projects: &[Project], asked: &Asked, weights: &Weights) -> f64 {
    let (hits, _) =
        search(&projects[asked.project].view, &asked.question, &Filter::default(), weights, 10);
    let mut seen = HashSet::new();
    let mut gain = 0.0;
    for (rank, hit) in hits.iter().enumerate() {
        if asked.wanted.contains(&hit.path) && seen.insert(hit.path.clone()) {
            gain += 1.0 / (rank as f64 + 2.0).log2();
        }
    }
    let ideal: f64 =
        (0..asked.wanted.len().min(10)).map(|rank| 1.0 / (rank as f64 + 2.0).log2()).sum();
    gain / ideal
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn report(title: &str, projects: &[Project], asked: &[Asked], weights: &Weights) {
    let scores: Vec<f64> = asked.iter().map(|a| ndcg(projects, a, weights)).collect();
    println!("\n{title}: NDCG@10 {:.4}", mean(scores.iter().copied()));
    let group = |name: &dyn Fn(&Asked) -> String| {
        let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        asked.iter().zip(&scores).for_each(|(a, s)| groups.entry(name(a)).or_default().push(*s));
        let shown: Vec<String> =
            groups.iter().map(|(n, v)| format!("{n} {:.3}", mean(v.iter().copied()))).collect();
        println!("  {}", shown.join(", "));
    };
    group(&|a| a.category.clone());
    group(&|a| projects[a.project].language.clone());
    group(&|a| projects[a.project].name.clone());
    let with_lines: Vec<&Asked> = asked.iter().filter(|a| !a.spans.is_empty()).collect();
    let found = with_lines.iter().filter(|a| span_hit(projects, a, weights)).count();
    println!("  line spans hit within 5 results: {found} of {}", with_lines.len());
}

fn span_hit(projects: &[Project], asked: &Asked, weights: &Weights) -> bool {
    let (hits, _) =
        search(&projects[asked.project].view, &asked.question, &Filter::default(), weights, 5);
    hits.iter().any(|h| {
        asked
            .spans
            .iter()
            .any(|(p, a, b)| *p == h.path && h.span.start_line <= *b && h.span.end_line >= *a)
    })
}

fn time_queries(projects: &[Project], asked: &[Asked]) {
    let weights = Weights::default();
    let mut times: Vec<f64> = asked
        .iter()
        .map(|a| {
            let started = Instant::now();
            let _ =
                search(&projects[a.project].view, &a.question, &Filter::default(), &weights, 10);
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "\nquery p50 {:.3} ms, p99 {:.3} ms",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
}

fn misses(projects: &[Project], asked: &[Asked], weights: &Weights) {
    for a in asked {
        let score = ndcg(projects, a, weights);
        if score < 0.7 {
            let (hits, _) =
                search(&projects[a.project].view, &a.question, &Filter::default(), weights, 5);
            println!(
                "{:.2} {} {:?} {:?} wanted {:?}",
                score, projects[a.project].name, a.question.kind, a.question.terms, a.wanted
            );
            for h in hits {
                println!(
                    "      {:.3} {} {}-{} {:?}",
                    h.score, h.path, h.span.start_line, h.span.end_line, h.features
                );
            }
        }
    }
}

/// Coordinate search for weights, judged on projects they were not chosen on.
mod tune {
    use super::{Asked, Project, Weights, mean, ndcg};

    type Get = fn(&mut Weights, usize) -> &mut f32;

    /// Every number that may move, with its group.
    const DIALS: &[(Get, usize)] = &[
        (|w, n| &mut w.parts[n / 7][n % 7], 21),
        (|w, n| &mut w.kinds[n + 1], 7),
        (|w, n| [&mut w.bm25.k1, &mut w.bm25.b, &mut w.bm25.named].into_iter().nth(n).unwrap(), 3),
    ];

    pub(super) fn run(projects: &[Project], asked: &[Asked]) {
        let folds = 4;
        let mut held_out = Vec::new();
        for fold in 0..folds {
            let (train, test): (Vec<&Asked>, Vec<&Asked>) =
                asked.iter().partition(|a| a.project % folds != fold);
            let tuned = climb(projects, &train);
            let score = mean(test.iter().map(|a| ndcg(projects, a, &tuned)));
            let before = mean(test.iter().map(|a| ndcg(projects, a, &Weights::default())));
            println!("fold {fold}: held-out {before:.4} -> {score:.4}");
            held_out.extend(test.iter().map(|a| ndcg(projects, a, &tuned)));
        }
        println!("held-out mean over all folds: {:.4}", mean(held_out.into_iter()));
        let all: Vec<&Asked> = asked.iter().collect();
        let tuned = climb(projects, &all);
        println!(
            "on everything: {:.4}\n{tuned:#?}",
            mean(all.iter().map(|a| ndcg(projects, a, &tuned)))
        );
    }

    fn climb(projects: &[Project], asked: &[&Asked]) -> Weights {
        let value =
            |w: &Weights| mean(asked.iter().map(|a| ndcg(projects, a, w))) - 0.002 * distance(w);
        let mut best = Weights::default();
        let mut best_value = value(&best);
        for step in [1.6_f32, 1.3] {
            for (dial, count) in DIALS {
                for n in 0..*count {
                    for factor in [step, 1.0 / step] {
                        let mut tried = best.clone();
                        let number = dial(&mut tried, n);
                        *number = (*number * factor).clamp(0.01, 3.0);
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

    /// How far from the untuned weights, so that noise alone does not move them.
    fn distance(w: &Weights) -> f64 {
        let base = Weights::default();
        let pairs = w.parts.iter().flatten().zip(base.parts.iter().flatten());
        pairs.map(|(a, b)| f64::from((a / b).ln().abs())).sum::<f64>() / 21.0
    }
}
