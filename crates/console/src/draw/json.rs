//! JSON to read.

use maud::{Markup, html};
use proofstone_gate::Kept;
use serde_json::Value;

/// A value, indented, with its names and texts told apart.
pub(crate) fn pretty(value: &Value) -> Markup {
    html! { pre.json tabindex="0" { code { (inner(value, 0)) } } }
}

/// A value of a past call.
pub(crate) fn kept(kept: &Kept) -> Markup {
    match kept {
        Kept::Whole(Value::String(text)) => html! { pre.json tabindex="0" { code { (text) } } },
        Kept::Whole(value) => pretty(value),
        Kept::Beginning(text, whole) => html! {
            p.quiet { "It is " (super::grouped(*whole as u64)) " bytes long; this is its beginning." }
            pre.json tabindex="0" { code { (text) "…" } }
        },
    }
}

fn inner(value: &Value, depth: usize) -> Markup {
    let gap = "  ".repeat(depth + 1);
    let end = "  ".repeat(depth);
    match value {
        Value::Object(fields) if !fields.is_empty() => html! {
            "{\n"
            @for (at, (name, value)) in fields.iter().enumerate() {
                (gap) span.name { (quoted(name)) } ": " (inner(value, depth + 1))
                (if at + 1 < fields.len() { ",\n" } else { "\n" })
            }
            (end) "}"
        },
        Value::Array(items) if !items.is_empty() => html! {
            "[\n"
            @for (at, item) in items.iter().enumerate() {
                (gap) (inner(item, depth + 1)) (if at + 1 < items.len() { ",\n" } else { "\n" })
            }
            (end) "]"
        },
        Value::String(text) => html! { span.text { (quoted(text)) } },
        other => html! { span.literal { (other.to_string()) } },
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_tool_says_can_not_become_markup() {
        let drawn = pretty(&json!({ "<b>": "</pre><script>alert(1)</script>" })).into_string();
        assert!(!drawn.contains("<script>") && !drawn.contains("<b>"), "{drawn}");
        assert!(drawn.contains("&lt;/pre&gt;&lt;script&gt;"), "{drawn}");
    }
}
