//! Checks a value against a schema and says everything that is wrong with it, in words.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use proofstone_contract::Violation;
use serde_json::{Map, Value};

/// A value sent is shown in a message up to this many characters.
const SHOWN: usize = 120;
/// More violations than this help nobody.
const LISTED: usize = 50;

/// A compiled schema.
#[derive(Debug)]
pub struct Checker {
    validator: Validator,
    properties: Vec<String>,
}

impl Checker {
    /// Compiles a schema. Our own schemas always compile; one that does not accepts everything and
    /// says so in the log, because a caller can't mend it.
    pub fn new(schema: &Map<String, Value>) -> Self {
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .map(|properties| properties.keys().cloned().collect())
            .unwrap_or_default();
        let schema = Value::Object(schema.clone());
        let validator = jsonschema::validator_for(&schema).unwrap_or_else(|error| {
            tracing::error!(%error, "a tool's schema does not compile; nothing is checked");
            jsonschema::validator_for(&Value::Bool(true)).expect("`true` is a schema")
        });
        Self { validator, properties }
    }

    /// Everything that is wrong with `value`, in the order of the schema.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        if self.validator.is_valid(value) {
            return Vec::new();
        }
        self.validator.iter_errors(value).take(LISTED).flat_map(|e| self.describe(&e)).collect()
    }

    fn describe(&self, error: &ValidationError<'_>) -> Vec<Violation> {
        let pointer = error.instance_path().as_str().to_owned();
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                unexpected.iter().map(|name| self.unknown_field(&pointer, name)).collect()
            }
            kind => vec![describe_kind(pointer, kind, error)],
        }
    }

    fn unknown_field(&self, parent: &str, name: &str) -> Violation {
        let known = if parent.is_empty() { self.properties.as_slice() } else { &[] };
        let allowed = match known {
            [] => None,
            known => Some(format!("known fields: {}", known.join(", "))),
        };
        let message = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("unknown field `{name}`; did you mean `{near}`?"),
            None => format!("unknown field `{name}`"),
        };
        Violation { pointer: child(parent, name), message, sent: None, allowed }
    }
}

/// The known name that is nearest to a wrong one, if any is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    let name = plain(name);
    known
        .into_iter()
        .map(|other| (strsim::jaro_winkler(&name, &plain(other)), other))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

