//! The named things a file defines.

use tree_sitter::{Node, Tree};

use crate::language::Language as L;

/// How far below the root definitions are looked for: namespaces and nested classes, not every expression.
const DEPTH: usize = 14;

/// Something with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name as written.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
}

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum DefinitionKind {
    Function,
    Method,
    Class,
    Interface,
    Struct,
    Enum,
    Type,
    Module,
    Constant,
    Variable,
    Macro,
    Implementation,
    Section,
}

use DefinitionKind as K;

impl DefinitionKind {
    /// Every kind, in the order of its number.
    pub const ALL: [Self; 13] = [
        K::Function,
        K::Method,
        K::Class,
        K::Interface,
        K::Struct,
        K::Enum,
        K::Type,
        K::Module,
        K::Constant,
        K::Variable,
        K::Macro,
        K::Implementation,
        K::Section,
    ];

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            K::Function => "function",
            K::Method => "method",
            K::Class => "class",
            K::Interface => "interface",
            K::Struct => "struct",
            K::Enum => "enum",
            K::Type => "type",
            K::Module => "module",
            K::Constant => "constant",
            K::Variable => "variable",
            K::Macro => "macro",
            K::Implementation => "implementation",
            K::Section => "section",
        }
    }

    /// Whether it is a place where a reader looks for the thing itself, and not one more mention.
    pub fn is_main(self) -> bool {
        !matches!(self, K::Implementation | K::Variable | K::Section)
    }

    /// Whether definitions inside its body are local to it.
    fn hides_its_body(self) -> bool {
        matches!(self, K::Function | K::Method | K::Constant | K::Variable | K::Macro | K::Type)
    }
}

/// All definitions of a parsed file, in the order they stand.
pub(crate) fn definitions(language: L, tree: &Tree, text: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    collect(language, tree.root_node(), text, 0, &mut found);
    found
}

fn collect(language: L, node: Node<'_>, text: &str, depth: usize, found: &mut Vec<Definition>) {
    if depth > DEPTH {
        return;
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let kind = kind_of(language, child, text);
        if let Some(kind) = kind
            && let Some(name) = name_of(language, child, text)
        {
            found.push(Definition {
                name,
                kind,
                start_line: line(child.start_position()),
                end_line: end_line(child),
            });
        }
        if !kind.is_some_and(K::hides_its_body) && child.named_child_count() > 0 {
            collect(language, child, text, depth + 1, found);
        }
    }
}

pub(crate) fn line(point: tree_sitter::Point) -> u32 {
    point.row as u32 + 1
}

/// The last line with something of the node on it: a node may end at the start of the next line.
pub(crate) fn end_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row {
        end.row as u32
    } else {
        end.row as u32 + 1
    }
}

/// What kind of definition a node is, if any.
fn kind_of(language: L, node: Node<'_>, text: &str) -> Option<DefinitionKind> {
    let kind = match (language, node.kind()) {
        (L::Elixir, "call") => return elixir_kind(node, text),
        (L::JavaScript | L::TypeScript | L::Tsx, "assignment_expression") => {
            return assigned_function(node);
        }
        (L::JavaScript | L::TypeScript | L::Tsx, "variable_declarator") => {
            return Some(declared_value(node));
        }
        (L::Python, "assignment") => return top_level(node).then_some(K::Variable),
        (L::C | L::Cpp, "declaration") => return prototype(node),
        (L::C | L::Cpp, "struct_specifier" | "union_specifier") => {
            return node.child_by_field_name("body").map(|_| K::Struct);
        }
        (L::Cpp, "class_specifier") => return node.child_by_field_name("body").map(|_| K::Class),
        (L::C | L::Cpp, "enum_specifier") => {
            return node.child_by_field_name("body").map(|_| K::Enum);
        }
        (L::Ruby, "assignment") => return constant_assignment(node),
        (L::Haskell, "function" | "bind") => {
            return node.child_by_field_name("name").map(|_| K::Function);
        }
        (L::Go, "method_declaration") => K::Method,
        (_, kind) => return by_name(kind),
    };
    Some(kind)
}

