//! Fuzz: how the campaign goes, what it found, what it keeps, and the means to steer it.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{Asked, Here, button, carried, either, just_called, outcome, wants};
use crate::ask::{Reply, Trouble, count, list, number, text};
use crate::console::Console;
use crate::draw::chart::chart;
use crate::draw::{bar, grouped};
use crate::form::inputs;
use crate::frame;

const BACK: &str = "/fuzz";

pub(crate) async fn page(console: Here, query: Asked) -> Markup {
    let status = console.look("campaign_status", json!({})).await;
    if wants(&query, "live") {
        return live(&console, status).await;
    }
    let state = status.as_ref().map_or("none", |reply| text(&reply.value, "state")).to_owned();
    let body = html! {
        h1 { "Fuzz" }
        (outcome(just_called(&console, &query).as_ref()))
        @if state != "running" && state != "shrinking" { (start(&console, state == "none")) }
        @if state != "none" {
            (frame::live("/fuzz?part=live", 1000, live(&console, status).await))
            @if state == "running" { (steering(&console)) }
        }
    };
    frame::page(&console, "/fuzz", "Fuzz", body)
}

fn start(console: &Console, open: bool) -> Markup {
    let tool = console.host.gate().registry().descriptor("start_campaign");
    html! {
        @if let Ok(tool) = tool {
            details open[open] {
                summary { "Start a campaign" }
                form method="post" action="/tools/start_campaign" {
                    (carried(console, BACK))
                    (inputs(tool.input_schema(), &[]))
                    button { "Start" }
                }
            }
        }
    }
}

async fn live(console: &Console, status: Result<Reply, Trouble>) -> Markup {
    let status = match status {
        Ok(status) => status.value,
        Err(trouble) => return frame::trouble(&trouble),
    };
    let coverage = console.look("show_coverage", json!({})).await;
    let failures = console.look("list_failures", json!({})).await;
    let last = json!({ "count": 12, "eventType": "CoverageIncreased" });
    let events = console.look("read_logs", last).await;
    let corpus = corpus(console, count(&status, "corpusSize")).await;
    html! {
        (summary(&status))
        (charts(console))
        h2 { "Properties" }
        (properties(&status))
        (either(failures, |reply| failure_parts(list(&reply.value, "failures"))))
        h2 { "Coverage by contract" }
        (either(coverage, |reply| contracts(&reply.value)))
        h2 { "Functions" }
        (functions(console, &status))
        h2 { "Last finds" }
        (either(events, |reply| event_list(list(&reply.value, "events"))))
        h2 { "Corpus" }
        (corpus)
    }
}

fn summary(status: &Value) -> Markup {
    let facts = [
        ("calls", grouped(count(status, "calls"))),
        ("of at most", grouped(count(status, "testLimit"))),
        ("calls a second", grouped(number(status, "callsPerSecond") as u64)),
        ("workers", count(status, "runningWorkers").to_string()),
        ("edges", grouped(count(status, "edges"))),
        ("corpus", grouped(count(status, "corpusSize"))),
        ("seed", count(status, "seed").to_string()),
    ];
    html! {
        p { strong { (text(status, "contract")) } " "
            span.badge.good[text(status, "state") == "running"] { (text(status, "state")) } " "
            (format!("{:.0} s", number(status, "elapsedSeconds"))) }
        dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } }
        @for warning in list(status, "warnings") { p.hint { (warning.as_str().unwrap_or_default()) } }
    }
}

fn charts(console: &Console) -> Markup {
    let history = console.history.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    html! { div.charts {
        (chart("Edges covered", &history.edges()))
        (chart("Calls a second", &history.rates()))
        (chart("Transactions in the corpus", &history.corpus()))
    } }
}

fn properties(status: &Value) -> Markup {
    html! {
        ul.plain { @for test in list(status, "tests") {
            @let state = text(test, "status");
            li { span.badge.good[state == "holds"].bad[state == "falsified"] { (state) } " " code { (text(test, "name")) }
                @if let Some(value) = test["value"].as_str() { " " (value) } }
        } }
    }
}

