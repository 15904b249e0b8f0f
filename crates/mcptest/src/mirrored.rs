//! Parameters that a request repeats in its headers (`x-mcp-header`, from 2026-07-28 on), so that
//! what stands between client and server can read them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// A parameter and the name of its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirrored {
    parameter: String,
    header: String,
}

/// The parameters of a tool that go into headers, or why its definition can't be used: a client must
/// leave such a tool alone.
pub fn mirrored(tool: &Value) -> Result<Vec<Mirrored>, String> {
    let mut all: Vec<Mirrored> = Vec::new();
    let properties = tool["inputSchema"]["properties"].as_object();
    for (parameter, schema) in properties.into_iter().flatten() {
        let Some(header) = schema.get("x-mcp-header") else { continue };
        let header = header.as_str().unwrap_or_default();
        if header.is_empty() || !header.bytes().all(is_token) {
            return Err(format!("the x-mcp-header of `{parameter}` is no header name: `{header}`"));
        }
        if !["string", "integer", "boolean"].iter().any(|kind| schema["type"] == *kind) {
            let said = "is of a type that headers don't carry (string, integer or boolean)";
            return Err(format!("`{parameter}` has an x-mcp-header and {said}"));
        }
        if all.iter().any(|other| other.header.eq_ignore_ascii_case(header)) {
            return Err(format!("two parameters have the x-mcp-header `{header}`"));
        }
        all.push(Mirrored { parameter: parameter.clone(), header: header.to_owned() });
    }
    Ok(all)
}

/// The headers for a call's arguments. What is left out or null has none.
pub(crate) fn headers(mirrored: &[Mirrored], arguments: &Value) -> Vec<(String, String)> {
    let one = |mirrored: &Mirrored| {
        let text = match arguments.get(&mirrored.parameter)? {
            Value::String(text) => text.clone(),
            value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
            _ => return None,
        };
        Some((format!("Mcp-Param-{}", mirrored.header), header_text(&text)))
    };
    mirrored.iter().filter_map(one).collect()
}

/// A text as a header carries it: as it is, or in Base64 where HTTP would change it.
pub(crate) fn header_text(text: &str) -> String {
    let plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text;
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    match plain && !looks_encoded {
        true => text.to_owned(),
        false => format!("=?base64?{}?=", STANDARD.encode(text)),
    }
}

/// Whether a byte may stand in a header's name (RFC 9110).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_http_would_change_is_encoded() {
        for (text, carried) in [
            ("us west 1", "us west 1"),
            ("", ""),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("日", "=?base64?5pel?="),
            ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
        ] {
            assert_eq!(header_text(text), carried);
        }
    }

    #[test]
    fn definitions_that_can_not_be_used_are_told() {
        let tool = |properties: Value| json!({ "inputSchema": { "properties": properties } });
        let good = tool(json!({ "a": { "type": "integer", "x-mcp-header": "A" }, "b": {} }));
        let found = mirrored(&good).expect("it can be used");
        assert_eq!(headers(&found, &json!({ "a": 7 })), [("Mcp-Param-A".into(), "7".into())]);
        assert!(headers(&found, &json!({ "a": null })).is_empty());
        for wrong in [
            json!({ "a": { "type": "string", "x-mcp-header": "" } }),
            json!({ "a": { "type": "string", "x-mcp-header": "a b" } }),
            json!({ "a": { "type": "number", "x-mcp-header": "A" } }),
            json!({ "a": { "type": "string", "x-mcp-header": "A" }, "b": { "type": "string", "x-mcp-header": "a" } }),
        ] {
            assert!(mirrored(&tool(wrong.clone())).is_err(), "{wrong}");
        }
    }
}
