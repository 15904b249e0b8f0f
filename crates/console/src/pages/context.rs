//! Context: search as you type with the reasons for each place, what the index holds, and what was
//! learned when.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{Asked, Here, asked, either, wants};
use crate::ask::{Reply, count, list, number, text};
use crate::console::Console;
use crate::draw::{grouped, markdown};
use crate::frame;

/// The shortest question that the contract takes.
const SHORTEST: usize = 3;

pub(crate) async fn page(console: Here, query: Asked) -> Markup {
    let question = asked(&query, "q");
    let found = results(&console, question, asked(&query, "type")).await;
    if wants(&query, "results") {
        return found;
    }
    let kinds = ["all", "pattern", "rule", "decision", "issue"];
    let overview = console.look("get_project_overview", json!({ "maxModules": 30 })).await;
    let body = html! {
        h1 { "Context" }
        form.row method="get" action="/context" data-instant="#results" role="search" {
            label { "Ask" input type="search" name="q" value=(question) placeholder="how is a session closed?" data-search autocomplete="off"; }
            label { "Among" select name="type" { @for kind in kinds { option selected[kind == asked(&query, "type")] { (kind) } } } }
            button { "Search" }
        }
        div #results aria-live="polite" { (found) }
        h2 { "The project" }
        (either(overview, |overview| project(&overview.value)))
        (learned(&console).await)
    };
    frame::page(&console, "/context", "Context", body)
}

async fn results(console: &Console, question: &str, kind: &str) -> Markup {
    if question.chars().count() < SHORTEST {
        return html! { p.quiet { "Three letters or more." } };
    }
    let kind = if kind.is_empty() { "all" } else { kind };
    let arguments = json!({ "query": question, "limit": 10, "type": kind });
    either(console.look("context_search", arguments).await, |reply| found(&reply))
}

fn found(reply: &Reply) -> Markup {
    let (answer, why) =
        (&reply.value, reply.meta.get("proofstone/context").unwrap_or(&Value::Null));
    let results = list(answer, "results");
    html! {
        p.quiet {
            (grouped(count(answer, "totalFound"))) " found in " (count(answer, "searchTime")) " ms; kind of question: "
            (text(why, "questionKind")) "; vectors: " (text(why, "vectors"))
        }
        @if let Some(incomplete) = answer["incomplete"].as_str() { p.hint { (incomplete) } }
        ol.results { @for result in results {
            @let because = list(why, "ranking").iter().find(|row| row["id"] == result["id"]);
            li {
                p {
                    strong { (place(result)) } " "
                    @if let Some(symbol) = result["symbol"].as_str() { code { (symbol) } " " }
                    span.badge { (text(result, "type")) } " "
                    span.quiet { "score " (format!("{:.3}", number(result, "score"))) }
                }
                pre.code tabindex="0" { code { (snippet(text(result, "content"))) } }
                @if let Some(because) = because { p.why { "because " (reasons(&because["because"])) } }
            }
        } }
    }
}

fn place(result: &Value) -> String {
    match result["file"].as_str() {
        Some(file) => format!("{file}:{}-{}", count(result, "startLine"), count(result, "endLine")),
        None => format!("{} of {}", text(result, "source"), text(result, "date")),
    }
}

fn snippet(content: &str) -> String {
    let lines: Vec<&str> = content.lines().take(12).collect();
    lines.join("\n")
}

/// The parts of a score: names and numbers, or words. What counted for nothing is left out.
fn reasons(because: &Value) -> String {
    match because {
        Value::Object(parts) => {
            let counted = |value: &Value| !value.is_null() && value.as_f64() != Some(0.0);
            let part = |(name, value): (&String, &Value)| match value {
                Value::Number(number) => {
                    format!("{name} {:.3}", number.as_f64().unwrap_or_default())
                }
                Value::String(text) => format!("{name} {text}"),
                other => format!("{name} {other}"),
            };
            parts
                .iter()
                .filter(|(_, value)| counted(value))
                .map(part)
                .collect::<Vec<_>>()
                .join(", ")
        }
        Value::Array(parts) => parts.iter().map(reasons).collect::<Vec<_>>().join(", "),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn project(overview: &Value) -> Markup {
    html! {
        p { (grouped(count(overview, "files"))) " files are indexed: "
            @for language in list(overview, "languages").iter().take(8) {
                (text(language, "name")) " " span.quiet { (count(language, "files")) } " "
            } }
        div.scroll tabindex="0" { table {
            thead { tr { th { "module" } th.n { "files" } th { "key files" } } }
            tbody { @for module in list(overview, "modules") {
                tr { td { (text(module, "name")) } td.n { (count(module, "files")) }
                    td.cut { @for file in list(module, "keyFiles").iter().take(3) { (text(file, "path")) " " } } }
            } }
        } }
    }
}

async fn learned(console: &Console) -> Markup {
    let arguments = json!({ "status": "any", "limit": 50 });
    let discoveries = console.look("list_discoveries", arguments).await;
    let sessions = console.read("context://sessions/recent").await;
    html! {
        h2 { "Discoveries" }
        (either(discoveries, |reply| timeline(list(&reply.value, "discoveries"))))
        h2 { "Sessions" }
        (either(sessions, |text| html! { div.timeline { (markdown::draw(text.as_str().unwrap_or_default().trim_start_matches("# Recent sessions"))) } }))
    }
}

fn timeline(discoveries: &[Value]) -> Markup {
    html! {
        @if discoveries.is_empty() {
            p.quiet { "Nothing is recorded yet; " a href="/tools/record_discovery" { "record_discovery" } " does that." }
        }
        ol.timeline { @for discovery in discoveries {
            li {
                p.quiet { (text(discovery, "date")) " " span.badge { (text(discovery, "type")) } " "
                    @if discovery["status"] != "active" { span.badge { (text(discovery, "status")) } " " }
                    @if discovery["anchor"]["state"].as_str().is_some_and(|state| state != "holds") { span.badge.bad { "the code changed since" } }
                }
                (markdown::draw(text(discovery, "content")))
            }
        } }
    }
}
