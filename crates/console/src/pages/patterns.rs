//! Patterns: browse and search them, their rules with their self-tests, and what a check finds.

use axum::extract::Path;
use maud::{Markup, html};
use proofstone_contract::address_part;
use serde_json::{Value, json};

use super::{Asked, Here, asked, either, wants};
use crate::ask::{count, list, text};
use crate::console::Console;
use crate::draw::markdown;
use crate::frame;

pub(crate) async fn page(console: Here, query: Asked) -> Markup {
    let found = results(&console, asked(&query, "q"), asked(&query, "category")).await;
    if wants(&query, "results") {
        return found;
    }
    let body = html! {
        h1 { "Patterns" }
        (tabs("/patterns"))
        form.row method="get" action="/patterns" data-instant="#results" role="search" {
            label { "Search" input type="search" name="q" value=(asked(&query, "q")) placeholder="retry without a storm" data-search autocomplete="off"; }
            button { "Search" }
        }
        div #results aria-live="polite" { (found) }
    };
    frame::page(&console, "/patterns", "Patterns", body)
}

fn tabs(here: &str) -> Markup {
    let tabs =
        [("/patterns", "Browse"), ("/patterns/rules", "Rules"), ("/patterns/check", "Check code")];
    html! { nav.tabs aria-label="Patterns" { @for (address, name) in tabs {
        a href=(address) aria-current=[(address == here).then_some("page")] { (name) }
    } } }
}

async fn results(console: &Console, words: &str, category: &str) -> Markup {
    // Without a category the tool shows at most twenty and asks to choose one instead.
    let limit = if category.is_empty() { 20 } else { 100 };
    let mut arguments = json!({ "limit": limit, "format": "json" });
    for (name, value) in [("q", words), ("category", category)] {
        if !value.is_empty() {
            arguments[name] = value.into();
        }
    }
    either(console.look("search_patterns", arguments).await, |reply| found(&reply.value))
}

fn found(answer: &Value) -> Markup {
    let none = serde_json::Map::new();
    let facets = answer["metadata"]["categories"].as_object().unwrap_or(&none);
    if let Some(message) = answer["message"].as_str() {
        return html! {
            p.quiet { (message) }
            p.names { @for field in ["q", "category"] {
                @for suggested in list(&answer["needsInput"]["suggestions"], field) {
                    @let suggested = suggested.as_str().unwrap_or_default();
                    a.button href=(format!("/patterns?{field}={}", address_part(suggested))) { (suggested) }
                }
            } }
        };
    }
    html! {
        p.quiet { (count(&answer["metadata"], "totalCount")) " patterns: "
            @for (category, number) in facets {
                a href=(format!("/patterns?category={category}")) { (category) } " " (number.to_string()) " "
            } }
        div.cards { @for pattern in list(answer, "patterns") {
            section.card {
                h2 { a href=(format!("/patterns/{}", text(pattern, "id"))) { (text(pattern, "title")) } }
                p { (text(pattern, "description")) }
                p.quiet { (text(pattern, "category")) ", " (text(pattern, "difficulty")) }
            }
        } }
    }
}

pub(crate) async fn one(console: Here, Path(id): Path<String>) -> Markup {
    let pattern = console.look("get_pattern", json!({ "id": id, "format": "json" })).await;
    let body = html! {
        (tabs(""))
        (either(pattern, |reply| details(&reply.value)))
    };
    frame::page(&console, "/patterns", &id, body)
}

fn details(pattern: &Value) -> Markup {
    if let Some(message) = pattern["message"].as_str() {
        return html! { h1 { "Not found" } p { (message) } };
    }
    let guidance = &pattern["useGuidance"];
    html! {
        h1 { (text(pattern, "title")) }
        p.quiet { (text(pattern, "category")) ", " (text(pattern, "difficulty")) ", " (text(&pattern["provenance"], "source")) }
        p { (text(pattern, "summary")) }
        @for (name, field) in [("Use when", "useWhen"), ("Avoid when", "avoidWhen")] {
            @if let Some(said) = guidance[field].as_str() { p { strong { (name) ": " } (said) } }
        }
        @for section in list(pattern, "sections") {
            h2 { (text(section, "title")) }
            (markdown::draw(text(section, "content")))
        }
    }
}

pub(crate) async fn rules(console: Here) -> Markup {
    let rules = console.look("list_analysis_rules", json!({})).await;
    let body = html! {
        h1 { "Rules" }
        (tabs("/patterns/rules"))
        (either(rules, |reply| rule_table(&reply.value)))
    };
    frame::page(&console, "/patterns", "Rules", body)
}

fn rule_table(answer: &Value) -> Markup {
    html! {
        p.quiet { (count(answer, "count")) " rules, " (count(answer, "deadCount")) " dead" }
        div.scroll tabindex="0" { table {
            thead { tr { th { "rule" } th { "says" } th { "languages" } th { "severity" } th { "fix" } th { "self-test" } } }
            tbody { @for rule in list(answer, "rules") {
                @let passes = rule["selfTest"]["status"] == "pass";
                tr {
                    td { a href=(format!("/patterns/{}", text(rule, "patternId"))) { (text(rule, "id")) } }
                    td { (text(rule, "message")) }
                    td { @for language in list(rule, "languages") { (language.as_str().unwrap_or_default()) " " } }
                    td { (text(rule, "severity")) }
                    td { @if rule["hasFix"] == true { @if rule["fixVerified"] == true { "verified" } @else { "yes" } } }
                    td { span.badge.good[passes].bad[!passes] title=[rule["selfTest"]["reason"].as_str()] { (text(&rule["selfTest"], "status")) } }
                }
            } }
        } }
    }
}

pub(crate) async fn check(console: Here, query: Asked) -> Markup {
    let paths = asked(&query, "paths");
    let findings = match paths {
        "" => None,
        paths => {
            let paths: Vec<&str> = paths.split_whitespace().collect();
            Some(console.look("analyze_code", json!({ "paths": paths, "limit": 200 })).await)
        }
    };
    let body = html! {
        h1 { "Check code" }
        (tabs("/patterns/check"))
        form.row method="get" action="/patterns/check" {
            label { "Files or folders" input name="paths" value=(paths) placeholder="src" data-search spellcheck="false"; }
            button { "Check" }
        }
        @if let Some(findings) = findings { (either(findings, |reply| finding_table(&reply.value))) }
    };
    frame::page(&console, "/patterns", "Check code", body)
}

fn finding_table(answer: &Value) -> Markup {
    let findings = list(answer, "findings");
    html! {
        p { strong { (count(answer, "totalCount")) } " findings in " (count(answer, "filesScanned")) " files by " (count(answer, "rulesRun")) " rules" }
        @for skipped in list(answer, "skipped").iter().take(20) {
            p.hint { (text(skipped, "file")) " was skipped: " (text(skipped, "reason")) }
        }
        @if !findings.is_empty() {
            div.scroll tabindex="0" { table {
                thead { tr { th { "where" } th { "severity" } th { "finding" } th { "code" } } }
                tbody { @for finding in findings {
                    tr {
                        td { (text(finding, "file")) ":" (count(&finding["range"], "startLine")) }
                        td { span.badge.bad[text(finding, "severity") == "high"] { (text(finding, "severity")) } }
                        td { a href=(format!("/patterns/{}", text(finding, "patternId"))) { (text(finding, "title")) } br; (text(finding, "message")) }
                        td.cut { code { (text(finding, "text").lines().next().unwrap_or_default()) } }
                    }
                } }
            } }
        }
    }
}
