//! Code in a question or an example that is no word of a subject: operators (`:=`, `=[]`), and reserved words that
//! English uses as filler (`using`, `with`). It knows text, and no patterns.

use crate::words;

/// Marks a reserved word, so that it is not taken for the English one.
const MARK: char = '`';
/// What stands after a word that is spoken of as a word of the language.
const GRAMMAR: [&str; 6] = ["keyword", "statement", "operator", "clause", "block", "syntax"];
/// The operators of one place that count, by their length.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=3;

/// Calls `each` with the notation of an example.
pub(crate) fn of_code(code: &str, mut each: impl FnMut(&str)) {
    operators(code, &mut each);
    reserved_words(code, &mut each);
}

/// Calls `each` with the notation that a question quotes.
pub(crate) fn of_question(question: &str, mut each: impl FnMut(&str)) {
    operators(question, &mut each);
    for quoted in question.split(MARK).skip(1).step_by(2) {
        reserved_words(quoted, &mut each);
    }
    let mut previous = String::new();
    words::words(question, |word| {
        if GRAMMAR.contains(&word) && words::is_filler(&previous) {
            each(&reserved(&previous));
        }
        word.clone_into(&mut previous);
    });
}

fn reserved_words(code: &str, each: &mut impl FnMut(&str)) {
    words::words(code, |word| {
        if words::is_filler(word) {
            each(&reserved(word));
        }
    });
}

fn reserved(word: &str) -> String {
    format!("{MARK}{word}")
}

/// Runs of symbols that prose does not have, whatever the spaces between them, in all pieces that tell something.
fn operators(text: &str, each: &mut impl FnMut(&str)) {
    let mut run = String::new();
    let mut previous = ' ';
    let mut letters = text.chars().chain([' ', 'x']).peekable();
    while let Some(letter) = letters.next() {
        let blank = letter == '_'
            && !previous.is_alphanumeric()
            && !letters.peek().is_some_and(|next| next.is_alphanumeric());
        if blank
            || matches!(
                letter,
                '=' | ':' | '<' | '>' | '&' | '|' | '!' | '?' | '*' | '%' | '[' | ']' | '{' | '}'
            )
        {
            run.push(letter);
        } else if !letter.is_whitespace() {
            pieces(&run, each);
            run.clear();
        }
        previous = letter;
    }
}

fn pieces(run: &str, each: &mut impl FnMut(&str)) {
    // Who asks excitedly does not ask about operators.
    if run.len() < *LENGTHS.start() || run.chars().all(|letter| matches!(letter, '?' | '!')) {
        return;
    }
    for length in LENGTHS {
        for start in 0..=run.len().saturating_sub(length) {
            each(run.get(start..start + length).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(question: &str, expected: Expect) {
        let mut found = Vec::new();
        of_question(question, |piece| found.push(piece.to_owned()));
        expected.assert_eq(&found.join(" "));
    }

    #[test]
    fn operators_and_reserved_words_are_seen() {
        check("is it fine to write x, _ := f()", expect![["_: := _:="]]);
        check("def f(x=[]) why is it bad", expect![["=[ [] =[]"]]);
        check("new `using` keyword in typescript, what for", expect!["`using `using"]);
        check("make a class usable in a with statement", expect!["`with"]);
    }

    #[test]
    fn prose_has_none() {
        check("why does it hang?? (only sometimes!) - e.g.: on ci", expect![""]);
        check("snake_case and _private names", expect![""]);
    }
}
