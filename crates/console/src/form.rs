//! A form made from a tool's schema, and the arguments made from what was typed.
//!
//! The form is a convenience: what it sends is checked by the gate like any call, so a value that
//! can't be read as its type is sent as it was typed and the gate says what is wrong with it.

use maud::{Markup, html};
use serde_json::{Map, Value};

/// What was typed, by field.
pub(crate) type Typed = [(String, String)];

/// The field that takes all arguments at once, as JSON. No tool has an argument that begins so.
pub(crate) const ALL: &str = "_json";

/// How an argument is typed.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Text,
    Number {
        whole: bool,
    },
    Switch,
    Choice(Vec<String>),
    /// One to a line.
    Lines,
    Json,
}

#[derive(Debug)]
struct Field<'a> {
    name: &'a str,
    kind: Kind,
    needed: bool,
    schema: &'a Value,
}

/// The inputs for the arguments of a schema, filled with what was typed before.
pub(crate) fn inputs(schema: &Map<String, Value>, typed: &Typed) -> Markup {
    html! {
        @for field in fields(schema) {
            @let before = value_of(typed, field.name);
            label {
                span.field { code { (field.name) } @if field.needed { em { " needed" } } }
                (input(&field, before))
                @if let Some(about) = field.schema["description"].as_str() { small { (about) } }
            }
        }
    }
}

fn input(field: &Field<'_>, before: Option<&str>) -> Markup {
    let default = match &field.schema["default"] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let (name, hint) = (field.name, default.unwrap_or_default());
    match &field.kind {
        Kind::Text => html! {
            input name=(name) value=[before] placeholder=(hint) required[field.needed] spellcheck="false";
        },
        Kind::Number { whole } => html! {
            input type="number" name=(name) value=[before] placeholder=(hint) required[field.needed]
                step=(if *whole { "1" } else { "any" }) min=[bound(field, "minimum")] max=[bound(field, "maximum")];
        },
        Kind::Switch => choice(field, &["true".into(), "false".into()], before, &hint),
        Kind::Choice(values) => choice(field, values, before, &hint),
        Kind::Lines => html! {
            textarea name=(name) rows="3" placeholder="one to a line" required[field.needed] spellcheck="false" { (before.unwrap_or_default()) }
        },
        Kind::Json => html! {
            textarea name=(name) rows="3" placeholder="JSON" required[field.needed] spellcheck="false" { (before.unwrap_or_default()) }
        },
    }
}

fn choice(field: &Field<'_>, values: &[String], before: Option<&str>, hint: &str) -> Markup {
    html! {
        select name=(field.name) required[field.needed] {
            option value="" { @if hint.is_empty() { "not given" } @else { "not given (" (hint) ")" } }
            @for value in values {
                option value=(value) selected[before == Some(value)] { (value) }
            }
        }
    }
}

fn bound(field: &Field<'_>, name: &str) -> Option<String> {
    let bound = &field.schema[name];
    bound.is_number().then(|| bound.to_string())
}

/// The arguments that were typed: the field of all arguments as JSON where it is filled in, the other
/// fields by the schema otherwise.
pub(crate) fn arguments(schema: &Map<String, Value>, typed: &Typed) -> Result<Value, String> {
    if let Some(raw) = value_of(typed, ALL).filter(|raw| !raw.trim().is_empty()) {
        return serde_json::from_str(raw).map_err(|error| format!("that is not JSON: {error}"));
    }
    let mut arguments = Map::new();
    for field in fields(schema) {
        let Some(text) = value_of(typed, field.name).filter(|text| !text.is_empty()) else {
            continue;
        };
        arguments.insert(field.name.to_owned(), read(&field, text)?);
    }
    Ok(Value::Object(arguments))
}

fn read(field: &Field<'_>, text: &str) -> Result<Value, String> {
    let literal = || serde_json::from_str(text).unwrap_or_else(|_| text.into());
    Ok(match &field.kind {
        Kind::Text | Kind::Choice(_) => text.into(),
        Kind::Number { .. } | Kind::Switch => literal(),
        Kind::Lines => text.lines().filter(|line| !line.trim().is_empty()).collect(),
        Kind::Json => serde_json::from_str(text)
            .map_err(|error| format!("`{}` is not JSON: {error}", field.name))?,
    })
}

pub(crate) fn value_of<'a>(typed: &'a Typed, name: &str) -> Option<&'a str> {
    typed.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
}

