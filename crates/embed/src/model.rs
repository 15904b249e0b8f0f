//! The model in the binary: a bag of word vectors, trained from nothing by `training/` on code and what is
//! written about it. No network, no files, and whole numbers only up to the last step, so that the same text
//! has the same vector on every machine.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::bytes::Reader;
use crate::tokens::each_token;
use crate::vector::{SIZE, Vector, weighted_sum};
use crate::vocabulary::Vocabulary;

const MAGIC: &[u8] = b"PRFSTVEC";
const VERSION: u32 = 1;
/// Different words of one text that count; more would only blur it, and could overflow the sums.
const MOST_WORDS: usize = 500;

static BYTES: &[u8] = include_bytes!("../model/words.bin");
static USED: OnceLock<Option<Model>> = OnceLock::new();

/// The model.
#[derive(Debug)]
pub struct Model {
    vocabulary: Vocabulary<'static>,
    /// What changes when anything in the model does.
    id: u32,
    /// What a word that stands so often counts, in eighths.
    times: &'static [u8],
    asked: Weights,
    written: Weights,
    vectors: &'static [u8],
}

/// What each word counts, two bytes a word.
#[derive(Debug, Clone, Copy)]
struct Weights(&'static [u8]);

impl Weights {
    fn of(self, word: u16) -> i32 {
        let at = usize::from(word) * 2;
        let bytes = self.0.get(at..at + 2).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, |bytes| i32::from(u16::from_le_bytes(bytes)))
    }
}

/// Words of a text and how often each stands there, by number.
#[derive(Debug, Default, Clone)]
pub struct Bag(Vec<(u16, u32)>);

impl Bag {
    /// Empties it for the next text.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds words that stand so often.
    pub fn add(&mut self, numbers: &[u16], count: u32) {
        self.0.extend(numbers.iter().map(|number| (*number, count)));
    }

    /// Each word once, in the order of their numbers.
    fn merge(&mut self) {
        self.0.sort_unstable();
        self.0.dedup_by(|later, first| {
            let same = later.0 == first.0;
            first.1 += if same { later.1 } else { 0 };
            same
        });
        self.0.truncate(MOST_WORDS);
    }
}