fn failure_parts(failures: &[Value]) -> Markup {
    html! { @for failure in failures {
        section.card.wide {
            h2 { (text(failure, "property")) " fails" @if failure["shrunk"] == false { " " span.quiet { "(being shrunk)" } } }
            ol { @for call in list(failure, "sequence") {
                li { code { (text(call, "call")) } " " span.quiet { "from " (text(call, "sender"))
                        @if text(call, "value") != "0" { ", value " (text(call, "value")) } }
                    @if let Some(reason) = call["reason"].as_str() { " " span.badge.bad { (reason) } }
                    @for change in list(call, "changes") {
                        br; span.quiet { (text(change, "variable")) ": " (text(change, "before")) " → " (text(change, "after")) }
                    } }
            } }
            @let trace: Vec<&str> = list(failure, "sequence").iter().flat_map(|call| list(call, "trace")).filter_map(Value::as_str).collect();
            @if !trace.is_empty() { details { summary { "Trace" } pre.code tabindex="0" { code { (trace.join("\n")) } } } }
            @if let Some(test) = failure["foundryTest"].as_str() {
                details { summary { "Foundry test" } pre.code tabindex="0" { code { (test) } } }
            }
        }
    } }
}

fn contracts(coverage: &Value) -> Markup {
    html! { div.scroll tabindex="0" { table {
        thead { tr { th { "contract" } th { "" } th.n { "lines" } th.n { "branches" } } }
        tbody { @for contract in list(coverage, "contracts") {
            tr { td { (text(contract, "name")) } td { (bar(number(contract, "lineCoverage"))) }
                td.n { (number(contract, "lineCoverage")) " %" } td.n { (number(contract, "branchCoverage")) " %" } }
        } }
    } } }
}

fn functions(console: &Console, status: &Value) -> Markup {
    let preferred = list(status, "prioritizedFunctions");
    let running = text(status, "state") == "running";
    html! { div.scroll tabindex="0" { table {
        thead { tr { th { "function" } th.n { "calls" } th.n { "reverts" } th { "" } } }
        tbody { @for function in list(status, "functions") {
            @let signature = text(function, "signature");
            tr {
                td { code { (signature) } @if preferred.contains(&function["signature"]) { " " span.badge.good { "prioritized" } } }
                td.n { (grouped(count(function, "calls"))) } td.n { (grouped(count(function, "reverts"))) }
                td { @if running { (button(console, "prioritize_function", &json!({ "functionSignature": signature }).to_string(), BACK, "Prioritize")) } }
            }
        } }
    } } }
}

fn event_list(events: &[Value]) -> Markup {
    html! {
        @if events.is_empty() { p.quiet { "None yet." } }
        ul.plain { @for event in events {
            li { span.quiet { (text(event, "timestamp")) " worker " (count(event, "workerId")) } " " (event["data"].to_string()) }
        } }
    }
}

async fn corpus(console: &Console, size: u64) -> Markup {
    const SHOWN: u64 = 20;
    let arguments = json!({ "offset": size.saturating_sub(SHOWN), "limit": SHOWN });
    let last = console.look("inspect_corpus_transactions", arguments).await;
    either(last, |reply| {
        html! {
            p.quiet { "The last of " (grouped(count(&reply.value, "total"))) " transactions" }
            div.scroll tabindex="0" { table {
                thead { tr { th.n { "#" } th { "call" } th { "sender" } th.n { "value" } } }
                tbody { @for transaction in list(&reply.value, "transactions").iter().rev() {
                    tr { td.n { (count(transaction, "index")) } td.cut { code { (text(transaction, "call")) } }
                        td { code { (text(transaction, "sender")) } } td.n { (text(transaction, "value")) } }
                } }
            } }
        }
    })
}

fn steering(console: &Console) -> Markup {
    html! {
        h2 { "Steer" }
        form method="post" action="/tools/inject_transaction" {
            (carried(console, BACK))
            label { "Run this sequence, one call to a line"
                textarea name="sequence" rows="3" placeholder="deposit(5)" required spellcheck="false" {} }
            button { "Inject" }
        }
        p {
            (button(console, "clear_priorities", "{}", BACK, "Clear priorities"))
            (button(console, "stop_campaign", "{}", BACK, "Stop the campaign"))
        }
    }
}
