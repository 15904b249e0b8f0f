//! What an order of results is worth.

use std::collections::{BTreeMap, HashSet};

use proofstone_context::search::{Bm25, Features, Filter, Looked, Span, Vectors, Weights};

use crate::corpus::{Asked, Project};

/// Every question's candidates with their features, so that weights can be tried quickly.
pub(crate) struct Looks<'a> {
    projects: &'a [Project],
    asked: &'a [Asked],
    looked: Vec<Looked<'a>>,
}

/// One question's figures.
#[derive(Clone, Copy)]
struct Figures {
    ndcg: f64,
    recall: f64,
    reciprocal: f64,
}

impl<'a> Looks<'a> {
    pub(crate) fn at(projects: &'a [Project], asked: &'a [Asked], bm25: Bm25) -> Self {
        let look = |a: &'a Asked| {
            let view = &projects[a.project].view;
            let vectors = a.likeness.as_ref().map_or(Vectors::Own, Vectors::Given);
            Looked::at(view, &a.question, &Filter::default(), bm25, vectors)
        };
        Self { projects, asked, looked: asked.iter().map(look).collect() }
    }

    /// NDCG@10 of one question: a file counts at the rank of its first chunk among the results.
    pub(crate) fn ndcg(&self, number: usize, weights: &Weights) -> f64 {
        self.figures(number, weights).ndcg
    }

    pub(crate) fn mean_ndcg(&self, weights: &Weights) -> f64 {
        mean((0..self.asked.len()).map(|number| self.ndcg(number, weights)))
    }

    fn figures(&self, number: usize, weights: &Weights) -> Figures {
        let asked = &self.asked[number];
        let view = &self.projects[asked.project].view;
        let mut seen = HashSet::new();
        let (mut gain, mut first) = (0.0, None);
        for (rank, (file, _)) in self.looked[number].places(weights, 10).iter().enumerate() {
            let path = &view.files()[*file as usize].path;
            if asked.wanted.contains(path) && seen.insert(*file) {
                gain += 1.0 / (rank as f64 + 2.0).log2();
                first.get_or_insert(rank);
            }
        }
        let most = asked.wanted.len().min(10);
        let ideal: f64 = (0..most).map(|rank| 1.0 / (rank as f64 + 2.0).log2()).sum();
        Figures {
            ndcg: gain / ideal,
            recall: seen.len() as f64 / asked.wanted.len() as f64,
            reciprocal: first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0)),
        }
    }

    /// A question's best candidates with their files, and whether the file and the chunk are right.
    pub(crate) fn best(&self, number: usize, count: usize) -> Vec<(Features, u32, bool, bool)> {
        let asked = &self.asked[number];
        let view = &self.projects[asked.project].view;
        let evidence = self.looked[number].evidence(&Weights::default(), count);
        let judged = evidence.into_iter().map(|(file, span, features)| {
            let wanted = asked.wanted.contains(&view.files()[file as usize].path);
            (features, file, wanted, self.is_right(asked, file, span))
        });
        judged.collect()
    }

    /// Whether one of the first results has lines of the answer.
    pub(crate) fn hits_a_span(&self, number: usize, weights: &Weights, within: usize) -> bool {
        let asked = &self.asked[number];
        let places = self.looked[number].places(weights, within);
        places.into_iter().any(|(file, span)| self.is_right(asked, file, span))
    }

    fn is_right(&self, asked: &Asked, file: u32, span: Span) -> bool {
        let path = &self.projects[asked.project].view.files()[file as usize].path;
        let overlaps = |a: u32, b: u32| span.start_line <= b && span.end_line >= a;
        asked.spans.iter().any(|(p, a, b)| p == path && overlaps(*a, *b))
    }
}

pub(crate) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Prints the figures of some weights.
pub(crate) fn report(title: &str, projects: &[Project], asked: &[Asked], weights: &Weights) {
    let looks = Looks::at(projects, asked, weights.bm25);
    let figures: Vec<Figures> = (0..asked.len()).map(|n| looks.figures(n, weights)).collect();
    println!(
        "\n{title}: NDCG@10 {:.4}, recall@10 {:.4}, MRR {:.4}",
        mean(figures.iter().map(|f| f.ndcg)),
        mean(figures.iter().map(|f| f.recall)),
        mean(figures.iter().map(|f| f.reciprocal)),
    );
    let group = |name: &dyn Fn(&Asked) -> String| {
        let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let pairs = asked.iter().zip(&figures);
        pairs.for_each(|(a, f)| groups.entry(name(a)).or_default().push(f.ndcg));
        let shown: Vec<String> =
            groups.iter().map(|(n, v)| format!("{n} {:.3}", mean(v.iter().copied()))).collect();
        println!("  {}", shown.join(", "));
    };
    group(&|a| a.category.clone());
    group(&|a| projects[a.project].language.clone());
    group(&|a| projects[a.project].name.clone());
    let with_lines: Vec<usize> = (0..asked.len()).filter(|n| !asked[*n].spans.is_empty()).collect();
    for within in [1, 5, 10] {
        let hit = |n: &&usize| looks.hits_a_span(**n, weights, within);
        let found = with_lines.iter().filter(hit).count();
        println!("  line spans hit within {within} results: {found} of {}", with_lines.len());
    }
}
