//! What a syntax tree offers for coverage.

use super::map::Span;
use serde_json::Value as Json;

/// What can be covered in one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// Statements, and the conditions of those that hold others.
    pub(super) statements: Vec<Span>,
    /// Functions with a body: name, contract, whole stretch and body.
    pub(super) functions: Vec<FunctionOutline>,
    /// Places where the way forks.
    pub(super) branches: Vec<BranchOutline>,
    /// Contracts and their stretches.
    pub(super) contracts: Vec<(String, Span)>,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionOutline {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) body: Span,
}

#[derive(Clone, Debug)]
pub(super) struct BranchOutline {
    /// The whole construct and its condition: the jump belongs to one of them.
    pub(super) span: Span,
    pub(super) condition: Span,
    /// A failed `require` goes straight on to the revert; a false `if` jumps over its body.
    pub(super) jumps_when_true: bool,
}

impl Outline {
    /// Reads the tree of one file.
    pub(super) fn of(ast: &Json) -> Self {
        let mut outline = Self::default();
        outline.visit(ast, "");
        outline
    }

    fn visit(&mut self, node: &Json, contract: &str) {
        match node {
            Json::Array(items) => items.iter().for_each(|item| self.visit(item, contract)),
            Json::Object(fields) => {
                let name = self.note(node, contract);
                let inner = name.as_deref().unwrap_or(contract);
                for value in fields.values().filter(|v| v.is_object() || v.is_array()) {
                    self.visit(value, inner);
                }
            }
            _ => {}
        }
    }

    /// Notes a node; returns the contract's name if the node is one.
    fn note(&mut self, node: &Json, contract: &str) -> Option<String> {
        let span = span_of(node)?;
        match node["nodeType"].as_str()? {
            "ContractDefinition" => {
                let name = node["name"].as_str()?.to_owned();
                self.contracts.push((name.clone(), span));
                return Some(name);
            }
            "FunctionDefinition" | "ModifierDefinition" => self.note_function(node, span, contract),
            "ExpressionStatement"
            | "VariableDeclarationStatement"
            | "Return"
            | "EmitStatement"
            | "RevertStatement"
            | "Break"
            | "Continue"
            | "InlineAssembly" => self.statements.push(span),
            "IfStatement" | "Conditional" => {
                let condition = span_of(&node["condition"]).unwrap_or(span);
                if node["nodeType"] == "IfStatement" {
                    self.statements.push(condition);
                }
                self.branches.push(BranchOutline { span, condition, jumps_when_true: false });
            }
            "WhileStatement" | "DoWhileStatement" | "ForStatement" => {
                self.statements.extend(span_of(&node["condition"]));
            }
            "FunctionCall" if matches!(callee(node), Some("require" | "assert")) => {
                let condition = span_of(&node["arguments"][0]).unwrap_or(span);
                self.branches.push(BranchOutline { span, condition, jumps_when_true: true });
            }
            _ => {}
        }
        None
    }

    fn note_function(&mut self, node: &Json, span: Span, contract: &str) {
        let Some(body) = span_of(&node["body"]) else { return };
        let name = match (node["name"].as_str(), node["kind"].as_str()) {
            (Some(""), Some(kind)) => kind,
            (Some(name), _) => name,
            _ => return,
        };
        let name = if contract.is_empty() { name.to_owned() } else { format!("{contract}.{name}") };
        self.functions.push(FunctionOutline { name, span, body });
    }
}

fn callee(node: &Json) -> Option<&str> {
    node["expression"]["name"].as_str()
}

fn span_of(node: &Json) -> Option<Span> {
    Span::parse(node["src"].as_str()?)
}
