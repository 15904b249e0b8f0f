//! Schemas that every client accepts, from Rust types.
//!
//! schemars writes correct schemas that real clients trip over: boolean subschemas, formats such as
//! `uint32`, `["string", "null"]` for optional fields, unions without `"type": "object"`. One
//! transform mends all of them, so that no tool has to think about it.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The draft of JSON Schema that a contract is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draft {
    /// Draft 2020-12, what MCP assumes where a schema does not say.
    V2020,
    /// Draft-07, said in `$schema`.
    V7,
}

impl Draft {
    fn settings(self) -> SchemaSettings {
        let mut settings = match self {
            Self::V2020 => SchemaSettings::draft2020_12(),
            Self::V7 => SchemaSettings::draft07(),
        };
        settings.inline_subschemas = true;
        if self == Self::V2020 {
            settings.meta_schema = None;
        }
        settings
    }
}

/// The schema of a tool's arguments: a closed object.
pub fn input_schema<T: JsonSchema>(draft: Draft) -> Map<String, Value> {
    let mut schema = root_schema::<T>(draft.settings().for_deserialize().into_generator());
    schema.entry("additionalProperties").or_insert(json!(false));
    schema
}

/// The schema of a tool's structured answer: an object, or a union of objects. A failure that is
/// structured becomes a member, because clients validate failures against this schema too.
pub fn output_schema<T: JsonSchema>(draft: Draft, failure: Option<Schema>) -> Map<String, Value> {
    let root = root_schema::<T>(draft.settings().for_serialize().into_generator());
    match failure {
        None => root,
        Some(failure) => with_member(root, failure),
    }
}

fn root_schema<T: JsonSchema>(generator: SchemaGenerator) -> Map<String, Value> {
    let mut schema = generator.into_root_schema_for::<T>();
    ClientSafe.transform(&mut schema);
    let mut root = schema.to_value().as_object().cloned().unwrap_or_default();
    // The Rust names of the types say nothing to a client.
    if matches!(root.get("title").and_then(Value::as_str), Some("Input" | "Output")) {
        root.shift_remove("title");
    }
    root.entry("type").or_insert(json!("object"));
    root
}

/// Adds a member to the union that `root` is, or makes a union of it.
fn with_member(mut root: Map<String, Value>, mut failure: Schema) -> Map<String, Value> {
    ClientSafe.transform(&mut failure);
    let mut union = Map::new();
    for shared in ["$schema", "$defs", "definitions"] {
        if let Some(value) = root.shift_remove(shared) {
            union.insert(shared.into(), value);
        }
    }
    let mut members = match root.shift_remove("oneOf") {
        Some(Value::Array(members)) if !root.contains_key("properties") => members,
        Some(members) => {
            root.insert("oneOf".into(), members);
            vec![Value::Object(root)]
        }
        None => vec![Value::Object(root)],
    };
    let mut failure = failure.to_value();
    if let Some(object) = failure.as_object_mut() {
        object.shift_remove("$schema");
    }
    if !members.contains(&failure) {
        members.push(failure);
    }
    union.insert("type".into(), json!("object"));
    union.insert("oneOf".into(), Value::Array(members));
    union
}

/// The one transform: see the module's words.
struct ClientSafe;

impl Transform for ClientSafe {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.as_bool() == Some(true) {
            *schema = Schema::default();
        }
        if let Some(object) = schema.as_object_mut() {
            drop_open_additional_properties(object);
            drop_null(object);
            drop_foreign_format(object);
            fold_constants(object);
        }
        transform_subschemas(self, schema);
    }
}

/// `additionalProperties: true` says what its absence says.
fn drop_open_additional_properties(object: &mut Map<String, Value>) {
    if object.get("additionalProperties") == Some(&json!(true)) {
        object.shift_remove("additionalProperties");
    }
}

/// An optional field is absent, never null: so null leaves types, enums, unions and defaults.
fn drop_null(object: &mut Map<String, Value>) {
    if object.get("default") == Some(&Value::Null) {
        object.shift_remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for union in ["anyOf", "oneOf"] {
        let Some(Value::Array(members)) = object.get_mut(union) else { continue };
        members.retain(|member| member != &json!({ "type": "null" }));
        if let [Value::Object(only)] = members.as_slice() {
            let only = only.clone();
            object.shift_remove(union);
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// Formats that no JSON Schema vocabulary knows: clients warn about each.
fn drop_foreign_format(object: &mut Map<String, Value>) {
    let foreign = object.get("format").and_then(Value::as_str).is_some_and(|format| {
        format.starts_with("uint")
            || format.starts_with("int")
            || matches!(format, "double" | "float")
    });
    if foreign {
        object.shift_remove("format");
    }
}

/// A union of documented string constants is an enum: every client shows those.
fn fold_constants(object: &mut Map<String, Value>) {
    let Some(Value::Array(members)) = object.get("oneOf") else { return };
    let Some(names) = members.iter().map(constants).collect::<Option<Vec<_>>>() else { return };
    let names: Vec<Value> = names.into_iter().flatten().collect();
    object.shift_remove("oneOf");
    object.insert("type".into(), json!("string"));
    object.insert("enum".into(), Value::Array(names));
}

/// The string constants that a schema allows, if it allows nothing else.
fn constants(schema: &Value) -> Option<Vec<Value>> {
    if schema.get("type")? != "string" {
        return None;
    }
    match (schema.get("const"), schema.get("enum")) {
        (Some(name), _) => Some(vec![name.clone()]),
        (None, Some(Value::Array(names))) => Some(names.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde::{Deserialize, Serialize};

    use super::*;

    fn check(schema: &Map<String, Value>, expected: Expect) {
        expected.assert_eq(&serde_json::to_string(schema).unwrap());
    }

    /// How to sort.
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        /// Upwards.
        Up,
        /// Downwards.
        Down,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only the schema is looked at")]
    struct Input {
        /// How many.
        #[schemars(range(min = 1, max = 9))]
        count: u32,
        #[serde(default)]
        name: Option<String>,
        order: Option<Order>,
        anything: Value,
        ratio: f64,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "only the schema is looked at")]
    enum Either {
        #[serde(rename = "a:v1")]
        A { x: u8 },
        #[serde(rename = "b:v1")]
        B { y: bool },
    }

    #[test]
    fn input_is_closed_and_free_of_what_clients_reject() {
        check(
            &input_schema::<Input>(Draft::V2020),
            expect![[
                r#"{"type":"object","properties":{"count":{"type":"integer","minimum":1,"description":"How many.","maximum":9},"name":{"type":"string"},"order":{"description":"How to sort.","type":"string","enum":["up","down"]},"anything":{},"ratio":{"type":"number"}},"required":["count","anything","ratio"],"additionalProperties":false}"#
            ]],
        );
    }

    #[test]
    fn a_union_keeps_an_object_root_and_takes_the_failure_in() {
        let failure = schemars::json_schema!({"type": "object", "required": ["error"]});
        check(
            &output_schema::<Either>(Draft::V7, Some(failure)),
            expect![[
                r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","oneOf":[{"type":"object","properties":{"kind":{"type":"string","const":"a:v1"},"x":{"type":"integer","minimum":0,"maximum":255}},"required":["kind","x"]},{"type":"object","properties":{"kind":{"type":"string","const":"b:v1"},"y":{"type":"boolean"}},"required":["kind","y"]},{"type":"object","required":["error"]}]}"#
            ]],
        );
    }
}
