//! Every message of the server's against the schema of the revision in force.

use std::collections::HashMap;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{Check, Found, Look};
use crate::{Direction, Payload};

pub(super) const SCHEMA: Check = Check {
    id: "message-schema",
    about: "every message fits the schema of the protocol revision in force",
    specification: "schema.json of the revision",
    fix: "send the fields that the schema names, with the types that it names",
    run: |look| Box::pin(async { Ok(schema(look)) }),
};

pub(super) const ANOMALIES: Check = Check {
    id: "json-rpc",
    about: "stdout or the stream carries JSON-RPC messages and nothing else, each with a known id",
    specification: "Base protocol, Messages; Transports, stdio",
    fix: "write logs to stderr, answer with the request's own id, and send \"jsonrpc\": \"2.0\"",
    run: |look| Box::pin(async { Ok(anomalies(look)) }),
};

/// The results that requests are answered with.
const RESULTS: [(&str, &str); 12] = [
    ("initialize", "InitializeResult"),
    ("server/discover", "DiscoverResult"),
    ("ping", "EmptyResult"),
    ("tools/list", "ListToolsResult"),
    ("tools/call", "CallToolResult"),
    ("resources/list", "ListResourcesResult"),
    ("resources/templates/list", "ListResourceTemplatesResult"),
    ("resources/read", "ReadResourceResult"),
    ("prompts/list", "ListPromptsResult"),
    ("prompts/get", "GetPromptResult"),
    ("completion/complete", "CompleteResult"),
    ("logging/setLevel", "EmptyResult"),
];

/// The notifications of a server.
const NOTIFICATIONS: [(&str, &str); 7] = [
    ("notifications/progress", "ProgressNotification"),
    ("notifications/message", "LoggingMessageNotification"),
    ("notifications/cancelled", "CancelledNotification"),
    ("notifications/tools/list_changed", "ToolListChangedNotification"),
    ("notifications/resources/list_changed", "ResourceListChangedNotification"),
    ("notifications/resources/updated", "ResourceUpdatedNotification"),
    ("notifications/prompts/list_changed", "PromptListChangedNotification"),
];

/// The schema of a revision, compiled one definition at a time.
struct Book {
    root: Value,
    key: &'static str,
}

fn book(revision: &str) -> Option<&'static Book> {
    macro_rules! vendored {
        ($revision:literal, $key:literal) => {{
            static BOOK: OnceLock<Option<Book>> = OnceLock::new();
            let text = include_str!(concat!("../../schemas/", $revision, ".json"));
            BOOK.get_or_init(|| Some(Book { root: serde_json::from_str(text).ok()?, key: $key }))
                .as_ref()
        }};
    }
    match revision {
        "2025-03-26" => vendored!("2025-03-26", "definitions"),
        "2025-06-18" => vendored!("2025-06-18", "definitions"),
        "2025-11-25" => vendored!("2025-11-25", "$defs"),
        "2026-07-28" => vendored!("2026-07-28", "$defs"),
        _ => None,
    }
}

impl Book {
    fn validator(&self, definition: &str) -> Option<Validator> {
        self.root[self.key].get(definition)?;
        let mut schema: Map<String, Value> = self.root.as_object()?.clone();
        schema.insert("$ref".into(), json!(format!("#/{}/{definition}", self.key)));
        jsonschema::validator_for(&Value::Object(schema)).ok()
    }
}

fn schema(look: &Look) -> Vec<Found> {
    let revision = look.connection.client.era().revision.unwrap_or_default();
    let Some(book) = book(&revision) else { return Vec::new() };
    let mut validators: HashMap<&str, Option<Validator>> = HashMap::new();
    let mut asked: HashMap<u64, String> = HashMap::new();
    let mut found = Vec::new();
    for frame in look.connection.client.journal().since(0) {
        let Payload::Message(message) = &frame.payload else { continue };
        if frame.direction == Direction::Sent {
            if let (Some(id), Some(method)) = (message["id"].as_u64(), message["method"].as_str()) {
                asked.insert(id, method.to_owned());
            }
            continue;
        }
        let Some((definition, part)) = definition_of(message, &asked) else { continue };
        let validator = validators.entry(definition).or_insert_with(|| book.validator(definition));
        let Some(validator) = validator else { continue };
        let errors: Vec<String> = validator.iter_errors(part).take(3).map(|e| shown(&e)).collect();
        if !errors.is_empty() && found.len() < 20 {
            let said = format!("a message is no {definition} of {revision}: {}", errors.join("; "));
            found.push(Found::error(said).shown_by([frame.id]));
        }
    }
    found
}

/// Which definition a message of the server's must fit, and which part of it.
fn definition_of<'a>(
    message: &'a Value,
    asked: &HashMap<u64, String>,
) -> Option<(&'static str, &'a Value)> {
    let name_in = |table: &[(&str, &'static str)], method: &str| {
        table.iter().find(|(known, _)| *known == method).map(|(_, definition)| *definition)
    };
    if let Some(method) = message["method"].as_str() {
        return Some((name_in(&NOTIFICATIONS, method)?, message));
    }
    let result = message.get("result")?;
    if result.get("resultType") == Some(&json!("input_required")) {
        return Some(("InputRequiredResult", result));
    }
    Some((name_in(&RESULTS, asked.get(&message["id"].as_u64()?)?)?, result))
}

fn shown(error: &jsonschema::ValidationError<'_>) -> String {
    let text = error.to_string();
    let text: String = text.chars().take(200).collect();
    format!("at `{}`: {text}", error.instance_path())
}

fn anomalies(look: &Look) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for anomaly in look.connection.client.anomalies() {
        let expected = anomaly.kind == "error_without_id";
        if !expected && found.len() < 20 {
            let said = format!("the server sent {}", anomaly.message);
            found.push(Found::error(said).shown_by([anomaly.frame]));
        }
    }
    if let Some(fault) = look.connection.client.ended() {
        found
            .push(Found::error(format!("the connection did not live through the checks: {fault}")));
    }
    found
}
