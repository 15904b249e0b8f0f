//! Names: where they are defined, and where they are used as far as syntax can tell.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use proofstone_jail::Root;

use crate::grep::{self, GrepError, Request};
use crate::index::View;
use crate::search::PathKind;
use crate::syntax::Definition;

/// A definition and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Path relative to the root.
    pub path: String,
    /// What is defined.
    pub definition: Definition,
    /// The definition around it, such as a method's class.
    pub container: Option<String>,
}

/// Definitions of a name: exact ones first, then those that differ in case, then those that contain it.
pub fn definitions(view: &View, name: &str, limit: usize) -> (Vec<Symbol>, usize) {
    let name = name.rsplit("::").next().unwrap_or(name);
    let name = name.rsplit('.').next().unwrap_or(name);
    let lower = name.to_lowercase();
    let mut found: Vec<(u8, Symbol)> = Vec::new();
    for id in view.live_docs() {
        let all: Vec<Definition> = view.segment(id).doc_definitions(id.doc).collect();
        for definition in &all {
            let Some(fit) = fit(&definition.name, name, &lower) else { continue };
            let container = around(&all, definition);
            for file in view.holders(id).files() {
                let path = view.files()[*file as usize].path.clone();
                found.push((
                    fit,
                    Symbol { path, definition: definition.clone(), container: container.clone() },
                ));
            }
        }
    }
    found.sort_by(|(fit_a, a), (fit_b, b)| order(*fit_a, a).cmp(&order(*fit_b, b)));
    let total = found.len();
    (found.into_iter().take(limit).map(|(_, symbol)| symbol).collect(), total)
}

fn order(fit: u8, symbol: &Symbol) -> (u8, bool, bool, &str, u32) {
    let is_source = PathKind::of(&symbol.path) == PathKind::Source;
    (fit, !symbol.definition.kind.is_main(), !is_source, &symbol.path, symbol.definition.start_line)
}

fn fit(found: &str, name: &str, lower: &str) -> Option<u8> {
    if found == name {
        return Some(0);
    }
    let found = found.to_lowercase();
    if found == lower {
        Some(1)
    } else if found.starts_with(lower) {
        Some(2)
    } else {
        found.contains(lower).then_some(3)
    }
}

fn around(all: &[Definition], inner: &Definition) -> Option<String> {
    let holds = |outer: &&Definition| {
        *outer != inner
            && outer.start_line <= inner.start_line
            && outer.end_line >= inner.end_line
            && outer.end_line > outer.start_line
    };
    all.iter()
        .filter(holds)
        .min_by_key(|outer| outer.end_line - outer.start_line)
        .map(|outer| outer.name.clone())
}

/// One place where a name stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Path relative to the root.
    pub path: String,
    /// Line, 1-based.
    pub line: u64,
    /// Column, 1-based.
    pub column: u64,
    /// The line.
    pub text: String,
    /// definition, import, call or mention.
    pub kind: &'static str,
}

/// Where a name stands as a whole word, sorted by what it is doing there. Words in comments and strings count as
/// mentions: without types nobody can tell two things of one name apart.
pub fn references(
    root: &Root,
    view: &View,
    name: &str,
    limit: usize,
    deadline: Instant,
) -> Result<(Vec<Reference>, u64, bool), GrepError> {
    let escaped: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' { c.to_string() } else { format!("\\{c}") })
        .collect();
    let pattern = format!(r"\b{escaped}\b");
    let request = Request { pattern, file_pattern: None, case_sensitive: true, limit };
    let outcome = grep::grep(root, &request, &AtomicBool::new(false), Some(deadline))?;
    let references = outcome.matches.into_iter().map(|m| {
        let kind = kind_of(view, &m.file, m.line, &m.text, name);
        Reference { path: m.file, line: m.line, column: m.column, text: m.text, kind }
    });
    Ok((references.collect(), outcome.total, outcome.complete))
}

fn kind_of(view: &View, path: &str, line: u64, text: &str, name: &str) -> &'static str {
    let document = view.file_number(path).and_then(|file| view.doc(file));
    let defined = document.is_some_and(|id| {
        let mut definitions = view.segment(id).doc_definitions(id.doc);
        definitions.any(|d| d.name == name && u64::from(d.start_line) == line)
    });
    let trimmed = text.trim_start();
    let is_import = ["import ", "from ", "use ", "#include", "require", "export {", "pub use"]
        .iter()
        .any(|start| trimmed.starts_with(start));
    if defined {
        "definition"
    } else if is_import {
        "import"
    } else if ["//", "#", "*", "/*", "--", "\"\"\""].iter().any(|start| trimmed.starts_with(start))
    {
        "mention"
    } else if text.split(name).skip(1).any(|after| {
        after.trim_start().starts_with('(') || after.starts_with("::") || after.starts_with("!(")
    }) {
        "call"
    } else {
        "use"
    }
}