/// Node kinds that mean the same in every grammar that has them.
fn by_name(kind: &str) -> Option<DefinitionKind> {
    Some(match kind {
        "function_item"
        | "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_signature_item"
        | "function_signature"
        | "preproc_function_def"
        | "test_declaration" => K::Function,
        "method_definition"
        | "method_declaration"
        | "method_signature"
        | "constructor_declaration"
        | "method"
        | "singleton_method"
        | "init_declaration"
        | "protocol_function_declaration"
        | "modifier_definition"
        | "abstract_method_signature" => K::Method,
        "class_declaration"
        | "class_definition"
        | "abstract_class_declaration"
        | "class"
        | "object_definition"
        | "object_declaration"
        | "contract_declaration"
        | "record_declaration"
        | "actor_declaration" => K::Class,
        "interface_declaration"
        | "trait_item"
        | "trait_definition"
        | "trait_declaration"
        | "protocol_declaration"
        | "annotation_type_declaration" => K::Interface,
        "struct_item" | "struct_declaration" | "union_item" | "data_type" | "newtype" => K::Struct,
        "enum_item" | "enum_declaration" | "enum_definition" => K::Enum,
        "type_item"
        | "type_alias_declaration"
        | "type_definition"
        | "type_spec"
        | "type_alias"
        | "typealias_declaration"
        | "alias_declaration"
        | "concept_definition"
        | "type_synomym"
        | "delegate_declaration"
        | "event_definition"
        | "error_declaration" => K::Type,
        "mod_item"
        | "module"
        | "namespace_definition"
        | "namespace_declaration"
        | "internal_module"
        | "library_declaration" => K::Module,
        "const_item" | "const_spec" | "const_element" | "preproc_def" | "static_item" => {
            K::Constant
        }
        "var_spec"
        | "val_definition"
        | "var_definition"
        | "property_declaration"
        | "field_declaration"
        | "public_field_definition"
        | "state_variable_declaration"
        | "variable_declaration" => K::Variable,
        "macro_definition" => K::Macro,
        "impl_item" | "instance" => K::Implementation,
        _ => return None,
    })
}

fn elixir_kind(node: Node<'_>, text: &str) -> Option<DefinitionKind> {
    match slice(node.child_by_field_name("target")?, text) {
        "def" | "defp" | "defdelegate" => Some(K::Function),
        "defmacro" | "defmacrop" => Some(K::Macro),
        "defmodule" => Some(K::Module),
        "defprotocol" => Some(K::Interface),
        "defimpl" => Some(K::Implementation),
        _ => None,
    }
}

/// `exports.x = function…`, `Class.prototype.method = …`: how older JavaScript defines things.
fn assigned_function(node: Node<'_>) -> Option<DefinitionKind> {
    let left = node.child_by_field_name("left")?;
    let right = node.child_by_field_name("right")?;
    let is_function = matches!(
        right.kind(),
        "function_expression" | "arrow_function" | "class" | "generator_function"
    );
    (left.kind() == "member_expression" && is_function).then_some(K::Function)
}

fn declared_value(node: Node<'_>) -> DefinitionKind {
    match node.child_by_field_name("value").map(|value| value.kind()) {
        Some("arrow_function" | "function_expression" | "generator_function") => K::Function,
        Some("class") => K::Class,
        _ => K::Variable,
    }
}

fn top_level(node: Node<'_>) -> bool {
    let grandparent = node.parent().and_then(|parent| parent.parent());
    grandparent.is_some_and(|n| matches!(n.kind(), "module"))
        && field_kind(node, "left") == Some("identifier")
}

fn prototype(node: Node<'_>) -> Option<DefinitionKind> {
    let mut declarator = node.child_by_field_name("declarator")?;
    while declarator.kind() != "function_declarator" {
        declarator = declarator.child_by_field_name("declarator")?;
    }
    Some(K::Function)
}

fn constant_assignment(node: Node<'_>) -> Option<DefinitionKind> {
    (field_kind(node, "left") == Some("constant")).then_some(K::Constant)
}

fn field_kind<'t>(node: Node<'t>, field: &str) -> Option<&'t str> {
    node.child_by_field_name(field).map(|child| child.kind())
}

fn name_of(language: L, node: Node<'_>, text: &str) -> Option<String> {
    if language == L::Elixir && node.kind() == "call" {
        return elixir_name(node, text);
    }
    let mut named = name_node(node)?;
    while let Some(inner) = inner_name(named) {
        named = inner;
    }
    let name = slice(named, text).trim();
    let name = name.rsplit("::").next().unwrap_or(name);
    (!name.is_empty() && name.len() <= 120 && !name.contains('\n')).then(|| name.to_owned())
}

fn name_node(node: Node<'_>) -> Option<Node<'_>> {
    for field in ["name", "declarator", "type", "left", "pattern", "trait"] {
        if let Some(found) = node.child_by_field_name(field) {
            if field == "type" && node.kind() != "impl_item" {
                continue;
            }
            return Some(found);
        }
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| {
        is_name(child.kind())
            || matches!(child.kind(), "variable_declarator" | "variable_declaration")
    })
}

fn is_name(kind: &str) -> bool {
    kind.ends_with("identifier") || matches!(kind, "constant" | "word" | "name" | "variable")
}

/// One step from a declarator, a member or a generic type towards the name in it.
fn inner_name(node: Node<'_>) -> Option<Node<'_>> {
    if is_name(node.kind()) {
        return None;
    }
    let fields = ["declarator", "property", "name", "field", "type"];
    fields.iter().find_map(|field| node.child_by_field_name(field)).or_else(|| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).find(|child| is_name(child.kind()))
    })
}

fn elixir_name(node: Node<'_>, text: &str) -> Option<String> {
    let mut cursor = node.walk();
    let arguments = node.named_children(&mut cursor).find(|child| child.kind() == "arguments")?;
    let first = slice(arguments.named_child(0)?, text);
    let name: String = first
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '?' | '!'))
        .collect();
    (!name.is_empty()).then_some(name)
}

pub(crate) fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or("")
}
