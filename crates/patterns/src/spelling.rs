//! Words by their spelling, for telling what an unknown or misspelt one meant.

/// A known word.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spelling {
    /// The word as written.
    pub(crate) word: String,
    /// What it stands for, in its owner's numbering.
    pub(crate) term: u32,
    letters: u32,
}

/// Known words, found by nearness instead of one after the other.
#[derive(Debug, Default)]
pub(crate) struct Spellings {
    /// In alphabetical order.
    words: Vec<Spelling>,
    /// The places of the words of each length.
    by_length: Vec<Vec<u32>>,
}

/// The shortest word that stands for longer ones, and by how much they may be longer.
const SHORTEST_STEM: usize = 4;
const LONGEST_ENDING: usize = 6;

impl Spellings {
    /// These words, each with what it stands for.
    pub(crate) fn of(words: impl Iterator<Item = (String, u32)>) -> Self {
        let spelling =
            |(word, term): (String, u32)| Spelling { letters: letters(&word), word, term };
        let mut words: Vec<Spelling> = words.map(spelling).collect();
        words.sort_unstable();
        words.dedup();
        let mut by_length: Vec<Vec<u32>> = Vec::new();
        for (place, spelling) in words.iter().enumerate() {
            let length = spelling.word.len();
            if by_length.len() <= length {
                by_length.resize_with(length + 1, Vec::new);
            }
            by_length[length].push(place as u32);
        }
        Self { words, by_length }
    }

    /// Longer and shorter forms of a word: one begins with the other.
    pub(crate) fn forms<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a Spelling> + 'a {
        let from = self.words.partition_point(|known| known.word.as_str() < word);
        let longer = self.words[from..]
            .iter()
            .take_while(move |known| known.word.starts_with(word) && word.len() >= SHORTEST_STEM);
        let longer = longer.filter(move |known| known.word.len() - word.len() <= LONGEST_ENDING);
        let shortest = SHORTEST_STEM.max(word.len().saturating_sub(LONGEST_ENDING));
        let stems = (shortest..word.len()).filter_map(move |end| word.get(..end));
        longer.chain(stems.flat_map(|stem| self.exactly(stem)))
    }

    fn exactly<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a Spelling> + 'a {
        let from = self.words.partition_point(|known| known.word.as_str() < word);
        self.words[from..].iter().take_while(move |known| known.word == word)
    }

    /// Words at most so many transpositions, insertions, deletions or changes away, with how many.
    pub(crate) fn near<'a>(
        &'a self,
        word: &'a str,
        allowed: usize,
    ) -> impl Iterator<Item = (usize, &'a Spelling)> + 'a {
        let wanted = letters(word);
        let lengths = word.len().saturating_sub(allowed)..=word.len() + allowed;
        let places = lengths.filter_map(|length| self.by_length.get(length)).flatten();
        places.filter_map(move |place| {
            let known = &self.words[*place as usize];
            // Each step changes two letters at the most.
            if (known.letters ^ wanted).count_ones() as usize > 2 * allowed {
                return None;
            }
            distance(&known.word, word, allowed).map(|distance| (distance, known))
        })
    }
}

/// How many steps two words are apart, if no more than allowed. Short words are compared without
/// asking for memory, and given up as soon as they are too far apart.
fn distance(a: &str, b: &str, allowed: usize) -> Option<usize> {
    const LONGEST: usize = 40;
    if !a.is_ascii() || !b.is_ascii() || a.len() > LONGEST || b.len() > LONGEST {
        return Some(strsim::osa_distance(a, b)).filter(|distance| *distance <= allowed);
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = [[0_u8; LONGEST + 1]; 3];
    rows[0].iter_mut().zip(0..).for_each(|(cell, column)| *cell = column);
    for row in 1..=a.len() {
        let [before, last, now] = [(row + 1) % 3, (row + 2) % 3, row % 3];
        rows[now][0] = row as u8;
        let mut least = row as u8;
        for column in 1..=b.len() {
            let changed = rows[last][column - 1] + u8::from(a[row - 1] != b[column - 1]);
            let mut cell = changed.min(rows[last][column] + 1).min(rows[now][column - 1] + 1);
            let swapped =
                row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1];
            if swapped {
                cell = cell.min(rows[before][column - 2] + 1);
            }
            rows[now][column] = cell;
            least = least.min(cell);
        }
        // A swap reaches back over two rows.
        let reach = rows[last][..=b.len()].iter().min().copied().unwrap_or(0).min(least);
        if usize::from(reach) > allowed {
            return None;
        }
    }
    let distance = usize::from(rows[a.len() % 3][b.len()]);
    (distance <= allowed).then_some(distance)
}

/// Which letters a word has, as bits: words far apart in letters are far apart in spelling.
fn letters(word: &str) -> u32 {
    word.bytes().filter(u8::is_ascii_lowercase).fold(0, |set, letter| set | 1 << (letter - b'a'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(words: &[String]) -> Spellings {
        Spellings::of(words.iter().cloned().zip(0..))
    }

    proptest! {
        #[test]
        fn finds_what_looking_at_each_word_finds(
            words in prop::collection::vec("[a-d]{3,9}", 0..40),
            asked in "[a-d]{3,9}",
            allowed in 1_usize..3,
        ) {
            let spellings = known(&words);
            let mut near: Vec<(usize, u32)> =
                spellings.near(&asked, allowed).map(|(d, s)| (d, s.term)).collect();
            near.sort_unstable();
            let mut each: Vec<(usize, u32)> = words
                .iter()
                .zip(0..)
                .map(|(word, term)| (strsim::osa_distance(word, &asked), term))
                .filter(|(distance, _)| *distance <= allowed)
                .collect();
            each.sort_unstable();
            prop_assert_eq!(near, each);
            let mut forms: Vec<u32> = spellings.forms(&asked).map(|s| s.term).collect();
            forms.sort_unstable();
            let mut each: Vec<u32> = words
                .iter()
                .zip(0..)
                .filter(|(word, _)| {
                    let (short, long) = (word.len().min(asked.len()), word.len().max(asked.len()));
                    let begins = word.starts_with(&asked) || asked.starts_with(word.as_str());
                    short >= SHORTEST_STEM && begins && long - short <= LONGEST_ENDING
                })
                .map(|(_, term)| term)
                .collect();
            each.sort_unstable();
            prop_assert_eq!(forms, each);
        }
    }
}
