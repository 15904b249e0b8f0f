//! The loaded library: patterns of all layers with the nearer ones in front, what was wrong with their files,
//! and questions to it. It is never changed once made; [`crate::shelf`] makes a new one when files change.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use crate::dependencies::Dependencies;
use crate::diagnostic::{Diagnostic, Level, Spot};
use crate::index::{Hit, Index};
use crate::pattern::{Difficulty, Pattern};
use crate::reading::{self, PatternFile};
use crate::rules::Rules;

/// Patterns that can be searched, and what is known about their files.
#[derive(Debug, Default)]
pub struct Library {
    patterns: Vec<Pattern>,
    by_id: HashMap<String, usize>,
    diagnostics: Vec<Diagnostic>,
    index: Index,
    rules: OnceLock<Rules>,
    /// Patterns that are not for this project, by position, and why.
    excluded: BTreeMap<usize, String>,
}

/// What a search is narrowed to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this category.
    pub category: Option<String>,
    /// Only this difficulty.
    pub difficulty: Option<Difficulty>,
}

impl Filter {
    /// Whether anything is narrowed at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn keeps(&self, pattern: &Pattern) -> bool {
        self.category.as_ref().is_none_or(|category| *category == pattern.category)
            && self.difficulty.is_none_or(|difficulty| difficulty == pattern.difficulty)
    }
}

/// All matches of a search.
#[derive(Debug)]
pub struct Found<'a> {
    /// The matches, best first.
    pub patterns: Vec<&'a Pattern>,
    /// How many matches each category has.
    pub categories: BTreeMap<&'a str, usize>,
    /// How many matches each difficulty has.
    pub difficulties: BTreeMap<Difficulty, usize>,
}

impl Library {
    /// Makes a library of files. Of several patterns with one id, the nearest layer's is served; within a layer, the
    /// first file's, and the others become diagnostics.
    pub fn of(mut files: Vec<PatternFile>) -> Self {
        files.sort_by(|a, b| (a.layer, &a.path).cmp(&(b.layer, &b.path)));
        let mut library = Self::default();
        for (pattern, diagnostics) in read_all(&files) {
            library.diagnostics.extend(diagnostics);
            if let Some(pattern) = pattern {
                library.add(pattern);
            }
        }
        library.check_references();
        library.index = Index::of(&library.patterns);
        library
    }

    fn add(&mut self, pattern: Pattern) {
        let Some(&known) = self.by_id.get(&pattern.id) else {
            self.by_id.insert(pattern.id.clone(), self.patterns.len());
            self.patterns.push(pattern);
            return;
        };
        let nearer = &mut self.patterns[known];
        if nearer.origin.layer == pattern.origin.layer {
            let message = format!(
                "the id `{}` is taken by {} in the same layer: this file is not served, give it another id",
                pattern.id, nearer.origin.file
            );
            let spot = Spot::line(2);
            let file = pattern.origin.file;
            self.diagnostics.push(Diagnostic {
                level: Level::Error,
                code: "duplicate-id",
                file,
                spot,
                message,
            });
        } else if nearer.origin.overrides.is_none() {
            nearer.origin.overrides = Some(pattern.origin.layer);
        }
    }

    fn check_references(&mut self) {
        for pattern in &self.patterns {
            let named = pattern.related.iter().chain(&pattern.replaced_by);
            for missing in named.filter(|id| !self.by_id.contains_key(*id)) {
                self.diagnostics.push(Diagnostic {
                    level: Level::Warning,
                    code: "dangling-reference",
                    file: pattern.origin.file.clone(),
                    spot: Spot::line(2),
                    message: format!("there is no pattern `{missing}`"),
                });
            }
        }
    }

    /// Adds what is wrong with the library as a whole.
    pub(crate) fn with_diagnostics(mut self, more: Vec<Diagnostic>) -> Self {
        self.diagnostics.splice(0..0, more);
        self
    }

    /// Leaves out of searches and scans what is not for a project with these packages.
    pub(crate) fn within(mut self, project: &Dependencies) -> Self {
        let why = |(at, pattern): (usize, &Pattern)| Some((at, project.exclude(&pattern.scope)?));
        self.excluded = self.patterns.iter().enumerate().filter_map(why).collect();
        self
    }

