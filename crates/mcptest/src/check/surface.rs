//! What a server says of itself: its opening, its tools and their schemas.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Check, Found, Look, Said};
use crate::Fault;

pub(super) const OPENING: Check = Check {
    id: "opening",
    about: "the opening names the server, its version and its capabilities",
    specification: "Base protocol, Lifecycle",
    fix: "send serverInfo with name and version, and an object of capabilities",
    run: |look| Box::pin(async { Ok(opening(look)) }),
};

pub(super) const TOOL_NAMES: Check = Check {
    id: "tool-names",
    about: "tool names are unique and of a form that every client accepts",
    specification: "Server features, Tools, Tool names",
    fix: "use 1 to 64 characters of A-Z, a-z, 0-9, _ and -, each name once",
    run: |look| Box::pin(async { tools(look).map(|tools| names(tools)) }),
};

pub(super) const TOOL_SCHEMAS: Check = Check {
    id: "tool-schemas",
    about: "input and output schemas are JSON Schemas that clients accept",
    specification: "Server features, Tools, Tool",
    fix: "give every schema \"type\": \"object\" at its root, and only keywords and formats of JSON Schema",
    run: |look| {
        Box::pin(async {
            tools(look).map(|all| all.iter().flat_map(|t| schemas(t, look.stateless())).collect())
        })
    },
};

pub(super) const SAME_LIST_TWICE: Check = Check {
    id: "list-order",
    about: "the list of tools is the same when it is asked for again",
    specification: "Server features, Tools, Listing tools",
    fix: "list tools in a fixed order, so that clients can cache what they read",
    run: |look| Box::pin(same_twice(look)),
};

pub(super) const CAPABILITIES: Check = Check {
    id: "capabilities",
    about: "what is declared works, and what works is declared",
    specification: "Base protocol, Lifecycle, Capability negotiation",
    fix: "declare a capability exactly if its methods are there",
    run: |look| Box::pin(async { Ok(capabilities(look)) }),
};

pub(super) fn tools(look: &Look) -> Result<&Vec<Value>, String> {
    look.tools.as_ref().map_err(|fault| format!("the tools can't be listed: {fault}"))
}

fn opening(look: &Look) -> Vec<Found> {
    let era = look.connection.client.era();
    let info = era.server_info();
    let mut found = Vec::new();
    for field in ["name", "version"] {
        if info[field].as_str().is_none_or(str::is_empty) {
            let said = format!("the opening does not give the server's {field}");
            found.push(if look.stateless() { Found::warning(said) } else { Found::error(said) });
        }
    }
    if !era.opening["capabilities"].is_object() {
        found.push(Found::error("the opening has no object of capabilities"));
    }
    found.into_iter().map(|found| found.shown_by(1..=3)).collect()
}

fn names(tools: &[Value]) -> Vec<Found> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for tool in tools {
        let Some(name) = tool["name"].as_str() else {
            found.push(Found::error(format!("a tool has no name: {}", short(tool))));
            continue;
        };
        if !seen.insert(name) {
            found.push(Found::error(format!("two tools are named `{name}`")));
        }
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        if !plain || name.is_empty() || name.len() > 128 {
            found.push(Found::warning(format!(
                "the name `{name}` has a form that clients may refuse"
            )));
        } else if name.len() > 64 || name.contains('.') {
            found.push(Found::note(format!("some clients take only 64 characters of letters, digits, _ and -, which `{name}` is not")));
        }
    }
    found
}

fn schemas(tool: &Value, any_output: bool) -> Vec<Found> {
    let name = tool["name"].as_str().unwrap_or("(no name)");
    let mut found = Vec::new();
    let Some(input) = tool.get("inputSchema") else {
        return vec![Found::error(format!(
            "`{name}` has no inputSchema: typed clients drop the whole list"
        ))];
    };
    found.extend(schema(name, "inputSchema", input, true));
    if let Some(output) = tool.get("outputSchema") {
        found.extend(schema(name, "outputSchema", output, !any_output));
    }
    found
}

fn schema(tool: &str, which: &str, schema: &Value, object_root: bool) -> Vec<Found> {
    let mut found = Vec::new();
    if !schema.is_object() {
        return vec![Found::error(format!(
            "the {which} of `{tool}` is not an object: {}",
            short(schema)
        ))];
    }
    if object_root && schema["type"] != "object" {
        let said = format!(
            "the root of the {which} of `{tool}` is not \"type\": \"object\": several clients drop the whole list"
        );
        found.push(Found::error(said));
    }
    if let Err(error) = jsonschema::validator_for(schema) {
        found.push(Found::error(format!(
            "the {which} of `{tool}` is no valid JSON Schema: {error}"
        )));
    }
    let mut odd = HashSet::new();
    formats(schema, &mut odd);
    for format in odd {
        found.push(Found::note(format!(
            "the {which} of `{tool}` uses the format `{format}`, which clients warn about"
        )));
    }
    found
}

/// The formats that JSON Schema defines; clients warn about others.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

fn formats(schema: &Value, odd: &mut HashSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(format) = fields.get("format").and_then(Value::as_str)
                && fields.contains_key("type")
                && !FORMATS.contains(&format)
            {
                odd.insert(format.to_owned());
            }
            fields.values().for_each(|value| formats(value, odd));
        }
        Value::Array(items) => items.iter().for_each(|item| formats(item, odd)),
        _ => {}
    }
}

async fn same_twice(look: &Look) -> Said {
    let first = tools(look)?;
    let (again, frames) = look.ask("tools/list", json!({})).await;
    let again = again.map_err(|fault| fault.to_string())?;
    let second = again.result["tools"].as_array().cloned().unwrap_or_default();
    let names = |tools: &[Value]| tools.iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
    let whole = again.result.get("nextCursor").is_none();
    Ok(match whole && names(first) != names(&second) {
        true => {
            vec![Found::warning("the second list of tools differs from the first").shown_by(frames)]
        }
        false => Vec::new(),
    })
}

fn capabilities(look: &Look) -> Vec<Found> {
    let lists =
        [("tools", &look.tools), ("resources", &look.resources), ("prompts", &look.prompts)];
    let mut found = Vec::new();
    for (name, list) in lists {
        match (look.claims(name), list) {
            (true, Err(fault @ Fault::Rpc { .. })) => {
                found.push(Found::error(format!(
                    "`{name}` is declared, but {name}/list fails: {fault}"
                )));
            }
            (false, Ok(entries)) if !entries.is_empty() => {
                found.push(Found::error(format!(
                    "{name} are listed, but the capability `{name}` is not declared"
                )));
            }
            _ => {}
        }
    }
    found
}

pub(super) fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}
