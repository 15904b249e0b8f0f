//! The pages, one file each.

mod calls;
mod context;
mod coverage;
mod fuzz;
mod home;
mod mcp_test;
mod patterns;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use proofstone_gate::PastCall;

use crate::ask::Trouble;
use crate::console::Console;
use crate::form::value_of;
use crate::frame;

/// What a page is asked with.
pub(crate) type Asked = Query<Vec<(String, String)>>;
/// The console, as handlers get it.
pub(crate) type Here = State<Arc<Console>>;

pub(crate) fn routes(console: Arc<Console>) -> Router {
    Router::new()
        .route("/", get(home::page))
        .route("/calls", get(calls::page))
        .route("/calls/{number}", get(calls::one))
        .route("/tools/{name}", get(tools::page).post(tools::run))
        .route("/coverage", get(coverage::page))
        .route("/coverage/file", get(coverage::file))
        .route("/coverage/change", get(coverage::change))
        .route("/context", get(context::page))
        .route("/patterns", get(patterns::page))
        .route("/patterns/rules", get(patterns::rules))
        .route("/patterns/check", get(patterns::check))
        .route("/patterns/{id}", get(patterns::one))
        .route("/fuzz", get(fuzz::page))
        .route("/mcp-test", get(mcp_test::page))
        .with_state(Arc::clone(&console))
        .fallback(async move || missing(&console, "There is no such page."))
}

/// A page for what is not there.
pub(crate) fn missing(console: &Console, said: &str) -> Response {
    let body = html! { h1 { "Not found" } p { (said) " " a href="/" { "Home" } } };
    (StatusCode::NOT_FOUND, frame::page(console, "", "Not found", body)).into_response()
}

/// One thing that was asked for; empty where it was not.
pub(crate) fn asked<'a>(query: &'a [(String, String)], name: &str) -> &'a str {
    value_of(query, name).unwrap_or_default().trim()
}

/// Whether only a part of the page is wanted: the script fetches parts again.
pub(crate) fn wants(query: &[(String, String)], part: &str) -> bool {
    asked(query, "part") == part
}

/// What a posted form carries besides its fields.
pub(crate) fn carried(console: &Console, back: &str) -> Markup {
    html! {
        input type="hidden" name="_csrf" value=(console.key);
        input type="hidden" name="_back" value=(back);
    }
}

/// A form with one button that calls a tool with fixed arguments.
pub(crate) fn button(
    console: &Console,
    tool: &str,
    arguments: &str,
    back: &str,
    said: &str,
) -> Markup {
    html! {
        form.inline method="post" action=(format!("/tools/{tool}")) {
            (carried(console, back))
            input type="hidden" name=(crate::form::ALL) value=(arguments);
            button { (said) }
        }
    }
}

/// The call that a person just made from a page, if it led back here.
pub(crate) fn just_called(console: &Console, query: &[(String, String)]) -> Option<PastCall> {
    console.host.gate().past_call(asked(query, "call").parse().ok()?)
}

/// How that call went, in a line.
pub(crate) fn outcome(call: Option<&PastCall>) -> Markup {
    let Some(call) = call else { return html! {} };
    let address = format!("/calls/{}", call.id);
    let said = call.output.whole().and_then(|value| value["message"].as_str()).unwrap_or("done");
    match &call.failure {
        Some(failure) => html! {
            div.trouble role="alert" {
                p { a href=(address) { (call.tool) } " failed: " (failure.message) }
                @if let Some(hint) = &failure.hint { p.hint { (hint) } }
            }
        },
        None => html! { p.done role="status" { a href=(address) { (call.tool) } ": " (said) } },
    }
}

/// An answer, or why there is none.
pub(crate) fn either<T>(answer: Result<T, Trouble>, draw: impl FnOnce(T) -> Markup) -> Markup {
    match answer {
        Ok(answer) => draw(answer),
        Err(trouble) => frame::trouble(&trouble),
    }
}
