//! Values made from a JSON Schema: one that fits, and one that does not.

use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const DEPTH: usize = 6;
/// The most values that are made for one schema: one that names itself in many places would have no end.
const MOST: usize = 2000;

/// A value that fits a schema, as simple as can be: required fields only.
pub fn fitting(schema: &Value) -> Value {
    made(schema, schema, DEPTH, &mut { MOST })
}

/// Arguments that break a schema of arguments, if it forbids anything that can be broken safely: a
/// required field left out, or one of another type.
pub(crate) fn breaking(schema: &Value) -> Option<Value> {
    let mut arguments = fitting(schema).as_object().cloned().unwrap_or_default();
    let required = schema["required"].as_array();
    if let Some(name) = required.and_then(|names| names.first()).and_then(Value::as_str) {
        arguments.remove(name);
        return Some(Value::Object(arguments));
    }
    let properties = schema["properties"].as_object()?;
    let typed = |kind: &str| properties.iter().find(|(_, property)| property["type"] == kind);
    let (name, value) = typed("integer")
        .or_else(|| typed("number"))
        .or_else(|| typed("boolean"))
        .map(|(name, _)| (name, json!("not of this type")))
        .or_else(|| typed("string").map(|(name, _)| (name, json!(12345))))?;
    arguments.insert(name.clone(), value);
    Some(Value::Object(arguments))
}

fn made(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> Value {
    if depth == 0 || *left == 0 {
        return Value::Null;
    }
    *left -= 1;
    if let Some(value) = given(schema) {
        return value;
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|reference| resolved(reference, root)) {
        return made(target, root, depth - 1, left);
    }
    for union in ["oneOf", "anyOf", "allOf"] {
        if let Some(first) = schema[union].get(0)
            && schema.get("properties").is_none()
        {
            return made(first, root, depth - 1, left);
        }
    }
    match kind(schema) {
        "object" => object(schema, root, depth, left),
        "array" => array(schema, root, depth, left),
        "string" => Value::String(string(schema)),
        "integer" => json!(number(schema).ceil() as i64),
        "number" => json!(number(schema)),
        "boolean" => json!(false),
        _ => Value::Null,
    }
}

/// A value that the schema itself gives.
fn given(schema: &Value) -> Option<Value> {
    schema
        .get("const")
        .or_else(|| schema.get("default").filter(|value| !value.is_null()))
        .or_else(|| schema["examples"].get(0))
        .or_else(|| schema["enum"].get(0))
        .cloned()
}

fn resolved<'a>(reference: &str, root: &'a Value) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|k| *k != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    }
}

fn object(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let fields: Map<String, Value> = required
        .map(|name| (name.to_owned(), made(&schema["properties"][name], root, depth - 1, left)))
        .collect();
    Value::Object(fields)
}

fn array(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> Value {
    let count = schema["minItems"].as_u64().unwrap_or(0).min(10) as usize;
    Value::Array((0..count).map(|_| made(&schema["items"], root, depth - 1, left)).collect())
}

fn string(schema: &Value) -> String {
    match schema["format"].as_str() {
        Some("date-time") => return "2025-01-01T00:00:00Z".to_owned(),
        Some("date") => return "2025-01-01".to_owned(),
        Some("uri") => return "https://example.com/".to_owned(),
        Some("email") => return "a@example.com".to_owned(),
        Some("uuid") => return "550e8400-e29b-41d4-a716-446655440000".to_owned(),
        _ => {}
    }
    let shortest = schema["minLength"].as_u64().unwrap_or(1).clamp(1, 1000) as usize;
    "a".repeat(shortest)
}

fn number(schema: &Value) -> f64 {
    let least =
        schema["minimum"].as_f64().or_else(|| schema["exclusiveMinimum"].as_f64().map(|n| n + 1.0));
    let most = schema["maximum"].as_f64();
    match (least, most) {
        (Some(least), _) => least,
        (None, Some(most)) => most.min(1.0),
        (None, None) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_values_fit_and_broken_ones_do_not() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 3 },
                "count": { "type": "integer", "minimum": 2, "maximum": 9 },
                "mode": { "type": "string", "enum": ["a", "b"] },
                "at": { "type": "string", "format": "date-time" },
                "tags": { "type": "array", "items": { "type": "string" }, "minItems": 2 },
                "inner": { "$ref": "#/$defs/inner" },
            },
            "required": ["name", "count", "mode", "at", "tags", "inner"],
            "$defs": { "inner": { "type": "object", "properties": { "on": { "type": "boolean" } }, "required": ["on"] } },
        });
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&fitting(&schema)), "{}", fitting(&schema));
        assert!(!validator.is_valid(&breaking(&schema).unwrap()));
        let optional =
            json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
        let validator = jsonschema::validator_for(&optional).unwrap();
        assert!(validator.is_valid(&fitting(&optional)));
        assert!(!validator.is_valid(&breaking(&optional).unwrap()));
        assert_eq!(breaking(&json!({ "type": "object" })), None);
    }
}
