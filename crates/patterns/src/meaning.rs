//! How near patterns are to a question in meaning, whatever the words: each pattern has two vectors, one of
//! what it says it is about and one of what people call it.

use proofstone_embed::{Model, SIZE, inverse_length, tokens, whole_products};

use crate::pattern::Pattern;
use crate::words;

/// The vectors of a library, two for each pattern, in its order.
#[derive(Debug, Default)]
pub(crate) struct Meanings {
    numbers: Vec<u8>,
    /// What brings each vector to length 1; 0 where there is none.
    scales: Vec<f32>,
}

impl Meanings {
    pub(crate) fn of(patterns: &[Pattern]) -> Self {
        let mut meanings = Self::default();
        let Some(model) = Model::embedded() else { return meanings };
        for pattern in patterns {
            let about = [&pattern.title, &pattern.summary, &pattern.tags.join(" ")];
            let about = about.map(String::as_str).join(" ");
            for text in [about, pattern.aliases.join(" ")] {
                let numbers = model.code_text(&plain(&text)).map_or([0; SIZE], |vector| vector.0);
                meanings.scales.push(inverse_length(&numbers));
                meanings.numbers.extend(numbers.map(|number| number as u8));
            }
        }
        meanings
    }

    /// How near each pattern is: 1 for the same meaning, 0 for nothing in common.
    pub(crate) fn likeness(&self, question: &str) -> Vec<f32> {
        let words = tokens::question_tokens(&plain(question));
        let asked = Model::embedded().and_then(|model| model.question(&words));
        let Some(asked) = asked else { return Vec::new() };
        let scale = inverse_length(asked.numbers());
        let near = whole_products(asked.numbers(), &self.numbers, &self.scales);
        near.chunks(2).map(|two| two.iter().fold(0.0, |a, b| b.max(a)) * scale).collect()
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