fn fields(schema: &Map<String, Value>) -> Vec<Field<'_>> {
    let needed = |name: &str| {
        schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|n| n == name))
    };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    properties
        .iter()
        .map(|(name, property)| {
            let kind = kind(resolve(schema, property));
            Field { name, kind, needed: needed(name), schema: property }
        })
        .collect()
}

/// A property behind its reference, or the one alternative that is not null.
fn resolve<'a>(schema: &'a Map<String, Value>, property: &'a Value) -> &'a Value {
    let reference = property["$ref"].as_str().or_else(|| property["allOf"][0]["$ref"].as_str());
    if let Some(place) = reference.and_then(|reference| reference.strip_prefix('#')) {
        let mut parts = place.split('/').filter(|part| !part.is_empty());
        let first = parts.next().and_then(|part| schema.get(part));
        return first
            .and_then(|value| parts.try_fold(value, |value, part| value.get(part)))
            .unwrap_or(property);
    }
    let alternatives = property["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
    let mut real = alternatives.iter().filter(|one| one["type"] != "null");
    match (real.next(), real.next()) {
        (Some(only), None) => resolve(schema, only),
        _ => property,
    }
}

fn kind(schema: &Value) -> Kind {
    if let Some(values) = schema["enum"].as_array() {
        let texts: Option<Vec<String>> =
            values.iter().map(|value| value.as_str().map(str::to_owned)).collect();
        return texts.map_or(Kind::Json, Kind::Choice);
    }
    let named = |name: &str| {
        schema["type"] == name
            || schema["type"].as_array().is_some_and(|types| types.iter().any(|t| t == name))
    };
    match () {
        () if named("string") => Kind::Text,
        () if named("integer") => Kind::Number { whole: true },
        () if named("number") => Kind::Number { whole: false },
        () if named("boolean") => Kind::Switch,
        () if named("array") && schema["items"]["type"] == "string" => Kind::Lines,
        () => Kind::Json,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;

    fn schema() -> Map<String, Value> {
        let schema = json!({
            "properties": {
                "name": { "type": "string" },
                "count": { "type": "integer", "minimum": 1 },
                "share": { "type": ["number", "null"] },
                "deep": { "type": "boolean", "default": true },
                "mode": { "$ref": "#/$defs/Mode" },
                "maybe": { "anyOf": [{ "$ref": "#/$defs/Mode" }, { "type": "null" }] },
                "paths": { "type": "array", "items": { "type": "string" } },
                "more": { "type": "object" },
            },
            "required": ["name"],
            "$defs": { "Mode": { "enum": ["fast", "slow"] } },
        });
        schema.as_object().unwrap().clone()
    }

    fn check(typed: &[(&str, &str)], expect: Expect) {
        let typed: Vec<(String, String)> =
            typed.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let arguments = arguments(&schema(), &typed);
        expect.assert_eq(&arguments.map_or_else(|error| error, |value| value.to_string()));
    }

    #[test]
    fn arguments_from_what_was_typed() {
        check(
            &[("_csrf", "k"), ("name", "5"), ("count", "5"), ("share", "0.5"), ("deep", "false")],
            expect![[r#"{"name":"5","count":5,"share":0.5,"deep":false}"#]],
        );
        check(
            &[
                ("mode", "fast"),
                ("maybe", "slow"),
                ("paths", "a\n\nb c\n"),
                ("more", "{\"x\": [1]}"),
            ],
            expect![[r#"{"mode":"fast","maybe":"slow","paths":["a","b c"],"more":{"x":[1]}}"#]],
        );
        // The gate says what is wrong with these.
        check(&[("count", "many"), ("name", "")], expect![[r#"{"count":"many"}"#]]);
        check(
            &[("more", "{")],
            expect!["`more` is not JSON: EOF while parsing an object at line 1 column 1"],
        );
        check(&[("name", "x"), (ALL, "{\"count\": 2}")], expect![[r#"{"count":2}"#]]);
    }

    #[test]
    fn each_kind_has_its_input() {
        let drawn = inputs(&schema(), &[("mode".into(), "slow".into())]).into_string();
        for part in [
            r#"<input name="name" placeholder="" required"#,
            r#"type="number" name="count""#,
            r#"min="1""#,
            r#"<option value="">not given (true)</option>"#,
            r#"<option value="slow" selected>"#,
            r#"<textarea name="paths""#,
        ] {
            assert!(drawn.contains(part), "{part} in {drawn}");
        }
    }
}
