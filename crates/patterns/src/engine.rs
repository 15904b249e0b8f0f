//! Rules compiled and run on code, in this process. [`crate::scan`] decides what may reach it and from where; the
//! types here also travel between the two processes.

use std::collections::HashMap;

use ast_grep_config::{CombinedScan, GlobalRules, RuleConfig, SerializableRuleConfig};
use ast_grep_language::{LanguageExt, SupportLang};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::language;

/// The most matches that one file reports; the rest is counted.
pub const MOST_MATCHES: usize = 1000;

/// A rule for one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleSpec {
    /// The rule's id.
    pub id: String,
    /// The language.
    pub language: String,
    /// Its ast-grep configuration, without id and language.
    pub config: Map<String, Value>,
}

/// Code to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// What it is called in answers.
    pub path: String,
    /// Its language.
    pub language: String,
    /// The code.
    pub code: String,
}

/// A range of code: bytes from 0, lines and columns from 1, the end behind the last character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// The first line.
    pub start_line: usize,
    /// The first column, in characters.
    pub start_column: usize,
    /// The last line.
    pub end_line: usize,
    /// The column after the last character.
    pub end_column: usize,
}

/// Bytes to replace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// What stands there afterwards.
    pub text: String,
}

/// A place where a rule matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// The rule.
    pub rule: String,
    /// Where.
    pub span: Span,
    /// The code there, shortened.
    pub text: String,
    /// What the rule would make of it.
    pub edit: Option<Edit>,
}

/// What was found in one unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    /// The unit.
    pub path: String,
    /// The matches, in order of their places.
    pub matches: Vec<Match>,
    /// How many more there were.
    pub dropped: usize,
    /// Whether the code has places that the parser could not make sense of.
    pub syntax_errors: bool,
}

/// Compiled rules by language.
#[derive(Default)]
pub struct Engine {
    rules: HashMap<SupportLang, Vec<RuleConfig<SupportLang>>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("languages", &self.rules.len()).finish()
    }
}

impl Engine {
    /// Compiles rules; the first that does not compile ends it.
    pub fn new<'a>(specs: impl IntoIterator<Item = &'a RuleSpec>) -> Result<Self, String> {
        let mut rules: HashMap<SupportLang, Vec<_>> = HashMap::new();
        for spec in specs {
            let rule = compile(spec)?;
            rules.entry(rule.language).or_default().push(rule);
        }
        Ok(Self { rules })
    }

    /// Runs the rules of the unit's language on it.
    pub fn scan(&self, unit: &Unit) -> Scanned {
        let mut scanned = Scanned {
            path: unit.path.clone(),
            matches: Vec::new(),
            dropped: 0,
            syntax_errors: false,
        };
        let Some(language) = language::by_name(&unit.language) else { return scanned };
        let grep = language.ast_grep(&unit.code);
        scanned.syntax_errors = grep.root().get_inner_node().has_error();
        let Some(rules) = self.rules.get(&language) else { return scanned };
        let combined = CombinedScan::new(rules.iter().collect());
        for (rule, nodes) in combined.scan(&grep, false).matches {
            for node in nodes {
                if scanned.matches.len() >= MOST_MATCHES {
                    scanned.dropped += 1;
                    continue;
                }
                let edit = rule.fixer.first().map(|fixer| {
                    let edit = node.make_edit(&rule.matcher, fixer);
                    Edit {
                        start: edit.position,
                        end: edit.position + edit.deleted_length,
                        text: String::from_utf8_lossy(&edit.inserted_text).into_owned(),
                    }
                });
                let (range, start, end) = (node.range(), node.start_pos(), node.end_pos());
                let span = Span {
                    start: range.start,
                    end: range.end,
                    start_line: start.line() + 1,
                    start_column: start.column(&node) + 1,
                    end_line: end.line() + 1,
                    end_column: end.column(&node) + 1,
                };
                let text = shortened(&node.text());
                scanned.matches.push(Match { rule: rule.id.clone(), span, text, edit });
            }
        }
        scanned.matches.sort_by(|a, b| {
            (a.span.start, a.span.end, &a.rule).cmp(&(b.span.start, b.span.end, &b.rule))
        });
        scanned
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 400;
    match text.len() > MOST {
        true => format!("{}…", &text[..text.floor_char_boundary(MOST)]),
        false => text.to_owned(),
    }
}

/// Compiles one rule, or says the innermost reason why it can't be.
pub fn compile(spec: &RuleSpec) -> Result<RuleConfig<SupportLang>, String> {
    let Some(language) = language::by_name(&spec.language) else {
        let known: Vec<&str> = language::words().collect();
        return Err(format!(
            "there is no parser for `{}`; there is one for {}",
            spec.language,
            known.join(", ")
        ));
    };
    let mut config = spec.config.clone();
    config.insert("id".into(), spec.id.clone().into());
    config.insert("language".into(), language.to_string().into());
    let config: SerializableRuleConfig<SupportLang> =
        serde_json::from_value(Value::Object(config)).map_err(|error| error.to_string())?;
    RuleConfig::try_from(config, &GlobalRules::default()).map_err(|error| innermost(&error))
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
