//! Fielded BM25 over patterns, tolerant of typing errors, beside the nearness of their meaning. Each posting holds
//! its finished score, so a query only adds up. It knows words and documents, and no filters or formats.

use std::collections::HashMap;

use crate::meaning::Meanings;
use crate::notation;
use crate::pattern::Pattern;
use crate::spelling::{Spelling, Spellings};
use crate::words::{self, Synonyms};

/// How soon repetition stops counting.
const K1: f32 = 1.2;
/// What a synonym, a longer or shorter form, and a misspelt word count for.
const SYNONYM: f32 = 0.45;
const PREFIX: f32 = 0.7;
const MISSPELT: f32 = 0.8;
/// How much a document gains from matching all of the question rather than one word of it.
const COVERAGE: f32 = 0.6;
/// What a word of everyday English counts for.
const WEAK: f32 = 0.3;
/// What a pattern gains when it is written for the language that the question names, and what others lose.
const SAME_LANGUAGE: f32 = 1.35;
const OTHER_LANGUAGE: f32 = 0.7;
/// What nearness in meaning counts beside words, whose best match counts 1; what patterns for another language than
/// the one that is named keep of the sum; and how near a pattern must be that shares no word with the question.
const MEANING: f32 = 2.0;
const OTHER_LANGUAGE_AFTER: f32 = 0.85;
const NEAR_ENOUGH: f32 = 0.2;

/// A field's weight, and how much its length counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Id,
    Tags,
    Aliases,
    Summary,
    Rule,
    Category,
    Languages,
    Guidance,
    Headings,
    Prose,
    Code,
    Notation,
}

const FIELDS: [(Field, f32, f32); 13] = [
    (Field::Title, 3.0, 0.5),
    (Field::Id, 1.0, 0.3),
    (Field::Tags, 2.0, 0.5),
    (Field::Aliases, 2.5, 0.4),
    (Field::Summary, 1.6, 0.6),
    (Field::Rule, 1.0, 0.6),
    (Field::Category, 0.5, 0.0),
    (Field::Languages, 1.0, 0.0),
    (Field::Guidance, 1.0, 0.6),
    (Field::Headings, 0.4, 0.7),
    (Field::Prose, 1.0, 0.75),
    (Field::Code, 0.3, 0.75),
    (Field::Notation, 1.0, 0.75),
];

/// The index of a library.
#[derive(Debug, Default)]
pub struct Index {
    terms: HashMap<String, u32>,
    postings: Vec<Vec<(u32, f32)>>,
    idf: Vec<f32>,
    /// The library's words as written.
    spellings: Spellings,
    names: HashMap<String, Vec<u32>>,
    languages: Vec<Vec<String>>,
    meanings: Meanings,
    documents: usize,
}

/// A document that matches, and how well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The pattern's position.
    pub document: usize,
    /// The higher, the better.
    pub score: f32,
}

impl Index {
    /// Indexes patterns by their position.
    pub fn of(patterns: &[Pattern]) -> Self {
        Builder::default().build(patterns)
    }

    /// The documents that match a question, best first; equal ones in the order of the library.
    pub fn search(&self, question: &str) -> Vec<Hit> {
        let groups = self.groups(question);
        let whole: f32 = groups.iter().map(|group| group.mass).sum();
        let mut scores = vec![(0.0f32, 0.0f32); self.documents];
        let mut best = vec![0.0f32; self.documents];
        for group in &groups {
            let mut touched: Vec<u32> = Vec::new();
            for &(term, weight) in &group.terms {
                for &(document, score) in &self.postings[term as usize] {
                    let slot = &mut best[document as usize];
                    if *slot == 0.0 {
                        touched.push(document);
                    }
                    *slot = slot.max(score * weight);
                }
            }
            for document in touched {
                let (score, mass) = &mut scores[document as usize];
                *score += std::mem::take(&mut best[document as usize]);
                *mass += group.mass;
            }
        }
        let mut hits: Vec<Hit> = Vec::new();
        for (document, (score, mass)) in scores.into_iter().enumerate().filter(|(_, s)| s.0 > 0.0) {
            let covered = if whole > 0.0 { mass / whole } else { 1.0 };
            hits.push(Hit { document, score: score * (1.0 - COVERAGE + COVERAGE * covered) });
        }
        let named = self.language(question);
        for hit in &mut hits {
            hit.score *=
                if self.is_for(hit.document, named) { SAME_LANGUAGE } else { OTHER_LANGUAGE };
        }
        let mut hits = self.with_meaning(question, named, &hits);
        self.prefer_named(question, &mut hits);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
        hits
    }

