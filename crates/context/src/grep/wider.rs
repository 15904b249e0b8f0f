//! When nothing matched: which wider question would have.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use proofstone_jail::Root;

use super::{FilePattern, Request, compile, run};
use crate::walk::Scope;

/// Time for all tries together.
const TIME: Duration = Duration::from_millis(700);

/// A change to the question under which something matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wider {
    /// What to change, as a sentence.
    pub advice: String,
    /// How many lines would match.
    pub total: u64,
    /// The first file with one.
    pub first_file: String,
}

/// Tries wider questions in turn, until one has matches or the time is up.
pub fn wider(root: &Root, request: &Request, stop: &AtomicBool) -> Option<Wider> {
    let deadline = Instant::now() + TIME;
    tries(request).into_iter().find_map(
        |(advice, pattern, case_sensitive, files, respect_ignores)| {
            let matcher = compile(&pattern, case_sensitive).ok()?;
            let files = files.map(|files| FilePattern::parse(&files)).transpose().ok()?;
            let scope = Scope { root: root.path(), policy: root.policy(), respect_ignores };
            let outcome = run(root, &scope, &matcher, files.as_ref(), 1, stop, Some(deadline));
            let first_file = outcome.matches.first()?.file.clone();
            Some(Wider { advice, total: outcome.total, first_file })
        },
    )
}

type Try = (String, String, bool, Option<String>, bool);

fn tries(request: &Request) -> Vec<Try> {
    let (pattern, files) = (&request.pattern, &request.file_pattern);
    let case = request.case_sensitive;
    let mut tries: Vec<Try> = Vec::new();
    if case {
        tries.push((
            "set caseSensitive to false".to_owned(),
            pattern.clone(),
            false,
            files.clone(),
            true,
        ));
    }
    let literal = escape(pattern);
    if literal != *pattern {
        let advice =
            format!("escape the special characters to search for the literal text: {literal}");
        tries.push((advice, literal, false, files.clone(), true));
    }
    if files.is_some() {
        tries.push(("leave out filePattern".to_owned(), pattern.clone(), case, None, true));
    }
    let loose = pattern.split_whitespace().collect::<Vec<_>>().join(r"\s*");
    if loose != *pattern {
        tries.push((
            format!("allow any space between the words: {loose}"),
            loose,
            false,
            files.clone(),
            true,
        ));
    }
    let advice =
        "the only matches are in files that ignore files leave out; read them with read_file";
    tries.push((advice.to_owned(), pattern.clone(), case, files.clone(), false));
    tries
}

/// The pattern with every special character taken literally.
fn escape(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        if matches!(
            c,
            '\\' | '.'
                | '+'
                | '*'
                | '?'
                | '('
                | ')'
                | '|'
                | '['
                | ']'
                | '{'
                | '}'
                | '^'
                | '$'
                | '#'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
