//! Words to numbers, the way the model was trained with. `training/vocabulary.py` has the same rules, and
//! `training/fixtures.json` holds both to them.

use crate::bytes::Reader;

/// The shortest piece of a word that is not in the vocabulary.
const SHORTEST: usize = 3;
/// Words longer than this are not cut into pieces: they are names made of words that stand beside them.
const LONGEST: usize = 16;
/// A slot that holds no word.
const FREE: u16 = u16::MAX;

/// The model's words, in a hash table that was made with the model: reading it costs nothing.
#[derive(Debug)]
pub(crate) struct Vocabulary<'m> {
    ends: &'m [u8],
    letters: &'m [u8],
    slots: &'m [u8],
    mask: u32,
}

impl<'m> Vocabulary<'m> {
    /// The next parts of a model's bytes: where words end, their letters, the slots of the table.
    pub(crate) fn read(reader: &mut Reader<'m>, words: usize) -> Option<Self> {
        let (letters, slots) = (reader.number()? as usize, reader.number()? as usize);
        let mask = u32::try_from(slots.checked_sub(1)?).ok()?;
        let found = Self {
            ends: reader.take(words.checked_mul(4)?)?,
            letters: reader.take(letters)?,
            slots: reader.take(slots.checked_mul(2)?)?,
            mask,
        };
        (slots.is_power_of_two() && slots > words).then_some(found)
    }

    /// Calls `each` with the numbers of a word: its own, or those of its pieces.
    pub(crate) fn numbers(&self, word: &str, mut each: impl FnMut(u16)) {
        let word = word.as_bytes();
        if let Some(number) = self.find(word) {
            return each(number);
        }
        if word.len() > LONGEST || !word.is_ascii() {
            return;
        }
        let mut start = 0;
        while start + SHORTEST <= word.len() {
            let mut ends = (start + SHORTEST..=word.len()).rev();
            let found = ends.find_map(|end| Some((end, self.find(word.get(start..end)?)?)));
            start = match found {
                Some((end, number)) => {
                    each(number);
                    end
                }
                None => start + 1,
            };
        }
    }

    fn find(&self, word: &[u8]) -> Option<u16> {
        let mut slot = hash(word) & self.mask;
        // There is always a free slot, so this ends; the bound is for bytes that are not a model's.
        for _ in 0..=self.mask {
            let number = u16_at(self.slots, slot as usize)?;
            if number == FREE {
                return None;
            }
            if self.word(number)? == word {
                return Some(number);
            }
            slot = (slot + 1) & self.mask;
        }
        None
    }

    fn word(&self, number: u16) -> Option<&[u8]> {
        let end =
            |n: usize| self.ends.get(n * 4..n * 4 + 4)?.try_into().ok().map(u32::from_le_bytes);
        let start = if number == 0 { 0 } else { end(usize::from(number) - 1)? };
        self.letters.get(start as usize..end(usize::from(number))? as usize)
    }
}

fn u16_at(bytes: &[u8], place: usize) -> Option<u16> {
    bytes.get(place * 2..place * 2 + 2)?.try_into().ok().map(u16::from_le_bytes)
}

/// FNV-1a.
fn hash(word: &[u8]) -> u32 {
    word.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