    /// Words and meaning together. A pattern that shares no word must be near to count at all.
    fn with_meaning(&self, question: &str, named: Option<&str>, by_words: &[Hit]) -> Vec<Hit> {
        let best = by_words.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
        let mut words = vec![0.0f32; self.documents];
        for hit in by_words {
            words[hit.document] = hit.score / best;
        }
        let near = self.meanings.likeness(question);
        let score = |(document, words): (usize, f32)| {
            let near = near.get(document).copied().unwrap_or(0.0);
            let kept = if self.is_for(document, named) { 1.0 } else { OTHER_LANGUAGE_AFTER };
            let score = (words + MEANING * near) * kept;
            (words > 0.0 || near >= NEAR_ENOUGH).then_some(Hit { document, score })
        };
        words.into_iter().enumerate().filter_map(score).collect()
    }

    /// The language that the question names, where the library has patterns for it.
    fn language(&self, question: &str) -> Option<&'static str> {
        let named = words::language_of(question)?;
        self.languages.iter().flatten().any(|language| language == named).then_some(named)
    }

    /// Who names a language means patterns for it; a pattern without one is for all.
    fn is_for(&self, document: usize, named: Option<&str>) -> bool {
        let languages = &self.languages[document];
        named.is_none_or(|named| {
            languages.is_empty() || languages.iter().any(|language| family(language) == named)
        })
    }

    /// Who asks for an id or a title gets it first.
    fn prefer_named(&self, question: &str, hits: &mut Vec<Hit>) {
        let Some(named) = self.names.get(&normal(question)) else { return };
        for &document in named {
            let document = document as usize;
            match hits.iter_mut().find(|hit| hit.document == document) {
                Some(hit) => hit.score += 1000.0,
                None => hits.push(Hit { document, score: 1000.0 }),
            }
        }
    }

    /// A question's words, each with the terms that stand for it.
    fn groups(&self, question: &str) -> Vec<Group> {
        let question = &question[..question.floor_char_boundary(4000)];
        let mut asked: Vec<String> = Vec::new();
        words::words(question, |word| asked.push(word.to_owned()));
        let mut kept: Vec<&String> = asked.iter().filter(|word| !words::is_filler(word)).collect();
        if kept.is_empty() {
            kept = asked.iter().collect();
        }
        let mut groups: Vec<Group> = Vec::new();
        for word in kept.into_iter().take(64) {
            groups.extend(self.group(word).filter(|g| !groups.iter().any(|known| known.same(g))));
        }
        for pair in asked.windows(2) {
            groups.extend(
                self.compound(&pair[0], &pair[1]).filter(|g| !groups.iter().any(|k| k.same(g))),
            );
        }
        notation::of_question(question, |piece| {
            let group = self.terms.get(piece).map(|&term| self.exactly(term));
            groups.extend(group.filter(|g| !groups.iter().any(|known| known.same(g))));
        });
        groups
    }

    fn group(&self, word: &str) -> Option<Group> {
        let stem = words::stem(word);
        let mut terms: Vec<(u32, f32)> = Vec::new();
        if let Some(&term) = self.terms.get(&stem) {
            terms.push((term, 1.0));
        } else if !self.add_similar(word, &mut terms) && words::is_nearly_weak(word) {
            return None;
        }
        for other in Synonyms::programming().of(&stem) {
            if let Some(&term) = self.terms.get(other) {
                add(&mut terms, term, SYNONYM);
            }
        }
        if words::is_weak(word) {
            for (_, weight) in &mut terms {
                *weight *= WEAK;
            }
        }
        let mass = terms.iter().map(|(term, weight)| self.idf[*term as usize] * weight);
        let mass = mass.fold(0.0f32, f32::max);
        (!terms.is_empty()).then_some(Group { terms, mass })
    }

    /// `time out` also finds `timeout`.
    fn compound(&self, first: &str, second: &str) -> Option<Group> {
        let &term = self.terms.get(&words::stem(&format!("{first}{second}")))?;
        Some(Group { terms: vec![(term, 1.0)], mass: self.idf[term as usize] * 0.5 })
    }

    fn exactly(&self, term: u32) -> Group {
        Group { terms: vec![(term, 1.0)], mass: self.idf[term as usize] }
    }

    /// What an unknown word may have meant: a longer or shorter form of a known one, or a typing error.
    /// Returns whether a known word is one step away.
    fn add_similar(&self, word: &str, terms: &mut Vec<(u32, f32)>) -> bool {
        let length = word.chars().count();
        if length < 4 {
            return false;
        }
        for other in Synonyms::programming().near(word) {
            for synonym in Synonyms::programming().of(&words::stem(other)) {
                if let Some(&term) = self.terms.get(synonym) {
                    add(terms, term, SYNONYM * MISSPELT);
                }
            }
        }
        for form in self.spellings.forms(word) {
            add(terms, form.term, PREFIX);
        }
        let allowed = if length >= 8 { 2 } else { 1 };
        let is_form = |known: &str| known.starts_with(word) || word.starts_with(known);
        let near: Vec<(usize, &Spelling)> =
            self.spellings.near(word, allowed).filter(|(_, known)| !is_form(&known.word)).collect();
        let Some(nearest) = near.iter().map(|(distance, _)| *distance).min() else { return false };
        for (distance, spelling) in near {
            let weight = if distance == nearest { MISSPELT } else { MISSPELT * 0.5 };
            add(terms, spelling.term, weight);
        }
        nearest <= 1
    }
}

