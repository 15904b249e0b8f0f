//! How near patterns are to a question in meaning, whatever the words: each pattern has two vectors, one of
//! what it says it is about and one of what people call it.

use proofstone_embed::{Model, SIZE, Vector, inverse_length, tokens};

use crate::pattern::Pattern;
use crate::words;

/// The vectors of a library, in its order.
#[derive(Debug, Default)]
pub(crate) struct Meanings(Vec<[Meaning; 2]>);

/// A direction, with what brings it to length 1; no direction has length 0.
#[derive(Debug)]
struct Meaning {
    numbers: [i8; SIZE],
    scale: f32,
}

impl Meaning {
    fn of(vector: Option<&Vector>) -> Self {
        let numbers = vector.map_or([0; SIZE], |vector| *vector.numbers());
        Self { scale: inverse_length(&numbers), numbers }
    }

    fn likeness(&self, other: &Self) -> f32 {
        let pairs = self.numbers.iter().zip(&other.numbers);
        let sum: i32 = pairs.map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum();
        sum as f32 * self.scale * other.scale
    }
}

impl Meanings {
    pub(crate) fn of(patterns: &[Pattern]) -> Self {
        let Some(model) = Model::embedded() else { return Self::default() };
        let vectors = |pattern: &Pattern| {
            let about = [&pattern.title, &pattern.summary, &pattern.tags.join(" ")];
            let about = about.map(String::as_str).join(" ");
            let texts = [about, pattern.aliases.join(" ")];
            texts.map(|text| Meaning::of(model.code_text(&plain(&text)).as_ref()))
        };
        Self(patterns.iter().map(vectors).collect())
    }

    /// How near each pattern is: 1 for the same meaning, 0 for nothing in common.
    pub(crate) fn likeness(&self, question: &str) -> Vec<f32> {
        let words = tokens::question_tokens(&plain(question));
        let asked = Model::embedded().and_then(|model| model.question(&words));
        let asked = Meaning::of(asked.as_ref());
        let nearest = |[about, called]: &[Meaning; 2]| {
            about.likeness(&asked).max(called.likeness(&asked)).max(0.0)
        };
        self.0.iter().map(nearest).collect()
    }
}

/// The words of a text in one spelling, so that `readOnly`, `read-only` and `read_only` mean the same.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    words::words(text, |word| {
        plain.push_str(word);
        plain.push(' ');
    });
    plain
}
