//! Calls: the last ones, each with what was asked and what came back.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use proofstone_gate::PastCall;

use super::{Asked, Here, asked, missing, wants};
use crate::console::Console;
use crate::draw::{json, moment, span};
use crate::frame;

/// How many calls a page shows.
const SHOWN: usize = 200;

pub(crate) async fn page(console: Here, query: Asked) -> Markup {
    let (tool, failed) = (asked(&query, "tool"), asked(&query, "failed") == "yes");
    let address = format!("/calls?part=live&tool={tool}&failed={}", asked(&query, "failed"));
    let list = list(&console, tool, failed);
    if wants(&query, "live") {
        return list;
    }
    let names = console.host.gate().registry().descriptors().map(|tool| tool.name);
    let body = html! {
        h1 { "The last calls" }
        form.row method="get" action="/calls" {
            label { "Tool" select name="tool" data-submit {
                option value="" { "all tools" }
                @for name in names { option selected[name == tool] { (name) } }
            } }
            label.check { input type="checkbox" name="failed" value="yes" checked[failed] data-submit; "failed only" }
            button { "Filter" }
        }
        @if !tool.is_empty() { p { a.button href=(format!("/tools/{tool}")) { "Try " (tool) } } }
        (frame::live(&address, 2000, list))
    };
    frame::page(&console, "/calls", "Calls", body)
}

fn list(console: &Console, tool: &str, failed: bool) -> Markup {
    let calls = console.host.gate().last_calls(usize::MAX).into_iter().filter(|call| {
        (tool.is_empty() || call.tool == tool) && (!failed || call.failure.is_some())
    });
    let calls: Vec<PastCall> = calls.take(SHOWN).collect();
    html! {
        @if calls.is_empty() {
            p.quiet { "No such call yet." }
        } @else {
            div.scroll tabindex="0" { table {
                thead { tr { th.n { "#" } th { "when" } th { "tool" } th { "session" } th.n { "time" } th { "result" } th { "arguments" } } }
                tbody { @for call in &calls {
                    tr {
                        td.n { a href=(format!("/calls/{}", call.id)) { (call.id) } }
                        td { (&moment(call.at)[11..]) }
                        td { (call.tool) } td { (call.session) } td.n { (span(call.elapsed)) }
                        td { (state(call)) }
                        td.cut { code { (beginning(call)) } }
                    }
                } }
            } }
        }
    }
}

fn state(call: &PastCall) -> Markup {
    match &call.failure {
        Some(failure) => html! { span.badge.bad { (failure.code) } },
        None if call.answer_violations.is_empty() => html! { span.badge.good { "ok" } },
        None => html! { span.badge.bad { "breaks its schema" } },
    }
}

fn beginning(call: &PastCall) -> String {
    let text = match &call.input {
        proofstone_gate::Kept::Whole(value) => value.to_string(),
        proofstone_gate::Kept::Beginning(text, _) => text.clone(),
    };
    text.chars().take(90).collect()
}

pub(crate) async fn one(console: Here, Path(number): Path<String>) -> Response {
    let Some(call) = number.parse().ok().and_then(|number| console.host.gate().past_call(number))
    else {
        return missing(&console, "This call is not among the last ones.");
    };
    let body = html! {
        h1 { (call.tool) " " span.quiet { "call " (call.id) } }
        p { (state(&call)) " " (moment(call.at)) ", " (span(call.elapsed)) ", session " (call.session) }
        @if let Some(failure) = &call.failure {
            div.trouble { p { (failure.message) }
                @if let Some(hint) = &failure.hint { p.hint { (hint) } } }
        }
        (validation(&call))
        h2 { "Arguments" } (json::kept(&call.input))
        p { a.button href=(format!("/tools/{}{}", call.tool, again(&call))) { "Call it again" } }
        h2 { "Answer" } (json::kept(&call.output))
        @if !call.meta.is_empty() {
            details { summary { "Beside the answer (_meta)" } (json::pretty(&call.meta.clone().into())) }
        }
    };
    frame::page(&console, "/calls", call.tool, body).into_response()
}

fn validation(call: &PastCall) -> Markup {
    let asked = call.failure.iter().flat_map(|failure| &failure.violations);
    let wrong: Vec<_> = asked
        .map(|v| ("arguments", v))
        .chain(call.answer_violations.iter().map(|v| ("answer", v)))
        .collect();
    html! {
        @if wrong.is_empty() {
            p.quiet { "Arguments and answer fit their schemas." }
        } @else {
            ul.trouble { @for (what, violation) in wrong {
                li { (what) " " code { (violation.pointer) } ": " (violation.message) }
            } }
        }
    }
}

/// The address of the tool's form with the same arguments.
fn again(call: &PastCall) -> String {
    let Some(input) = call.input.whole() else { return String::new() };
    let text = input.to_string();
    if text.len() > 4000 {
        return String::new();
    }
    format!("?{}={}", crate::form::ALL, proofstone_contract::address_part(&text))
}
