//! The library's rules: compiled, and held against their own file's examples. Every anti-pattern fence must
//! trigger a rule of its file, and no good fence may. A rule that fails this is dead: listed, and never run.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::analysis::UNNAMED;
use crate::diagnostic::{Diagnostic, Level, Spot};
use crate::engine::{self, Engine, RuleSpec, Scanned, Unit};
use crate::fix;
use crate::language;
use crate::markdown::{Fence, Role};
use crate::pattern::{Pattern, RuleSource, Severity};
use crate::scan;
use crate::scope::Files;

/// How a rule did on its own file's examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelfTest {
    /// It found the anti-patterns and left the good code alone.
    Pass,
    /// Its file has no anti-pattern in its language to try it on.
    Untested,
    /// It did not, and this is what happened.
    Fail(String),
}

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its id, unique in the library.
    pub id: String,
    /// The pattern that it belongs to.
    pub pattern: String,
    /// That pattern's title.
    pub title: String,
    /// That pattern's category.
    pub category: String,
    /// How bad a match is.
    pub severity: Severity,
    /// What is wrong with what it matches.
    pub message: String,
    /// The files it is for, as written; none where it is for all.
    pub paths: Vec<String>,
    /// What tells them.
    files: Files,
    /// The rule in each of its languages.
    pub specs: Vec<RuleSpec>,
    /// Whether it can mend what it finds.
    pub has_fix: bool,
    /// Whether the fix, applied to the file's anti-patterns, parses and removes the match.
    pub fix_verified: bool,
    /// How it did on its own examples.
    pub self_test: SelfTest,
}

impl Rule {
    /// Whether it is run.
    pub fn is_alive(&self) -> bool {
        !matches!(self.self_test, SelfTest::Fail(_))
    }

    /// Whether it is for a file; code without a name may be anywhere.
    pub fn is_for(&self, path: &str) -> bool {
        path == UNNAMED || self.files.covers(path)
    }

    /// Its languages' names.
    pub fn languages(&self) -> Vec<&str> {
        self.specs.iter().map(|spec| spec.language.as_str()).collect()
    }
}

/// The rules of a library.
#[derive(Debug, Default)]
pub struct Rules {
    all: Vec<Rule>,
    diagnostics: Vec<Diagnostic>,
    by_id: HashMap<String, usize>,
}

impl Rules {
    /// Compiles and tests the rules of patterns.
    pub fn of(patterns: &[Pattern]) -> Self {
        let mut rules = Self::default();
        for pattern in patterns {
            rules.add(pattern);
        }
        rules
    }

    /// All rules, dead ones too, in the order of the library.
    pub fn all(&self) -> &[Rule] {
        &self.all
    }

    /// What is wrong with rules.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// One rule.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.by_id.get(id).map(|&at| &self.all[at])
    }

    /// What has to run for code in these languages.
    pub fn specs(&self, languages: &HashSet<String>) -> Vec<RuleSpec> {
        let alive = self.all.iter().filter(|rule| rule.is_alive());
        let specs = alive.flat_map(|rule| &rule.specs);
        specs.filter(|spec| languages.contains(&spec.language)).cloned().collect()
    }

    fn add(&mut self, pattern: &Pattern) {
        let mut fresh: Vec<Rule> = Vec::new();
        for source in &pattern.rules {
            if self.by_id.contains_key(&source.id) || fresh.iter().any(|rule| rule.id == source.id)
            {
                self.fault(
                    pattern,
                    source,
                    "duplicate-rule",
                    format!("the rule id `{}` is taken", source.id),
                );
                continue;
            }
            match compiled(pattern, source) {
                Ok(rule) => fresh.push(rule),
                Err(cause) => {
                    let message = format!("rule `{}` does not compile: {cause}", source.id);
                    let spot = spot_of(source, &cause, pattern);
                    self.push(pattern, spot, "rule-compile", message);
                }
            }
        }
        if fresh.is_empty() {
            return;
        }
        for fault in self_test(pattern, &mut fresh) {
            self.push(pattern, Spot::line(fault.0), "self-test", fault.1);
        }
        for rule in fresh {
            self.by_id.insert(rule.id.clone(), self.all.len());
            self.all.push(rule);
        }
    }

    fn fault(
        &mut self,
        pattern: &Pattern,
        source: &RuleSource,
        code: &'static str,
        message: String,
    ) {
        self.push(pattern, Spot::line(source.line), code, message);
    }

    fn push(&mut self, pattern: &Pattern, spot: Spot, code: &'static str, message: String) {
        let file = pattern.origin.file.clone();
        self.diagnostics.push(Diagnostic { level: Level::Error, code, file, spot, message });
    }
}

