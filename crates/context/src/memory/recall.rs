//! Finding what was learned: discoveries and sessions, by the same words as code and on the same scale.

use std::collections::HashMap;

use super::discovery::Discovery;
use super::sessions::Session;
use super::{AnchorState, Status};
use crate::search::Question;
use crate::tokens::each_token;

/// BM25's own, for texts of a few lines.
const K1: f32 = 1.2;
const B: f32 = 0.4;

/// Something remembered that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Recalled {
    /// A discovery.
    Discovery(Discovery),
    /// A session.
    Session(Session),
}

/// Ranks what is remembered; the score is the share of the question's weight that is found, 0 to 1.
pub fn recall(
    question: &Question,
    discoveries: Vec<Discovery>,
    sessions: Vec<Session>,
) -> Vec<(f32, Recalled)> {
    let discoveries =
        discoveries.into_iter().map(|d| (text_of_discovery(&d), worth(&d), Recalled::Discovery(d)));
    let sessions = sessions.into_iter().map(|s| (text_of_session(&s), 0.6, Recalled::Session(s)));
    let entries: Vec<(HashMap<String, u32>, f32, Recalled)> = discoveries
        .chain(sessions)
        .map(|(text, worth, what)| (count(&text), worth, what))
        .collect();
    let idf = |term: &String| {
        let n = entries.len() as f32;
        let df = entries.iter().filter(|(words, ..)| occurrences(words, term) > 0.0).count() as f32;
        // Among a handful of texts rarity says little: a word in all of them counts, one in none is not everything.
        (1.0 + (n - df + 0.5) / (df + 0.5)).ln().clamp(0.5, 1.5)
    };
    let weights: Vec<f32> = question.terms.iter().map(idf).collect();
    let all: f32 = weights.iter().sum::<f32>().max(f32::EPSILON);
    let average =
        entries.iter().map(|(words, ..)| length(words)).sum::<f32>() / entries.len().max(1) as f32;
    let mut found: Vec<(f32, Recalled)> = entries
        .into_iter()
        .map(|(words, worth, what)| {
            let normal = 1.0 - B + B * length(&words) / average.max(1.0);
            let score = |(term, weight): (&String, &f32)| {
                let tf = occurrences(&words, term) / normal;
                weight * if tf > 0.0 { 0.75 + 0.25 * tf / (tf + K1) } else { 0.0 }
            };
            let sum: f32 = question.terms.iter().zip(&weights).map(score).sum();
            ((sum / all * worth).clamp(0.0, 1.0), what)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found
}

/// How often a word stands in a text; a word it abbreviates, or that abbreviates it, counts for less.
fn occurrences(words: &HashMap<String, u32>, term: &str) -> f32 {
    const ABBREVIATION: usize = 4;
    if let Some(count) = words.get(term) {
        return *count as f32;
    }
    let related = |word: &str| {
        word.len().min(term.len()) >= ABBREVIATION
            && (word.starts_with(term) || term.starts_with(word))
    };
    if words.keys().any(|word| related(word)) { 0.4 } else { 0.0 }
}

fn length(words: &HashMap<String, u32>) -> f32 {
    words.values().sum::<u32>() as f32
}

/// What no longer holds counts less.
fn worth(d: &Discovery) -> f32 {
    let state = match d.anchor_state {
        Some(AnchorState::Gone) => 0.6,
        Some(AnchorState::Suspect) => 0.85,
        _ => 1.0,
    };
    let status = if d.status == Status::Active { 1.0 } else { 0.4 };
    state * status * (0.5 + 0.5 * d.confidence as f32)
}

fn text_of_discovery(d: &Discovery) -> String {
    let anchor =
        d.anchor.as_ref().map(|a| format!("{} {}", a.path, a.symbol.as_deref().unwrap_or("")));
    format!(
        "{} {} {} {}",
        d.content,
        d.module.as_deref().unwrap_or(""),
        d.kind.name(),
        anchor.unwrap_or_default()
    )
}

fn text_of_session(s: &Session) -> String {
    let files: Vec<&str> = s.files.iter().take(20).map(|f| f.path.as_str()).collect();
    format!(
        "{} {} {} {}",
        s.goal.as_deref().unwrap_or(""),
        s.summary.as_deref().unwrap_or(""),
        s.topics.join(" "),
        files.join(" ")
    )
}

fn count(text: &str) -> HashMap<String, u32> {
    let mut words = HashMap::new();
    each_token(text, |token| *words.entry(token.to_owned()).or_default() += 1);
    words
}
