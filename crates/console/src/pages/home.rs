//! Home: what is served, to whom, and how the calls go.

use maud::{Markup, html};
use proofstone_contract::Descriptor;
use proofstone_gate::ToolFigures;

use super::{Asked, Here, wants};
use crate::console::Console;
use crate::draw::{ago, grouped, milliseconds};
use crate::frame;

pub(crate) async fn page(console: Here, query: Asked) -> Markup {
    if wants(&query, "live") {
        return figures(&console);
    }
    let body = html! {
        h1 { "What is served" }
        div.cards { @for set in console.host.gate().registry().toolsets() {
            @let count = tools_of(&console, set.name()).count();
            section.card {
                h2 { a href=(format!("/{}", set.name())) { (set.name()) } }
                p { (set.summary()) }
                p.quiet { (count) " tools" }
            }
        } }
        (frame::live("/?part=live", 2000, figures(&console)))
        h2 { "Connect a client" }
        p { "This server speaks MCP at " code { "/mcp" } " of this address. "
            code { "proofstone init" } " writes the configuration of a client that starts its own." }
    };
    frame::page(&console, "/", "Home", body)
}

fn tools_of<'a>(console: &'a Console, set: &'a str) -> impl Iterator<Item = &'a Descriptor> {
    console
        .host
        .gate()
        .registry()
        .descriptors()
        .map(AsRef::as_ref)
        .filter(move |t| t.toolset == set)
}

fn figures(console: &Console) -> Markup {
    let all: Vec<(&Descriptor, ToolFigures)> = console.host.gate().figures().collect();
    let (mut called, idle): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, f)| f.calls > 0);
    called.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.calls));
    html! {
        (clients(console))
        h2 { "Calls" }
        @if called.is_empty() {
            p.quiet { "No tool was called yet. Connect a client, or try a tool below." }
        } @else {
            (table(&called))
        }
        details { summary { (idle.len()) " tools were not called yet" }
            p.names { @for (tool, _) in idle { a href=(format!("/tools/{}", tool.name)) { (tool.name) } " " } }
        }
    }
}

fn table(called: &[(&Descriptor, ToolFigures)]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { "tool" } th.n { "calls" } th.n { "last minute" } th.n { "failed" }
                th.n { "p50" } th.n { "p95" } th.n { "p99" }
            } }
            tbody { @for (tool, figures) in called {
                @let failed: u64 = figures.failures.values().sum();
                tr {
                    td { a href=(format!("/tools/{}", tool.name)) { (tool.name) } }
                    td.n { a href=(format!("/calls?tool={}", tool.name)) { (grouped(figures.calls)) } }
                    td.n { (grouped(figures.last_minute)) }
                    td.n.bad[failed > 0] title=[reasons(figures)] { (grouped(failed)) }
                    td.n { (milliseconds(figures.p50_ms)) }
                    td.n { (milliseconds(figures.p95_ms)) }
                    td.n { (milliseconds(figures.p99_ms)) }
                }
            } }
        } }
    }
}

fn reasons(figures: &ToolFigures) -> Option<String> {
    let codes: Vec<String> =
        figures.failures.iter().map(|(code, count)| format!("{count} {code}")).collect();
    (!codes.is_empty()).then(|| codes.join(", "))
}

fn clients(console: &Console) -> Markup {
    let clients = console.host.clients();
    html! {
        h2 { "Clients" }
        @if clients.is_empty() {
            p.quiet { "No client has connected yet." }
        } @else {
            div.scroll tabindex="0" { table {
                thead { tr { th { "client" } th { "version" } th { "protocol" } th.n { "open sessions" } th.n { "calls" } th { "last seen" } } }
                tbody { @for client in clients {
                    tr {
                        td { (client.name) } td { (client.version) } td { (client.protocol) }
                        td.n { (client.sessions) } td.n { (grouped(client.calls)) } td { (ago(client.last_seen)) }
                    }
                } }
            } }
        }
    }
}
