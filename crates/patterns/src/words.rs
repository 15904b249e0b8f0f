//! Text into the words that are searched: separators and camelCase split, English endings cut, filler dropped.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Words that carry no subject, in questions more than in texts.
const FILLER: &str = "a about above actually after again all already also always am an and any anyone anything are \
    arent as ask at away be because been before being best better between both but by can cannot cant come could \
    did didnt do does doesnt doing done dont down each either else even ever every everything few find for from \
    further gave get gets getting give given gives go goes going gonna good got had happen happened happening \
    happens has hasnt have having he help her here hers him his hits how however i id if ill im in instead into is \
    isnt it its itself ive just keep keeps kind know let lets like lot make makes making many may maybe me mean \
    might more most much must my myself need needs nice no nor not now of off often ok on once one only onto or \
    other our ours out over own people please pls possible properly proper put quite rather really right same say \
    says see seem seems several shall she should shouldnt show so some somebody somehow someone something \
    sometimes somewhere still such sure take takes tell than that thats the their them then there these they thing \
    things think this those though thought through to together too trying tried try under until up upon us use \
    used useful uses using usually very want wanted wants was wasnt way ways we well went were what whats when \
    whenever where whether which while who whole whom whose why will with within without wont work working works \
    would wouldnt wrong yet you your youre yours code pattern patterns recommended idiomatic correct correctly \
    across whats theres gets bad cleanest";

static FILLER_SET: LazyLock<std::collections::HashSet<&'static str>> =
    LazyLock::new(|| FILLER.split_whitespace().collect());

/// Whether a word says nothing about a subject.
pub fn is_filler(word: &str) -> bool {
    FILLER_SET.contains(word)
}

/// A word without its English ending.
pub fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word.to_owned();
    }
    STEMMER.stem(word).into_owned()
}

/// Calls `each` with every word of a text, in lower case: the parts of compound names (`retryWithBackoff`,
/// `max-retries`), and after them the compound itself.
pub fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut compound = String::new();
    let mut part = String::new();
    for chunk in text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '’' | '+' | '#')))
    {
        compound.clear();
        let mut parts = 0;
        let mut previous = ' ';
        let mut letters = chunk.chars().peekable();
        while let Some(c) = letters.next() {
            let joint = matches!(c, '-' | '_' | '+' | '#');
            let hump = c.is_uppercase()
                && (previous.is_lowercase()
                    || (previous.is_uppercase()
                        && letters.peek().is_some_and(|n| n.is_lowercase())));
            if (joint || hump) && !part.is_empty() {
                each(&part);
                parts += 1;
                part.clear();
            }
            if !joint && !matches!(c, '\'' | '’') {
                part.extend(c.to_lowercase());
                compound.extend(c.to_lowercase());
            }
            previous = c;
        }
        if !part.is_empty() {
            each(&part);
            parts += 1;
            part.clear();
        }
        if parts > 1 && parts <= 4 {
            each(&compound);
        }
    }
}

/// Stems that mean the same as a stem.
#[derive(Debug)]
pub struct Synonyms(HashMap<String, Vec<String>>);

impl Synonyms {
    /// The table of programming words.
    pub fn programming() -> &'static Self {
        static TABLE: LazyLock<Synonyms> =
            LazyLock::new(|| Synonyms::read(include_str!("synonyms.txt")));
        &TABLE
    }

    fn read(table: &str) -> Self {
        let mut known: HashMap<String, Vec<String>> = HashMap::new();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let group: Vec<String> = line.split_whitespace().map(stem).collect();
            for member in &group {
                let others = known.entry(member.clone()).or_default();
                for other in group.iter().filter(|other| *other != member) {
                    if !others.contains(other) {
                        others.push(other.clone());
                    }
                }
            }
        }
        Self(known)
    }

    /// The others.
    pub fn of(&self, stem: &str) -> &[String] {
        self.0.get(stem).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let mut found = Vec::new();
        words(text, |word| found.push(word.to_owned()));
        expected.assert_eq(&found.join(" "));
    }

    #[test]
    fn names_fall_into_their_words() {
        check("retryWithBackoff", expect!["retry with backoff retrywithbackoff"]);
        check(
            "parseJSONBody, HTTPServer",
            expect!["parse json body parsejsonbody http server httpserver"],
        );
        check(
            "max-retries snake_case don't",
            expect!["max retries maxretries snake case snakecase dont"],
        );
        check("N+1 \"\"\" {} <script> Ünïcode", expect!["n 1 n1 script ünïcode"]);
    }
}