fn compiled(pattern: &Pattern, source: &RuleSource) -> Result<Rule, String> {
    let mut config = source.config.clone();
    let languages: Vec<String> = match config.shift_remove("language") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => {
            several.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
        }
        _ => pattern.languages.clone(),
    };
    if languages.is_empty() {
        return Err("it has no `language`".to_owned());
    }
    let mut specs = Vec::new();
    for name in &languages {
        let language = language::by_name(name).map_or(name.as_str(), |known| language::word(known));
        let spec = RuleSpec {
            id: source.id.clone(),
            language: language.to_owned(),
            config: config.clone(),
        };
        engine::compile(&spec)?;
        specs.push(spec);
    }
    Ok(Rule {
        id: source.id.clone(),
        pattern: pattern.id.clone(),
        title: pattern.title.clone(),
        category: pattern.category.clone(),
        severity: source.severity,
        message: source.message.clone(),
        paths: pattern.scope.globs(),
        files: pattern.scope.files(),
        specs,
        has_fix: config.contains_key("fix"),
        fix_verified: false,
        self_test: SelfTest::Untested,
    })
}

/// The place of the word that a cause names in backquotes, or else the rule's own line.
fn spot_of(source: &RuleSource, cause: &str, pattern: &Pattern) -> Spot {
    let Some(word) = cause.split('`').nth(1).filter(|word| !word.is_empty()) else {
        return Spot::line(source.line);
    };
    pattern.place_in_front(word, source.line).unwrap_or(Spot::line(source.line))
}

/// Tries the rules of one file on its fences. Returns what failed, with the line.
fn self_test(pattern: &Pattern, rules: &mut [Rule]) -> Vec<(usize, String)> {
    let Ok(engine) = Engine::new(rules.iter().flat_map(|rule| &rule.specs)) else {
        return Vec::new();
    };
    let mut faults: Vec<(usize, String)> = Vec::new();
    let mut fired: HashSet<String> = HashSet::new();
    let mut tried: HashSet<&str> = HashSet::new();
    let mut wrong: HashMap<String, String> = HashMap::new();
    for fence in &pattern.fences {
        let Some(language) = language::by_name(&fence.language).map(language::word) else {
            continue;
        };
        let concerns = rules.iter().any(|rule| rule.languages().contains(&language));
        if !concerns || !matches!(fence.role, Role::AntiPattern | Role::GoodExample) {
            continue;
        }
        let scanned = match scan_fence(&engine, fence, language) {
            Ok(scanned) => scanned,
            Err(refused) => {
                faults.push((fence.line, refused));
                continue;
            }
        };
        let hit: HashSet<String> = scanned.matches.iter().map(|m| m.rule.clone()).collect();
        if fence.role == Role::GoodExample {
            for m in &scanned.matches {
                let line = fence.line + m.span.start_line;
                let said = format!("rule `{}` fires on the good example at line {line}", m.rule);
                faults.push((line, said.clone()));
                wrong.insert(m.rule.clone(), said);
            }
            continue;
        }
        tried.insert(language);
        if hit.is_empty() {
            faults.push((fence.line, "no rule of this file finds this anti-pattern".to_owned()));
        }
        check_fixes(&engine, fence, language, &scanned, rules, &mut wrong, &mut faults);
        fired.extend(hit);
    }
    for rule in rules.iter_mut() {
        let tried = rule.languages().iter().any(|language| tried.contains(language));
        rule.self_test = match wrong.remove(&rule.id) {
            Some(said) => SelfTest::Fail(said),
            None if fired.contains(&rule.id) => SelfTest::Pass,
            None if !tried => SelfTest::Untested,
            None => {
                let said = format!("rule `{}` finds none of the file's anti-patterns", rule.id);
                let line = pattern
                    .rules
                    .iter()
                    .find(|source| source.id == rule.id)
                    .map_or(2, |source| source.line);
                faults.push((line, said.clone()));
                SelfTest::Fail(said)
            }
        };
    }
    faults
}

fn scan_fence(engine: &Engine, fence: &Fence, language: &str) -> Result<Scanned, String> {
    let unit =
        Unit { path: String::new(), language: language.to_owned(), code: fence.code.clone() };
    scan::FENCE_CAPS
        .check(&unit.code)
        .map_err(|refused| format!("this example is not tested: {refused}"))?;
    Ok(engine.scan(&unit))
}

/// Applies each rule's fixes to an anti-pattern: the result must parse as well as before, without the match.
fn check_fixes(
    engine: &Engine,
    fence: &Fence,
    language: &str,
    scanned: &Scanned,
    rules: &mut [Rule],
    wrong: &mut HashMap<String, String>,
    faults: &mut Vec<(usize, String)>,
) {
    for rule in rules.iter_mut().filter(|rule| rule.has_fix) {
        let edits: Vec<_> = scanned
            .matches
            .iter()
            .filter(|m| m.rule == rule.id)
            .filter_map(|m| m.edit.clone())
            .collect();
        if edits.is_empty() {
            continue;
        }
        let (fixed, _) = fix::apply(&fence.code, &edits);
        let unit = Unit { path: String::new(), language: language.to_owned(), code: fixed };
        let again = engine.scan(&unit);
        let left = again.matches.iter().any(|m| m.rule == rule.id);
        let broke = again.syntax_errors && !scanned.syntax_errors;
        if left || broke {
            let what = if broke { "breaks the syntax of" } else { "does not mend" };
            let said = format!("the fix of rule `{}` {what} this anti-pattern", rule.id);
            faults.push((fence.line, said.clone()));
            wrong.insert(rule.id.clone(), said);
        } else {
            rule.fix_verified = true;
        }
    }
}
