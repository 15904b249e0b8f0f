//! Words by number, for whoever builds segments: what is written again and again is cut and looked up once.
//! It knows nothing of documents, and is kept from one segment to the next.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::embed::Model;
use crate::tokens::{each_part, words};

/// More words as written than this are forgotten and cut again: most of what follows would be seen once.
const MOST_WRITTEN: usize = 100_000;
/// With more terms than this the next segment begins with none.
const MOST_TERMS: usize = 200_000;

/// Texts, each once, by number.
#[derive(Debug, Default)]
struct Names {
    letters: String,
    ends: Vec<u32>,
    /// A number and its text's hash.
    table: HashTable<(u32, u32)>,
}

impl Names {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn name(&self, number: u32) -> &str {
        name(&self.letters, &self.ends, number)
    }

    /// A text's number, and whether it is new.
    fn number(&mut self, text: &str) -> (u32, bool) {
        let hash = hash(text);
        let (letters, ends) = (&self.letters, &self.ends);
        let same =
            |(number, its): &(u32, u32)| *its == hash && name(letters, ends, *number) == text;
        if let Some((number, _)) = self.table.find(spread(hash), same) {
            return (*number, false);
        }
        let number = self.ends.len() as u32;
        self.letters.push_str(text);
        self.ends.push(self.letters.len() as u32);
        self.table.insert_unique(spread(hash), (number, hash), |(_, hash)| spread(*hash));
        (number, true)
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.ends.clear();
        self.table.clear();
    }
}

fn name<'l>(letters: &'l str, ends: &[u32], number: u32) -> &'l str {
    &letters[run(ends, number)]
}

/// Where the items of a number stand, given where those of each number end.
fn run(ends: &[u32], number: u32) -> std::ops::Range<usize> {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[number] as usize
}

fn hash(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    (hasher.finish() >> 32) as u32
}

/// The table takes its place from the low bits and its tag from the high ones.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// The terms of all texts so far, and what the model calls them.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    terms: Names,
    called: Vec<u16>,
    called_to: Vec<u32>,
    /// Words as written, and the terms of each.
    written: Names,
    cut: Vec<u32>,
    cut_to: Vec<u32>,
    buffer: String,
}

impl Dictionary {
    /// Calls `each` with the number of every term of a text, in order.
    pub(crate) fn each_term(&mut self, text: &str, mut each: impl FnMut(u32)) {
        for word in words(text) {
            let (number, is_new) = self.written.number(word);
            if is_new {
                self.cut(word);
            }
            self.cut[run(&self.cut_to, number)].iter().for_each(|term| each(*term));
        }
        if self.written.len() > MOST_WRITTEN {
            self.written.clear();
            self.cut.clear();
            self.cut_to.clear();
        }
    }

    /// How many terms there are; their numbers are below.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// A term by its number.
    pub(crate) fn term(&self, number: u32) -> &str {
        self.terms.name(number)
    }

    /// What the model calls a term.
    pub(crate) fn called(&self, number: u32) -> &[u16] {
        &self.called[run(&self.called_to, number)]
    }

    /// Itself for the next segment, or an empty one where it has become large. Numbers may change.
    pub(crate) fn for_next_segment(self) -> Self {
        if self.len() > MOST_TERMS { Self::default() } else { self }
    }

    fn cut(&mut self, word: &str) {
        let Self { terms, called, called_to, cut, cut_to, buffer, .. } = self;
        each_part(word, buffer, &mut |term| {
            let (number, is_new) = terms.number(term);
            if is_new {
                if let Some(model) = Model::embedded() {
                    model.numbers(term, called);
                }
                called_to.push(called.len() as u32);
            }
            cut.push(number);
        });
        cut_to.push(cut.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::each_token;

    proptest! {
        #[test]
        fn terms_are_the_tokens(texts in prop::collection::vec("([a-c]{1,3}|[A-Z][a-z]ing|_|é|日|7|[ ().]){0,60}", 1..6)) {
            let mut dictionary = Dictionary::default();
            for text in &texts {
                let (mut numbers, mut tokens) = (Vec::new(), Vec::new());
                dictionary.each_term(text, |number| numbers.push(number));
                each_token(text, |token| tokens.push(token.to_owned()));
                let terms: Vec<&str> = numbers.iter().map(|n| dictionary.term(*n)).collect();
                prop_assert_eq!(terms, tokens);
            }
            let mut terms: Vec<&str> = (0..dictionary.len() as u32).map(|n| dictionary.term(n)).collect();
            terms.sort_unstable();
            prop_assert!(terms.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
