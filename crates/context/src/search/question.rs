//! A question: its words, and what kind of answer it wants.

use crate::tokens::{is_filler, question_tokens, unique_tokens, words};

/// What is being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuestionKind {
    /// A name: where is it defined?
    Symbol,
    /// Some words: what is it about?
    Sentence,
    /// How does it work: which parts are involved?
    Architecture,
}

impl QuestionKind {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Sentence => "sentence",
            Self::Architecture => "architecture",
        }
    }
}

/// A parsed question.
#[derive(Debug, Clone)]
pub struct Question {
    /// What kind of answer it wants.
    pub kind: QuestionKind,
    /// Its words as the index has them.
    pub terms: Vec<String>,
    /// Words that may be names of code, as written, and how sure that is: `parseHeader` is one, `Session` may be.
    pub names: Vec<(String, f32)>,
    /// Two neighbouring words that may be written as one, and the words they are: "thread pool", `threadpool`.
    pub(crate) joined: Vec<(String, Vec<String>)>,
}

impl Question {
    /// Parses a question as it was asked.
    pub fn parse(text: &str) -> Self {
        let written: Vec<&str> = words(text).collect();
        let telling: Vec<&str> = written.iter().filter(|w| !is_filler(w)).copied().collect();
        let terms = question_tokens(text);
        let kind = kind_of(text, &written);
        let names = match kind {
            QuestionKind::Symbol => {
                written.last().map(|name| ((*name).to_owned(), 1.0)).into_iter().collect()
            }
            _ => telling
                .iter()
                .filter(|w| w.len() > 2)
                .filter_map(|w| Some(((*w).to_owned(), name_sureness(w)?)))
                .collect(),
        };
        let joined = telling.windows(2).flat_map(|pair| joined(pair[0], pair[1])).collect();
        Self { kind, terms, names, joined }
    }
}

/// Two words as one, each also without the `s` at its end.
fn joined(first: &str, second: &str) -> Vec<(String, Vec<String>)> {
    let without = |word: &str| word.strip_suffix('s').map(str::to_owned);
    let firsts = [Some(first.to_owned()), without(first)];
    let seconds = [Some(second.to_owned()), without(second)];
    let words = unique_tokens(&format!("{first} {second}"));
    let pairs = firsts.iter().flatten().flat_map(|f| seconds.iter().flatten().map(move |s| (f, s)));
    pairs.map(|(f, s)| (format!("{f}{s}").to_lowercase(), words.clone())).collect()
}

fn kind_of(text: &str, words: &[&str]) -> QuestionKind {
    let first = words.first().map(|w| w.to_lowercase());
    let asks =
        matches!(first.as_deref(), Some("how" | "why" | "what" | "where" | "which" | "when"));
    if asks && words.len() > 2 {
        return QuestionKind::Architecture;
    }
    let one_name = !text.trim().contains(char::is_whitespace);
    if one_name && !words.is_empty() { QuestionKind::Symbol } else { QuestionKind::Sentence }
}

/// How sure it is that a word among others is a name; `None` for a plain one.
fn name_sureness(word: &str) -> Option<f32> {
    if looks_like_code(word) {
        return Some(1.0);
    }
    word.starts_with(char::is_uppercase).then_some(0.6)
}

/// `camelCase`, `PascalCase`, `snake_case`, `CONSTANT`: not a plain or a merely capitalised word.
fn looks_like_code(word: &str) -> bool {
    let inner_upper = word.chars().skip(1).any(char::is_uppercase);
    let has_lower = word.chars().any(char::is_lowercase);
    (inner_upper && has_lower) || word.trim_matches('_').contains('_')
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: &Expect) {
        let q = Question::parse(text);
        expected.assert_eq(&format!("{} [{}] {:?}", q.kind.name(), q.terms.join(" "), q.names));
    }

    #[test]
    fn kinds() {
        check(
            "render_template",
            &expect![[r#"symbol [rend templ rendertemplate] [("render_template", 1.0)]"#]],
        );
        check("Router::new", &expect![[r#"symbol [rout new] [("new", 1.0)]"#]]);
        check(
            "how does the application context push and pop",
            &expect!["architecture [applic context push pop] []"],
        );
        check(
            "error handlers for HTTPException",
            &expect![[
                r#"sentence [error handl http except httpexception] [("HTTPException", 1.0)]"#
            ]],
        );
        check("what is it", &expect!["architecture [what is it] []"]);
    }
}
