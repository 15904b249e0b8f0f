//! One toolset's reference page in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::WITHOUT;
use crate::session::Example;

/// Longer lists and texts are cut on the page.
const ITEMS: usize = 2;
const LETTERS: usize = 280;

pub(crate) fn write(set: &str, tools: &[Value], examples: &BTreeMap<String, Example>) -> String {
    let mut page = format!(
        "# The tools of `{set}`\n\n\
         Made from the tools' definitions and from real calls on `examples/` by `cargo xtask docs`; what the\n\
         toolset is for stands in [{set}.md](../{set}.md). Answers are shortened where they say `…`.\n\n"
    );
    for tool in tools {
        let _ = writeln!(page, "- [`{0}`](#{0})", name(tool));
    }
    for tool in tools {
        let _ = write!(page, "\n{}", section(tool, examples.get(name(tool))));
    }
    page
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().expect("a name")
}

fn section(tool: &Value, example: Option<&Example>) -> String {
    let description = tool["description"].as_str().unwrap_or_default();
    let mut text = format!("## {}\n\n{description}\n\n{}\n", name(tool), facts(tool));
    text.push_str(&arguments(&tool["inputSchema"]));
    match example {
        Some(example) => {
            let call = short(&example.arguments);
            let answer = match short(&example.answer) {
                Value::String(text) => text,
                value => format!("{value:#}"),
            };
            let _ = write!(
                text,
                "\nCalled with\n\n```json\n{call}\n```\n\nit answers\n\n```json\n{answer}\n```\n"
            );
        }
        None => {
            let why = WITHOUT.iter().find(|(excused, _)| *excused == name(tool));
            let _ = writeln!(text, "\nNo example: it {}.", why.map_or("has none", |(_, why)| why));
        }
    }
    text
}

/// What a call may change and what it is held to.
fn facts(tool: &Value) -> String {
    let effect = &tool["annotations"];
    let mut facts = vec![
        if effect["readOnlyHint"] == true { "Reads only" } else { "Changes state" }.to_owned(),
    ];
    let more = [
        ("destructiveHint", "may destroy something"),
        ("idempotentHint", "the same call again changes nothing"),
        ("openWorldHint", "reaches beyond this machine or project"),
    ];
    facts.extend(
        more.iter().filter(|(key, _)| effect[*key] == true).map(|(_, said)| (*said).to_owned()),
    );
    let limits = &tool["limits"];
    facts.push(format!(
        "answers within {} s",
        limits["deadlineMs"].as_f64().unwrap_or_default() / 1e3
    ));
    if let Some(rate) = limits["perMinute"].as_u64() {
        facts.push(format!("at most {rate} calls a minute"));
    }
    format!("*{}.*\n", facts.join("; "))
}

fn arguments(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else {
        return "It takes no arguments.\n".to_owned();
    };
    let needed = schema["required"].as_array().cloned().unwrap_or_default();
    let mut table = "| argument | type | |\n|---|---|---|\n".to_owned();
    for (name, property) in properties {
        let mark = if needed.iter().any(|one| one == name) { "" } else { "?" };
        let about = property["description"]
            .as_str()
            .unwrap_or_default()
            .replace('\n', " ")
            .replace('|', "\\|");
        let default = match &property["default"] {
            Value::Null => String::new(),
            default if about.ends_with('.') => format!(" Default: `{default}`."),
            default => format!(". Default: `{default}`."),
        };
        let _ =
            writeln!(table, "| `{name}`{mark} | {} | {about}{default} |", kind(schema, property));
    }
    table
}

fn kind(schema: &Value, property: &Value) -> String {
    let property =
        property["$ref"].as_str().and_then(|place| schema.pointer(&place[1..])).unwrap_or(property);
    if let Some(values) = property["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        return values.join(", ");
    }
    let mut kind = property["type"].as_str().unwrap_or("any").to_owned();
    if kind == "array" {
        kind = format!("list of {}", property["items"]["type"].as_str().unwrap_or("objects"));
    }
    match (&property["minimum"], &property["maximum"]) {
        (Value::Number(low), Value::Number(high)) => format!("{kind}, {low} to {high}"),
        (Value::Number(low), _) => format!("{kind}, from {low}"),
        _ => kind,
    }
}

/// The value with long lists and texts cut.
fn short(value: &Value) -> Value {
    match value {
        Value::Array(items) if items.len() > ITEMS + 1 => {
            let more = json!(format!("… and {} more", items.len() - ITEMS));
            items.iter().take(ITEMS).map(short).chain([more]).collect()
        }
        Value::Array(items) => items.iter().map(short).collect(),
        Value::String(text) if text.chars().count() > LETTERS => {
            json!(text.chars().take(LETTERS).chain(['…']).collect::<String>())
        }
        Value::Object(fields) if fields.len() > 12 => {
            let more = ("…".to_owned(), json!(format!("and {} more", fields.len() - 10)));
            let first = fields.iter().take(10).map(|(name, value)| (name.clone(), short(value)));
            Value::Object(first.chain([more]).collect())
        }
        Value::Object(fields) => {
            let all = fields.iter().map(|(name, value)| (name.clone(), short(value)));
            Value::Object(all.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}
