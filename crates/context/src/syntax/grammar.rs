//! The grammars in the binary, and parsing with a bound on the time it takes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Range, Tree};

use crate::language::Language as L;

/// A file that takes more is cut by lines: pathological input must not hold up the rest. Counted in the parser's own
/// steps, some hundred operations each, so that a busy machine cuts no file another way. A megabyte of code takes
/// three to thirteen thousand.
const MOST_STEPS: usize = 60_000;
/// Steps may be slow as well. No file that is not made for it takes this long.
const PARSE_TIME: Duration = Duration::from_secs(10);

/// Whether files of this language are cut by syntax.
pub fn has_grammar(language: L) -> bool {
    grammar(language).is_some()
}

/// Parses a text; `None` when there is no grammar or it took too long.
pub fn parse(language: L, text: &str) -> Option<Tree> {
    parse_ranges(language, text, &[])
}

/// Parses the ranges of a text as if nothing were between them, or all of it where there are none.
pub(super) fn parse_ranges(language: L, text: &str, ranges: &[Range]) -> Option<Tree> {
    thread_local!(static PARSERS: RefCell<HashMap<L, Parser>> = RefCell::new(HashMap::new()));
    PARSERS.with_borrow_mut(|parsers| {
        let parser = match parsers.entry(language) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let mut parser = Parser::new();
                parser.set_language(&grammar(language)?).ok()?;
                place.insert(parser)
            }
        };
        parser.set_included_ranges(ranges).ok()?;
        let (started, mut steps) = (Instant::now(), 0);
        let mut watch = |_: &tree_sitter::ParseState| {
            steps += 1;
            if steps > MOST_STEPS || started.elapsed() > PARSE_TIME {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let bytes = text.as_bytes();
        let options = ParseOptions::new().progress_callback(&mut watch);
        let tree = parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or(&[]),
            None,
            Some(options),
        );
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

fn grammar(language: L) -> Option<tree_sitter::Language> {
    Some(match language {
        L::Bash => tree_sitter_bash::LANGUAGE.into(),
        L::C => tree_sitter_c::LANGUAGE.into(),
        L::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        L::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
        L::Elixir => tree_sitter_elixir::LANGUAGE.into(),
        L::Go => tree_sitter_go::LANGUAGE.into(),
        L::Haskell => tree_sitter_haskell::LANGUAGE.into(),
        L::Java => tree_sitter_java::LANGUAGE.into(),
        L::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        L::Kotlin => tree_sitter_kotlin_ng::LANGUAGE.into(),
        L::Lua => tree_sitter_lua::LANGUAGE.into(),
        L::Php => tree_sitter_php::LANGUAGE_PHP.into(),
        L::Python => tree_sitter_python::LANGUAGE.into(),
        L::Ruby => tree_sitter_ruby::LANGUAGE.into(),
        L::Rust => tree_sitter_rust::LANGUAGE.into(),
        L::Scala => tree_sitter_scala::LANGUAGE.into(),
        L::Solidity => tree_sitter_solidity::LANGUAGE.into(),
        L::Swift => tree_sitter_swift::LANGUAGE.into(),
        L::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        L::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        L::Zig => tree_sitter_zig::LANGUAGE.into(),
        _ => return None,
    })
}