    /// Whether any pattern asks which packages the project has.
    pub(crate) fn asks_for_packages(&self) -> bool {
        self.patterns.iter().any(|pattern| !pattern.scope.packages.is_empty())
    }

    /// The patterns that are not for this project, each with the reason. They can still be read by their ids.
    pub fn excluded(&self) -> impl Iterator<Item = (&Pattern, &str)> {
        self.excluded.iter().map(|(&at, why)| (&self.patterns[at], why.as_str()))
    }

    /// Whether a pattern is for this project.
    pub fn applies(&self, id: &str) -> bool {
        self.by_id.get(id).is_none_or(|at| !self.excluded.contains_key(at))
    }

    /// The patterns, nearest layer first, then by file.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// What is wrong with the files. Faults of rules are in [`Library::rules`].
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// One pattern by its exact id.
    pub fn get(&self, id: &str) -> Option<&Pattern> {
        self.by_id.get(id).map(|&position| &self.patterns[position])
    }

    /// The rules, compiled and tested when they are first asked for.
    pub fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| Rules::of(&self.patterns))
    }

    /// The categories with how many patterns each has.
    pub fn categories(&self) -> BTreeMap<&str, usize> {
        let mut categories = BTreeMap::new();
        for pattern in &self.patterns {
            *categories.entry(pattern.category.as_str()).or_default() += 1;
        }
        categories
    }

    /// All patterns that match; a blank question matches all, in the order of their titles.
    pub fn search(&self, question: &str, filter: &Filter) -> Found<'_> {
        let mut patterns: Vec<&Pattern> = if question.trim().is_empty() {
            let mut all: Vec<&Pattern> = self.patterns.iter().collect();
            all.sort_by(|a, b| (&a.title, &a.id).cmp(&(&b.title, &b.id)));
            all
        } else {
            self.hits(question).into_iter().map(|hit| &self.patterns[hit.document]).collect()
        };
        patterns.retain(|pattern| filter.keeps(pattern) && self.applies(&pattern.id));
        let (mut categories, mut difficulties) = (BTreeMap::new(), BTreeMap::new());
        for pattern in &patterns {
            *categories.entry(pattern.category.as_str()).or_default() += 1;
            *difficulties.entry(pattern.difficulty).or_default() += 1;
        }
        Found { patterns, categories, difficulties }
    }

    /// The matches with their scores.
    pub fn hits(&self, question: &str) -> Vec<Hit> {
        self.index.search(question)
    }

    /// The ids that an unknown one may have meant, best first; never empty where there are patterns.
    pub fn suggest(&self, id: &str, most: usize) -> Vec<&Pattern> {
        let wanted = id.trim().to_lowercase();
        let mut near: Vec<(f64, &Pattern)> = self
            .patterns
            .iter()
            .map(|pattern| (strsim::normalized_damerau_levenshtein(&wanted, &pattern.id), pattern))
            .filter(|(likeness, _)| *likeness >= 0.75)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
        let mut suggested: Vec<&Pattern> = near.into_iter().map(|(_, pattern)| pattern).collect();
        let by_words = self.search(id, &Filter::default()).patterns;
        let any = self.search("", &Filter::default()).patterns;
        for pattern in by_words.into_iter().chain(any.into_iter().take(if suggested.is_empty() {
            most
        } else {
            0
        })) {
            if !suggested.iter().any(|known| known.id == pattern.id) {
                suggested.push(pattern);
            }
        }
        suggested.truncate(most);
        suggested
    }

    /// The categories that an unknown one may have meant, the likeliest first.
    pub fn suggest_categories(&self, category: &str) -> Vec<&str> {
        let wanted = category.trim().to_lowercase();
        let mut known: Vec<&str> = self.categories().into_keys().collect();
        known.sort_by(|a, b| {
            let likeness = |name| strsim::normalized_damerau_levenshtein(&wanted, name);
            likeness(b).total_cmp(&likeness(a))
        });
        known
    }
}

/// Reads files on as many threads as are worth starting, in order.
fn read_all(files: &[PatternFile]) -> Vec<(Option<Pattern>, Vec<Diagnostic>)> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    let share = files.len().div_ceil(threads).max(24);
    std::thread::scope(|scope| {
        let parts: Vec<_> = files
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(reading::read).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}
