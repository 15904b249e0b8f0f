//! One tool: its contract, and a form to try it.

use axum::extract::{Form, Path};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use proofstone_contract::Descriptor;
use serde_json::Value;
use subtle::ConstantTimeEq;

use super::{Asked, Here, asked, carried, missing};
use crate::ask::Trouble;
use crate::console::Console;
use crate::draw::json;
use crate::form::{self, Typed, arguments, inputs};
use crate::frame;

pub(crate) async fn page(console: Here, Path(name): Path<String>, query: Asked) -> Response {
    match console.host.gate().registry().descriptor(&name) {
        Ok(tool) => drawn(&console, tool, &query, None).into_response(),
        Err(unknown) => missing(&console, &unknown.to_string()),
    }
}

/// Calls the tool with what was typed and goes back to where the form was, or to the call.
pub(crate) async fn run(
    console: Here,
    Path(name): Path<String>,
    Form(typed): Form<Vec<(String, String)>>,
) -> Response {
    let ours = asked(&typed, "_csrf").as_bytes().ct_eq(console.key.as_bytes());
    if !bool::from(ours) {
        let said = "this form is of another run of the server; load the page again\n";
        return (StatusCode::FORBIDDEN, said).into_response();
    }
    let tool = match console.host.gate().registry().descriptor(&name) {
        Ok(tool) => tool,
        Err(unknown) => return missing(&console, &unknown.to_string()),
    };
    let called = match arguments(tool.input_schema(), &typed) {
        Ok(arguments) => console.act(&name, arguments).await,
        Err(message) => Err(Trouble { message, hint: None }),
    };
    match called {
        Ok(number) => Redirect::to(&back(asked(&typed, "_back"), number)).into_response(),
        Err(trouble) => {
            let page = drawn(&console, tool, &typed, Some(&trouble));
            (StatusCode::BAD_REQUEST, page).into_response()
        }
    }
}

/// Only addresses of our own are gone back to.
fn back(address: &str, number: u64) -> String {
    let ours = address.starts_with('/') && !address.starts_with("//") && !address.contains('\\');
    match address.contains('?') {
        _ if !ours => format!("/calls/{number}"),
        true => format!("{address}&call={number}"),
        false => format!("{address}?call={number}"),
    }
}

fn drawn(console: &Console, tool: &Descriptor, typed: &Typed, trouble: Option<&Trouble>) -> Markup {
    let all = asked(typed, form::ALL);
    let body = html! {
        h1 { (tool.name) }
        p.quiet { (tool.title) " - toolset " a href=(format!("/{}", tool.toolset)) { (tool.toolset) } }
        p { (tool.description) }
        p { (effects(tool)) }
        @if let Some(trouble) = trouble { (frame::trouble(trouble)) }
        h2 { "Try it" }
        form method="post" action=(format!("/tools/{}", tool.name)) data-confirm=[warning(tool)] {
            (carried(console, ""))
            (inputs(tool.input_schema(), typed))
            details open[!all.is_empty()] {
                summary { "All arguments as JSON instead" }
                label { "JSON" textarea name=(form::ALL) rows="6" spellcheck="false" { (all) } }
            }
            button { "Call" }
        }
        details { summary { "Schema of the arguments" } (json::pretty(&Value::Object(tool.input_schema().as_ref().clone()))) }
        @if let Some(schema) = tool.output_schema() {
            details { summary { "Schema of the answer" } (json::pretty(&Value::Object(schema.as_ref().clone()))) }
        }
    };
    frame::page(console, "", tool.name, body)
}

fn effects(tool: &Descriptor) -> Markup {
    let effect = serde_json::to_value(tool.effect).unwrap_or_default();
    let names = [
        ("readOnlyHint", "reads only"),
        ("destructiveHint", "may destroy"),
        ("idempotentHint", "the same again changes nothing"),
        ("openWorldHint", "reaches outside"),
    ];
    html! { @for (field, said) in names { @if effect[field] == true { span.badge { (said) } " " } } }
}

fn warning(tool: &Descriptor) -> Option<&'static str> {
    let effect = serde_json::to_value(tool.effect).unwrap_or_default();
    (effect["destructiveHint"] == true).then_some("This may destroy something. Call it?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_addresses_are_gone_back_to() {
        let cases = [
            ("/fuzz", "/fuzz?call=7"),
            ("/coverage?report=a", "/coverage?report=a&call=7"),
            ("", "/calls/7"),
            ("//evil.example", "/calls/7"),
            ("https://evil.example", "/calls/7"),
            ("/\\evil.example", "/calls/7"),
        ];
        for (address, place) in cases {
            assert_eq!(back(address, 7), place);
        }
    }
}
