//! The imports of a file as they are written.

use tree_sitter::{Node, Tree};

use crate::language::Language as L;
use crate::syntax::{node_text, parse};

/// One import.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Import {
    /// What is imported, in the language's own way of saying it: a path, a dotted name.
    pub target: String,
    /// Line, 1-based.
    pub line: u32,
    /// How it is imported: `import`, `export`, `require`, `dynamic`, `include`, `module`.
    pub kind: &'static str,
    /// Whether the language says the target is the project's own or the system's (`#include <x>`).
    pub system: bool,
}

/// Where a file stops being readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Line, 1-based.
    pub line: u32,
    /// Whether the imports themselves may be affected.
    pub touches_imports: bool,
}

/// Reads the imports of a text. A fault inside some function is reported and the imports are still read.
pub fn written(language: L, text: &str) -> (Vec<Import>, Option<SyntaxFault>) {
    let Some(tree) = parse(language, text) else { return (Vec::new(), None) };
    let mut imports = Vec::new();
    collect(language, tree.root_node(), text, 0, &mut imports);
    imports.dedup();
    (imports, fault(language, &tree))
}

/// How deep imports are looked for: inside conditions and functions too, but not without end.
const DEPTH: usize = 40;

fn collect(language: L, node: Node<'_>, text: &str, depth: usize, out: &mut Vec<Import>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let before = out.len();
        match language {
            L::TypeScript | L::Tsx | L::JavaScript => javascript(child, text, out),
            L::Python => python(child, text, out),
            L::Rust => rust(child, text, out),
            L::Go => field_import(child, "import_spec", "path", text, out),
            L::Java => java(child, text, out),
            L::C | L::Cpp => include(child, text, out),
            L::Solidity => field_import(child, "import_directive", "source", text, out),
            _ => {}
        }
        if out.len() == before && depth < DEPTH && child.named_child_count() > 0 {
            collect(language, child, text, depth + 1, out);
        }
    }
}

fn push(out: &mut Vec<Import>, node: Node<'_>, target: &str, kind: &'static str) {
    let line = node.start_position().row as u32 + 1;
    let target = target.trim_matches(['"', '\'', '`', '<', '>', ' ']).to_owned();
    if !target.is_empty() {
        out.push(Import { target, line, kind, system: false });
    }
}

fn javascript(node: Node<'_>, text: &str, out: &mut Vec<Import>) {
    let kind = match node.kind() {
        "import_statement" => "import",
        "export_statement" => "export",
        "call_expression" => return javascript_call(node, text, out),
        _ => return,
    };
    if let Some(source) = node.child_by_field_name("source") {
        push(out, node, node_text(source, text), kind);
    }
}

fn javascript_call(node: Node<'_>, text: &str, out: &mut Vec<Import>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let kind = match node_text(function, text) {
        "require" => "require",
        "import" => "dynamic",
        _ => return,
    };
    let argument =
        node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    if let Some(argument) = argument.filter(|argument| argument.kind() == "string") {
        push(out, node, node_text(argument, text), kind);
    }
}

fn python(node: Node<'_>, text: &str, out: &mut Vec<Import>) {
    let mut cursor = node.walk();
    match node.kind() {
        "import_statement" => {
            for name in node.children_by_field_name("name", &mut cursor) {
                let name = name.child_by_field_name("name").unwrap_or(name);
                push(out, node, node_text(name, text), "import");
            }
        }
        "import_from_statement" => {
            let Some(module) = node.child_by_field_name("module_name") else { return };
            let module = node_text(module, text);
            push(out, node, module, "import");
            let separator = if module.ends_with('.') { "" } else { "." };
            for name in node.children_by_field_name("name", &mut cursor) {
                let name = name.child_by_field_name("name").unwrap_or(name);
                push(out, node, &format!("{module}{separator}{}", node_text(name, text)), "member");
            }
        }
        _ => {}
    }
}

fn rust(node: Node<'_>, text: &str, out: &mut Vec<Import>) {
    match node.kind() {
        "mod_item" if node.child_by_field_name("body").is_none() => {
            if let Some(name) = node.child_by_field_name("name") {
                push(out, node, node_text(name, text), "module");
            }
        }
        "use_declaration" => {
            if let Some(argument) = node.child_by_field_name("argument") {
                for path in use_paths(node_text(argument, text)) {
                    push(out, node, &path, "import");
                }
            }
        }
        _ => {}
    }
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn use_paths(text: &str) -> Vec<String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut paths = Vec::new();
    expand("", &text, &mut paths, 0);
    paths
}

fn expand(prefix: &str, text: &str, paths: &mut Vec<String>, depth: usize) {
    let Some(open) = text.find('{').filter(|_| depth < 16) else {
        let path = text.split(" as ").next().unwrap_or(text);
        paths.push(format!("{prefix}{path}"));
        return;
    };
    let head = format!("{prefix}{}", &text[..open]);
    let inner = text[open + 1..].strip_suffix('}').unwrap_or(&text[open + 1..]);
    let mut level = 0_i32;
    let mut start = 0;
    for (at, c) in inner.char_indices() {
        match c {
            '{' => level += 1,
            '}' => level -= 1,
            ',' if level == 0 => {
                expand(&head, &inner[start..at], paths, depth + 1);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < inner.len() {
        expand(&head, &inner[start..], paths, depth + 1);
    }
}

fn java(node: Node<'_>, text: &str, out: &mut Vec<Import>) {
    if node.kind() == "import_declaration" {
        let words = node_text(node, text).trim_end_matches(';').trim_start_matches("import");
        push(out, node, words.trim().trim_start_matches("static "), "import");
    }
}

fn include(node: Node<'_>, text: &str, out: &mut Vec<Import>) {
    if node.kind() == "preproc_include"
        && let Some(path) = node.child_by_field_name("path")
    {
        let written = node_text(path, text);
        push(out, node, written, "include");
        if let Some(last) = out.last_mut() {
            last.system = written.starts_with('<');
        }
    }
}

fn field_import(node: Node<'_>, kind: &str, field: &str, text: &str, out: &mut Vec<Import>) {
    if node.kind() == kind
        && let Some(path) = node.child_by_field_name(field)
    {
        push(out, node, node_text(path, text), "import");
    }
}

/// The first place the parser could not read. Files of C and C++ are never at fault: without the preprocessor
/// nobody can read them all.
fn fault(language: L, tree: &Tree) -> Option<SyntaxFault> {
    let root = tree.root_node();
    if !root.has_error() || matches!(language, L::C | L::Cpp) {
        return None;
    }
    let first = first_error(root, 0)?;
    let at_top = root.is_error()
        || first.parent().is_none_or(|parent| parent == root || parent.kind().contains("import"));
    Some(SyntaxFault { line: first.start_position().row as u32 + 1, touches_imports: at_top })
}

fn first_error(node: Node<'_>, depth: usize) -> Option<Node<'_>> {
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    let mut cursor = node.walk();
    let faulty: Vec<Node<'_>> =
        node.children(&mut cursor).filter(|c| c.has_error() || c.is_missing()).collect();
    faulty
        .into_iter()
        .find_map(|child| if depth < 400 { first_error(child, depth + 1) } else { Some(child) })
}