impl Model {
    /// The one in the binary. `None` only if the binary was built with a file that is no model, which a test
    /// rules out.
    pub fn embedded() -> Option<&'static Self> {
        USED.get_or_init(|| Self::read(BYTES)).as_ref()
    }

    /// Puts another model in the place of the one in the binary, for measuring. Says whether that could be done: not
    /// with bytes that are no model, and not once one is in use.
    pub fn replace(bytes: &'static [u8]) -> bool {
        Self::read(bytes).is_some_and(|model| USED.set(Some(model)).is_ok())
    }

    /// Reads a model; `None` for bytes that are none.
    pub fn read(bytes: &'static [u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let is_ours = reader.take(MAGIC.len())? == MAGIC && reader.number()? == VERSION;
        let (id, words, size) = (reader.number()?, reader.number()? as usize, reader.number()?);
        if !is_ours || size as usize != SIZE {
            return None;
        }
        let vocabulary = Vocabulary::read(&mut reader, words)?;
        let times = reader.take(256)?;
        let asked = Weights(reader.take(words.checked_mul(2)?)?);
        let written = Weights(reader.take(words.checked_mul(2)?)?);
        let vectors = reader.take(words.checked_mul(SIZE)?)?;
        reader.0.is_empty().then_some(Self { vocabulary, id, times, asked, written, vectors })
    }

    /// Its name where answers say what was used.
    pub fn name(&self) -> String {
        format!("proofstone-words-{:08x}", self.id)
    }

    /// What vectors of this model are marked with: those of another are never compared with them.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The numbers of a word as the index has it.
    pub fn numbers(&self, word: &str, numbers: &mut Vec<u16>) {
        self.vocabulary.numbers(word, |number| numbers.push(number));
    }

    /// The vector of a question, given its words as the index has them; `None` if it has no word that is known.
    pub fn question(&self, words: &[String]) -> Option<Vector> {
        let mut bag = Bag::default();
        let mut numbers = Vec::new();
        for word in words {
            self.numbers(word, &mut numbers);
        }
        bag.add(&numbers, 1);
        bag.merge();
        self.sum(&bag, self.asked, |_| 8)
    }

    /// The vector of some code, given its words.
    pub fn code(&self, bag: &mut Bag) -> Option<Vector> {
        bag.merge();
        let times = |count: u32| self.times.get(count as usize).or(self.times.last());
        self.sum(bag, self.written, |count| times(count).copied().map_or(0, i32::from))
    }

    /// The vector of some code, as written.
    pub fn code_text(&self, text: &str) -> Option<Vector> {
        let mut bag = Bag::default();
        each_token(text, |word| self.vocabulary.numbers(word, |number| bag.0.push((number, 1))));
        self.code(&mut bag)
    }

    /// The vectors of many texts. Words come again and again: each is looked up once.
    pub fn code_texts<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<Option<Vector>> {
        let mut known: FxHashMap<Box<str>, Vec<u16>> = FxHashMap::default();
        let mut bag = Bag::default();
        let each = texts.map(|text| {
            bag.clear();
            each_token(text, |word| match known.get(word) {
                Some(numbers) => bag.add(numbers, 1),
                None => {
                    let mut numbers = Vec::new();
                    self.numbers(word, &mut numbers);
                    bag.add(&numbers, 1);
                    known.insert(word.into(), numbers);
                }
            });
            self.code(&mut bag)
        });
        each.collect()
    }

    fn sum(&self, bag: &Bag, weights: Weights, times: impl Fn(u32) -> i32) -> Option<Vector> {
        // At most 511 times 64, which the training's export sees to.
        let weigh = |word: u16, count: u32| i16::try_from(weights.of(word) * times(count)).ok();
        let weighed: Vec<(u16, i16)> = bag
            .0
            .iter()
            .map(|(word, count)| Some((*word, weigh(*word, *count)?)))
            .collect::<Option<_>>()?;
        Vector::of(&weighted_sum(self.vectors, &weighed))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::vector::inverse_length;

    #[derive(Deserialize)]
    struct Fixture {
        side: String,
        words: Vec<String>,
        numbers: Vec<u16>,
        vector: Option<Vec<i8>>,
        sum: Option<i32>,
    }

    /// What `training/export.py` computed, in Python, with the model in the binary.
    #[test]
    fn words_and_vectors_are_those_of_the_training() {
        let fixtures: Vec<Fixture> =
            serde_json::from_str(include_str!("../../../training/fixtures.json")).unwrap();
        let model = Model::embedded().unwrap();
        for fixture in fixtures {
            let mut bag = Bag::default();
            let mut numbers = Vec::new();
            for word in &fixture.words {
                model.numbers(word, &mut numbers);
            }
            bag.add(&numbers, 1);
            let vector = match fixture.side.as_str() {
                "question" => model.question(&fixture.words),
                _ => model.code(&mut bag),
            };
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers, fixture.numbers, "{:?}", fixture.words);
            let vector = vector.map(|vector| *vector.numbers());
            assert_eq!(vector.map(|v| v[..16].to_vec()), fixture.vector, "{:?}", fixture.words);
            let sum = vector.map(|v| v.iter().map(|n| i32::from(*n)).sum());
            assert_eq!(sum, fixture.sum, "{:?}", fixture.words);
        }
    }

    fn likeness(question: &str, code: &str) -> f32 {
        let model = Model::embedded().unwrap();
        let words = crate::tokens::unique_tokens(question);
        let (asked, code) = (model.question(&words).unwrap(), model.code_text(code).unwrap());
        let bytes = code.0.map(|number| number as u8);
        let scale = inverse_length(&asked.0) * inverse_length(&code.0);
        crate::vector::whole_products(&asked.0, &bytes, &[scale])[0]
    }

    #[test]
    fn code_is_near_what_is_said_about_it_in_other_words() {
        let code = [
            (
                "open a network connection",
                "int fd = socket(AF_INET, SOCK_STREAM, 0); if (bind(fd, addr, len) < 0) perror();",
            ),
            (
                "password encryption",
                "digest = hmac.new(key, msg, hashlib.sha256).hexdigest(); salt = secrets.token_bytes(16)",
            ),
            (
                "delete a directory",
                "fs.rmdirSync(path); fs.unlinkSync(join(path, file)); readdir(path)",
            ),
            (
                "draw text on the screen",
                "canvas.fillText(label, x, y); ctx.font = font; glyph.render(surface)",
            ),
        ];
        for (asked, right) in &code {
            for (_, other) in code.iter().filter(|(question, _)| question != asked) {
                assert!(likeness(asked, right) > likeness(asked, other), "{asked}: {other}");
            }
        }
    }

    #[test]
    fn the_longest_text_does_not_overflow() {
        let model = Model::embedded().unwrap();
        let mut bag = Bag::default();
        (0..u16::MAX).for_each(|word| bag.add(&[word], u32::MAX));
        bag.0.truncate(MOST_WORDS);
        assert!(model.code(&mut bag).is_some());
    }

    proptest! {
        #[test]
        fn any_text_has_a_vector_or_none(text in "\\PC{0,300}") {
            let model = Model::embedded().unwrap();
            let many = model.code_texts([text.as_str(), "x", text.as_str()].into_iter());
            prop_assert_eq!(&many[0], &model.code_text(&text));
            prop_assert_eq!(&many[2], &many[0]);
        }

        #[test]
        fn bytes_that_are_no_model_are_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..400), words in 0_u32..4, slots in 0_u32..9) {
            let mut model = MAGIC.to_vec();
            for number in [VERSION, 7, words, SIZE as u32, 3, slots] {
                model.extend_from_slice(&number.to_le_bytes());
            }
            model.append(&mut bytes);
            if let Some(model) = Model::read(Box::leak(model.into_boxed_slice())) {
                let _ = model.code_text("some words of abc");
            }
        }
    }
}