fn child(parent: &str, name: &str) -> String {
    format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn describe_kind(
    pointer: String,
    kind: &ValidationErrorKind,
    error: &ValidationError<'_>,
) -> Violation {
    let field = match pointer.strip_prefix('/') {
        Some(place) => format!("`{}`", place.replace("~1", "/").replace("~0", "~")),
        None => "the arguments".to_owned(),
    };
    if let ValidationErrorKind::Required { property } = kind {
        let name = property.as_str().unwrap_or_default();
        let message = format!("`{name}` is missing");
        return Violation { pointer: child(&pointer, name), message, sent: None, allowed: None };
    }
    let allowed = allowed(kind);
    let message = match &allowed {
        Some(allowed) => format!("{field} must be {allowed}"),
        None => error.to_string(),
    };
    Violation { pointer, message, sent: Some(shortened(error.instance())), allowed }
}

/// What a keyword allows, as it reads after "must be".
fn allowed(kind: &ValidationErrorKind) -> Option<String> {
    use ValidationErrorKind as Kind;
    Some(match kind {
        Kind::Type { kind: TypeKind::Single(name) } => with_article(&name.to_string()),
        Kind::Type { kind: TypeKind::Multiple(names) } => names
            .iter()
            .map(|name| with_article(&name.to_string()))
            .collect::<Vec<_>>()
            .join(" or "),
        Kind::Enum { options } => {
            let names: Vec<String> =
                options.as_array().into_iter().flatten().map(Value::to_string).collect();
            format!("one of {}", names.join(", "))
        }
        Kind::Constant { expected_value } => expected_value.to_string(),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MinLength { limit } => format!("at least {limit} character{} long", plural(*limit)),
        Kind::MaxLength { limit } => format!("at most {limit} character{} long", plural(*limit)),
        Kind::MinItems { limit } => format!("a list of at least {limit} item{}", plural(*limit)),
        Kind::MaxItems { limit } => format!("a list of at most {limit} item{}", plural(*limit)),
        Kind::Pattern { pattern } => format!("text that matches {pattern}"),
        Kind::Format { format } => format!("text in the format {format}"),
        Kind::UniqueItems => "a list without repeated items".to_owned(),
        Kind::AnyOf { context } => {
            let names: Vec<String> = context.iter().flatten().filter_map(required_name).collect();
            if names.is_empty() || names.len() != context.len() {
                return None;
            }
            format!("given with at least one of {}", names.join(", "))
        }
        _ => return None,
    })
}

fn required_name(error: &ValidationError<'_>) -> Option<String> {
    match error.kind() {
        ValidationErrorKind::Required { property } => Some(format!("`{}`", property.as_str()?)),
        _ => None,
    }
}

fn with_article(type_name: &str) -> String {
    match type_name {
        "array" => "a list".to_owned(),
        "object" | "integer" => format!("an {type_name}"),
        "null" => "null".to_owned(),
        other => format!("a {other}"),
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The value, or the start of it as text where it is long.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > SHOWN => {
            Value::String(format!("{}…", text.chars().take(SHOWN).collect::<String>()))
        }
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.chars().count() <= SHOWN {
                return value.clone();
            }
            Value::String(format!("{}…", text.chars().take(SHOWN).collect::<String>()))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn checker() -> Checker {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1, "maxLength": 8, "pattern": "^[a-z]+$" },
                "count": { "type": "integer", "minimum": 1, "maximum": 10 },
                "kind": { "type": "string", "enum": ["all", "some"] },
                "paths": { "type": "array", "items": { "type": "string" }, "maxItems": 2 },
            },
            "required": ["name"],
            "additionalProperties": false,
        });
        Checker::new(schema.as_object().unwrap())
    }

    fn check(value: Value, expected: Expect) {
        let lines: Vec<String> = checker()
            .violations(&value)
            .iter()
            .map(|v| match &v.sent {
                Some(sent) => format!("{}: {} (sent {sent})", v.pointer, v.message),
                None => format!("{}: {}", v.pointer, v.message),
            })
            .collect();
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn says_everything_that_is_wrong() {
        check(json!({ "name": "ada" }), expect![""]);
        check(json!({}), expect!["/name: `name` is missing"]);
        check(
            json!({ "name": "", "count": 99, "kind": "none", "paths": ["a", 1, "c"] }),
            expect![[r#"
                /name: `name` must be at least 1 character long (sent "")
                /name: `name` must be text that matches ^[a-z]+$ (sent "")
                /count: `count` must be at most 10 (sent 99)
                /kind: `kind` must be one of "all", "some" (sent "none")
                /paths: `paths` must be a list of at most 2 items (sent ["a",1,"c"])
                /paths/1: `paths/1` must be a string (sent 1)"#]],
        );
        check(json!([1, 2]), expect![": the arguments must be an object (sent [1,2])"]);
        check(json!({ "name": 5 }), expect!["/name: `name` must be a string (sent 5)"]);
    }

    #[test]
    fn an_unknown_field_names_the_nearest_known_one() {
        check(
            json!({ "name": "a", "Count": 1, "zzz": 1 }),
            expect![[r#"
                /Count: unknown field `Count`; did you mean `count`?
                /zzz: unknown field `zzz`"#]],
        );
    }

    proptest! {
        #[test]
        fn any_json_is_checked_without_a_panic(text in r#"[\[\]{}",:0-9a-z\- .e]{0,60}"#) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = checker().violations(&value);
            }
        }
    }
}
