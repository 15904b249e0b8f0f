//! Text into the words that are searched: separators and camelCase split, English endings cut, filler dropped.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::spelling::Spellings;

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

/// Words of everyday English that say little about a subject: they count, but not for much.
const WEAK: &str = "able account actual add added adds allow allows almost alone along although answer answers anybody \
    anywhere apart app application approach around aside asks assume avoid back become becomes behave behaviour behind \
    bit both bring brings break breaks broke build builds called came care certain change changed changes choose claim clean \
    clear click clicked colleague come comes coming complain complains complete contain contains cope couple course create \
    day days deal decide depend describe despite did different difference directly does during early easily easy eats edit \
    else end ended ending ends enough enter entered enters entire everybody everyone everywhere exactly example except \
    exist exists expect expected explain extra fact fails fall falls far feel field fill fine finish finished finishes first \
    five follow found four front full gave generate happy hand hard having hear hold holds home hope hour hours huge hundred \
    idea immediately important inside instant issue item items job keep kept key last late later lead least leave leaves \
    left less letting line lines little live lives long longer look looks lose loses lots main making manage matter maybe \
    meet mid middle midway minute minutes mine miss moment months morning move name named names near never new next nobody \
    none normal nothing notice noticed number numbers obvious odd old open opens order outside page part party pass \
    passes past pick picked picks piece place plain point poor power prefer present pretty problem product program project \
    property question quick quickly quiet range ready real reason red refer regardless related remains remote report \
    reports result results return returns review road round row run running runs safe safely save saved say screen script \
    second seconds send sending sends sense sent separate service set several short shows side similar simple simply since \
    single size small soon spite stand start started starts state statement stay stayed step steps stop stopped stops \
    stranger strangers suddenly suite system table tab taken takes talk team tells ten terms thing think third thousand \
    three time times tiny today told tomorrow top total touch tricks turn turned turns two type typed uh under unless \
    unusable usable value values version versions view visitor wait waits walk walking want week went wherever whole wide \
    window word worker wrote year years yesterday";

static WEAK_SET: LazyLock<std::collections::HashSet<&'static str>> =
    LazyLock::new(|| WEAK.split_whitespace().collect());

/// Whether a word is everyday English and says little about a subject.
pub fn is_weak(word: &str) -> bool {
    WEAK_SET.contains(word)
}

/// Words that are long enough to be told apart when misspelt; shorter ones are too near to each other.
fn long_words<'a>(words: impl Iterator<Item = &'a str>) -> Spellings {
    Spellings::of(words.filter(|word| word.len() >= 5).map(|word| (word.to_owned(), 0)))
}

/// Whether a word is a misspelt everyday one.
pub fn is_nearly_weak(word: &str) -> bool {
    static EVERYDAY: LazyLock<Spellings> =
        LazyLock::new(|| long_words(WEAK.split_whitespace().chain(FILLER.split_whitespace())));
    word.len() >= 5 && EVERYDAY.near(word, 1).next().is_some()
}

/// Words that betray the language a question is about.
const HINTS: &[(&str, &str)] = &[
    ("rust", "rust cargo crate clippy tokio axum serde rustc borrowck anyhow thiserror"),
    (
        "typescript",
        "typescript javascript ts js tsx node nodejs npm react vue angular vitest jest deno bun express zod",
    ),
    (
        "python",
        "python py django flask fastapi pytest asyncio aiohttp pip pydantic bandit flake8 celery pandas",
    ),
    ("go", "golang goroutine goroutines gofmt errgroup"),
    (
        "solidity",
        "solidity ethereum evm foundry hardhat erc20 ether wei onchain blockchain defi chainlink",
    ),
    ("sql", "sql postgres postgresql mysql sqlite"),
];

/// The language that a question speaks of, if a word of it tells. `go` alone is a verb more often than not.
pub fn language_of(question: &str) -> Option<&'static str> {
    let (mut named, mut previous, mut after_in) = (None, String::new(), false);
    words(question, |word| {
        named = named.or_else(|| language_hint(word));
        let noun = matches!(
            word,
            "backend"
                | "server"
                | "service"
                | "program"
                | "app"
                | "code"
                | "function"
                | "test"
                | "tests"
                | "package"
                | "binary"
        );
        if after_in || (previous == "go" && noun) {
            named = named.or(Some("go"));
        }
        after_in = word == "go"
            && matches!(previous.as_str(), "in" | "with" | "using" | "production" | "for");
        word.clone_into(&mut previous);
    });
    named.or_else(|| (previous == "go").then_some("go"))
}

fn language_hint(word: &str) -> Option<&'static str> {
    static LANGUAGES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let each = HINTS.iter().rev();
        each.flat_map(|(language, words)| words.split(' ').map(move |w| (w, *language))).collect()
    });
    LANGUAGES.get(word).copied()
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
pub struct Synonyms {
    others: HashMap<String, Vec<String>>,
    spellings: Spellings,
}

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
        let lines = table.lines().filter(|line| !line.starts_with('#'));
        Self { others: known, spellings: long_words(lines.flat_map(str::split_whitespace)) }
    }

    /// The words of the table nearest to a misspelt one.
    pub fn near<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.spellings.near(word, 1).map(|(_, known)| known.word.as_str())
    }

    /// The others.
    pub fn of(&self, stem: &str) -> &[String] {
        self.others.get(stem).map_or(&[], Vec::as_slice)
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
