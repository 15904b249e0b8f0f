//! Words of code: identifiers whole and in parts, prose words by their stem.
//!
//! `getUserName` is `getusername`, `get`, `user` and `name`; `Registered` is `regist`. The same function cuts
//! questions and files, so that both speak the same words.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Longest word kept; longer ones are data (hashes, base64), not names.
const LONGEST: usize = 48;

/// Calls `emit` with each word of a text. A word that is part of a longer identifier is marked as such.
pub fn each_token(text: &str, mut emit: impl FnMut(&str)) {
    let mut buffer = String::new();
    for word in words(text) {
        each_part(word, &mut buffer, &mut emit);
    }
}

/// The words of a question or a name, in order, each once.
pub fn unique_tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    each_token(text, |token| {
        if !tokens.iter().any(|known| known == token) {
            tokens.push(token.to_owned());
        }
    });
    tokens
}

/// Words that say nothing about the code.
const FILLER: &str = "\
    a an and are as at be been before between but by can do does during each for from get gets given has \
    have how i if in into is it its me of on one or our should so that the their them then there these \
    they this to up used uses using via was we what when where which while who why will with would you \
    show find work works happens happen implemented implementation code defined";

/// Whether a word of a question says nothing about the code.
pub fn is_filler(word: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| FILLER.split(' ').collect());
    WORDS.contains(word) || WORDS.contains(word.to_lowercase().as_str())
}

/// The words of a question that say something, in order, each once; all of them where none does.
pub fn question_tokens(question: &str) -> Vec<String> {
    let telling: Vec<&str> = words(question).filter(|word| !is_filler(word)).collect();
    match telling.is_empty() {
        true => unique_tokens(question),
        false => unique_tokens(&telling.join(" ")),
    }
}

/// Identifiers and words, as written.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = run(rest, false);
        let tail = rest.get(start..).filter(|tail| !tail.is_empty())?;
        let (word, after) = tail.split_at(run(tail, true));
        rest = after;
        Some(word)
    })
}

/// How many bytes at the beginning are of letters, digits and `_`, or of anything else. Nearly all text is ASCII, so that
/// is told byte by byte.
fn run(text: &str, of_words: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let (is_word, length) = match byte.is_ascii() {
            true => (IN_WORD[usize::from(*byte)], 1),
            false => text[at..].chars().next().map_or((false, 1), |c| (in_word(c), c.len_utf8())),
        };
        if is_word != of_words {
            break;
        }
        at += length;
    }
    at
}

const IN_WORD: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Calls `emit` with each word that an identifier as written stands for: its parts, then the whole. `buffer` is only
/// room to work in.
pub fn each_part(word: &str, buffer: &mut String, emit: &mut impl FnMut(&str)) {
    if word.len() > LONGEST * 2 {
        return;
    }
    let parts = Parts { rest: word.trim_matches('_') };
    let mut count = 0;
    for part in parts {
        count += 1;
        if part.len() > LONGEST || part.bytes().all(|b| b.is_ascii_digit()) && part.len() > 4 {
            continue;
        }
        lower_into(part, buffer);
        emit(stem(buffer));
    }
    if count > 1 {
        buffer.clear();
        let letters = word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase);
        buffer.extend(letters);
        emit(buffer);
    }
}

fn lower_into(part: &str, buffer: &mut String) {
    buffer.clear();
    if part.is_ascii() {
        buffer.push_str(part);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(part.chars().flat_map(char::to_lowercase));
    }
}

/// Cuts an identifier at underscores and at changes of case; digits stay with the letters before them.
struct Parts<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start_matches('_');
        if self.rest.is_empty() {
            return None;
        }
        let end = boundary(self.rest);
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(part)
    }
}

/// Where the first part ends: before `_`, between `aB`, between `ABc`'s `A` and `Bc`.
fn boundary(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let Some((_, mut before)) = chars.next() else { return 0 };
    while let Some((at, c)) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        let starts_word = c.is_uppercase() && (!before.is_uppercase() || next_is_lower);
        if c == '_' || starts_word || is_ideograph(c) || is_ideograph(before) {
            return at;
        }
        before = c;
    }
    text.len()
}

/// Scripts without spaces between words: one character is one token.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{20000}'..='\u{2FFFF}')
}

/// Endings cut off, the longest that leaves a stem of at least three letters first.
const ENDINGS: &[(&str, &str)] = &[
    ("izations", "iz"),
    ("ization", "iz"),
    ("ations", ""),
    ("ation", ""),
    ("ators", ""),
    ("ator", ""),
    ("ating", ""),
    ("ated", ""),
    ("ates", ""),
    ("ate", ""),
    ("ies", "i"),
    ("ied", "i"),
    ("ings", ""),
    ("ing", ""),
    ("ers", ""),
    ("ors", ""),
    ("ed", ""),
    ("er", ""),
    ("or", ""),
    ("es", ""),
    ("ions", ""),
    ("ion", ""),
    ("ments", "ment"),
    ("s", ""),
    ("e", ""),
    ("y", "i"),
];

/// A word without its endings, so that `routing`, `routes` and `router` meet. Only lower-case ASCII is cut.
pub fn stem(word: &mut String) -> &str {
    if word.len() >= 4 && word.bytes().all(|b| b.is_ascii_lowercase()) {
        // Twice, because `registered` has to meet `register`.
        let _ = cut_ending(word) && cut_ending(word);
    }
    word
}

fn cut_ending(word: &mut String) -> bool {
    if word.ends_with("ss") || word.ends_with("us") {
        return false;
    }
    for (ending, instead) in ENDINGS {
        let Some(kept) = word.strip_suffix(ending) else { continue };
        let shortest =
            if matches!(*ending, "er" | "ers" | "or" | "ors" | "ion" | "ions") { 4 } else { 3 };
        if kept.len() < shortest
            || !kept.bytes().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
        {
            continue;
        }
        let kept = kept.len();
        word.truncate(kept);
        word.push_str(instead);
        undouble(word);
        return true;
    }
    false
}

/// `runn` is `run`, but `call` stays.
fn undouble(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., _, a, b] = bytes
        && a == b
        && !matches!(b, b'l' | b's' | b'z' | b'e' | b'o')
    {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&unique_tokens(text).join(" "));
    }

    #[test]
    fn identifiers_and_prose() {
        check("getUserName", &expect!["get user nam getusername"]);
        check(
            "HTTPServer parse_json2 __init__",
            &expect!["http serv httpserver par json2 parsejson2 init"],
        );
        check("how are routes registered in the router", &expect!["how are rout regist in the"]);
        check(
            "running calls validation validate serializer serialization",
            &expect!["run call valid serializ"],
        );
        check("C# x86_64 日本語 Größe", &expect!["c x86 64 x8664 日 本 語 日本語 größe"]);
        check(
            "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e1",
            &expect![],
        );
    }

    proptest! {
        #[test]
        fn any_text_is_cut(text in ".{0,200}") {
            each_token(&text, |token| assert!(!token.is_empty()));
        }
    }
}