fn add(terms: &mut Vec<(u32, f32)>, term: u32, weight: f32) {
    match terms.iter_mut().find(|(known, _)| *known == term) {
        Some((_, known)) => *known = known.max(weight),
        None => terms.push((term, weight)),
    }
}

/// One word of a question.
struct Group {
    terms: Vec<(u32, f32)>,
    /// How much it tells apart.
    mass: f32,
}

impl Group {
    fn same(&self, other: &Self) -> bool {
        self.terms.first().map(|t| t.0) == other.terms.first().map(|t| t.0)
    }
}

/// JavaScript and TypeScript are asked for in one breath.
fn family(language: &str) -> &str {
    match language {
        "javascript" | "tsx" => "typescript",
        other => other,
    }
}

/// Separators and case do not tell names apart.
fn normal(name: &str) -> String {
    let mut words = String::new();
    for word in name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

#[derive(Default)]
struct Builder {
    index: Index,
    /// A word as written, to its term.
    seen: HashMap<String, u32>,
    /// Counts of one field of one document.
    counts: HashMap<u32, f32>,
    /// Term, document, field, count.
    found: Vec<(u32, u32, u8, f32)>,
    lengths: Vec<[f32; FIELDS.len()]>,
    /// Words that a misspelt one may have meant, with their terms.
    spelled: Vec<(String, u32)>,
}

impl Builder {
    fn build(mut self, patterns: &[Pattern]) -> Index {
        for (document, pattern) in patterns.iter().enumerate() {
            self.lengths.push([0.0; FIELDS.len()]);
            for (number, (field, ..)) in FIELDS.iter().enumerate() {
                self.field(document as u32, number, *field, pattern);
            }
            for name in [&pattern.id, &pattern.title] {
                let named = self.index.names.entry(normal(name)).or_default();
                if named.last() != Some(&(document as u32)) {
                    named.push(document as u32);
                }
            }
        }
        self.index.languages = patterns.iter().map(|pattern| pattern.languages.clone()).collect();
        self.index.meanings = Meanings::of(patterns);
        self.index.documents = patterns.len();
        self.score(patterns.len());
        self.index.spellings = Spellings::of(self.spelled.into_iter());
        self.index
    }

    fn field(&mut self, document: u32, number: usize, field: Field, pattern: &Pattern) {
        let mut length = 0.0;
        let keep_spelling = field != Field::Code;
        let mut count = |term: u32, counts: &mut HashMap<u32, f32>| {
            length += 1.0;
            *counts.entry(term).or_default() += 1.0;
        };
        for text in texts(field, pattern) {
            if field == Field::Notation {
                notation::of_code(text, |piece| {
                    let next = self.index.terms.len() as u32;
                    let term = *self.index.terms.entry(piece.to_owned()).or_insert(next);
                    count(term, &mut self.counts);
                });
                continue;
            }
            words::words(text, |word| {
                if !words::is_filler(word) && word.len() <= 40 {
                    let term = self.term(word, keep_spelling);
                    count(term, &mut self.counts);
                }
            });
        }
        self.lengths[document as usize][number] = length;
        let counts = self.counts.drain();
        self.found.extend(counts.map(|(term, count)| (term, document, number as u8, count)));
    }

    fn term(&mut self, word: &str, keep_spelling: bool) -> u32 {
        if let Some(&term) = self.seen.get(word) {
            return term;
        }
        let next = self.index.terms.len() as u32;
        let term = *self.index.terms.entry(words::stem(word)).or_insert(next);
        self.seen.insert(word.to_owned(), term);
        if keep_spelling && word.len() >= 4 && word.bytes().all(|b| b.is_ascii_alphanumeric()) {
            self.spelled.push((word.to_owned(), term));
        }
        term
    }

    /// Sums each term's fields in each document and turns the sum into its score.
    fn score(&mut self, documents: usize) {
        let mut average = [0.0f32; FIELDS.len()];
        for lengths in &self.lengths {
            for (sum, length) in average.iter_mut().zip(lengths) {
                *sum += length / documents as f32;
            }
        }
        let mut postings: Vec<Vec<(u32, f32)>> = vec![Vec::new(); self.index.terms.len()];
        self.found.sort_unstable_by_key(|&(term, document, field, _)| (term, document, field));
        for &(term, document, field, count) in &self.found {
            let (_, weight, b) = FIELDS[field as usize];
            let length = self.lengths[document as usize][field as usize];
            let norm = 1.0 - b + b * length / average[field as usize].max(1.0);
            let part = weight * count / norm;
            match postings[term as usize].last_mut() {
                Some((last, sum)) if *last == document => *sum += part,
                _ => postings[term as usize].push((document, part)),
            }
        }
        for list in &mut postings {
            let n = list.len() as f32;
            let idf = (1.0 + (documents as f32 - n + 0.5) / (n + 0.5)).ln();
            for (_, weight) in list.iter_mut() {
                *weight = idf * *weight * (K1 + 1.0) / (K1 + *weight);
            }
            self.index.idf.push(idf);
        }
        self.index.postings = postings;
    }
}

fn texts(field: Field, pattern: &Pattern) -> Vec<&str> {
    fn all(list: &[String]) -> Vec<&str> {
        list.iter().map(String::as_str).collect()
    }
    match field {
        Field::Title => vec![&pattern.title],
        Field::Id => vec![&pattern.id],
        Field::Tags => all(&pattern.tags),
        Field::Aliases => all(&pattern.aliases),
        Field::Summary => vec![&pattern.summary],
        Field::Rule => pattern.rule.iter().map(String::as_str).collect(),
        Field::Category => vec![&pattern.category],
        Field::Languages => all(&pattern.languages),
        Field::Guidance => {
            pattern.use_when.iter().chain(&pattern.avoid_when).map(String::as_str).collect()
        }
        Field::Headings => pattern.sections.iter().map(|section| section.title.as_str()).collect(),
        Field::Prose => pattern.sections.iter().map(|section| section.prose.as_str()).collect(),
        Field::Code | Field::Notation => {
            pattern.fences.iter().map(|fence| fence.code.as_str()).collect()
        }
    }
}
