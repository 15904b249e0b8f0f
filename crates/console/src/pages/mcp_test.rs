//! MCP test: connect to a server, see its surface, call it, see the frames, check it, compare it with
//! its lock file.

use maud::{Markup, html};
use proofstone_gate::PastCall;
use serde_json::{Value, json};

use super::{Asked, Here, button, carried, either, just_called, outcome};
use crate::ask::{Reply, count, list, text};
use crate::console::Console;
use crate::draw::json as drawn;
use crate::frame;

const BACK: &str = "/mcp-test";
const FRAMES: u64 = 40;

pub(crate) async fn page(console: Here, query: Asked) -> Markup {
    let call = just_called(&console, &query);
    let status = console.look("get_connection_status", json!({})).await;
    let connected = status.as_ref().is_ok_and(|reply| reply.value["connected"] == true);
    let body = html! {
        h1 { "MCP test" }
        (outcome(call.as_ref()))
        @if let Some(call) = &call { (result(call)) }
        @if connected {
            (either(status, |reply| connection(&console, &reply)))
            (surface(&console).await)
            h2 { "Frames" }
            (either(console.look("get_frames", json!({ "last": FRAMES })).await, |reply| frames(&reply.value)))
        } @else {
            (connect(&console))
        }
    };
    frame::page(&console, "/mcp-test", "MCP test", body)
}

fn connect(console: &Console) -> Markup {
    html! {
        p { "Connect to a server by its address, or start one by its command." }
        form method="post" action="/tools/connect_to_server" {
            (carried(console, BACK))
            label { "Address" input name="url" type="url" placeholder="http://127.0.0.1:3000/mcp" data-search; }
            label { "or command" input name="command" placeholder="npx" spellcheck="false"; }
            label { "with arguments, one to a line" textarea name="args" rows="3" placeholder="-y\n@modelcontextprotocol/server-everything" spellcheck="false" {} }
            button { "Connect" }
        }
        p { a href="/tools/connect_to_server" { "All ways to connect" } }
    }
}

fn connection(console: &Console, status: &Reply) -> Markup {
    let connection = &status.value["connection"];
    let info = &connection["server_info"];
    html! {
        p { strong { (text(info, "name")) } " " (text(info, "version")) ", protocol " (text(connection, "protocol_version"))
            ", " (text(connection, "transport")) " " code { (text(connection, "server_url")) } }
        @for anomaly in list(&status.value, "anomalies") { p.hint { (text(anomaly, "message")) } }
        div.actions {
            (button(console, "check_server", "{\"calls\": \"read_only\"}", BACK, "Check it"))
            (button(console, "lint_server", "{}", BACK, "Lint its surface"))
            form.inline method="post" action="/tools/snapshot_contract" {
                (carried(console, BACK)) button { "Write a lock file" }
            }
            form.inline method="post" action="/tools/diff_contract" {
                (carried(console, BACK)) button { "Compare with the lock file" }
            }
            (button(console, "disconnect", "{}", BACK, "Disconnect"))
        }
    }
}

async fn surface(console: &Console) -> Markup {
    let tools = console.look("list_tools", json!({})).await;
    let resources = console.look("list_resources", json!({})).await;
    let prompts = console.look("list_prompts", json!({})).await;
    html! {
        h2 { "Tools" }
        (either(tools, |reply| tool_list(console, list(&reply.value, "tools"))))
        h2 { "Resources" }
        (either(resources, |reply| names(&[list(&reply.value, "resources"), list(&reply.value, "resource_templates")].concat())))
        h2 { "Prompts" }
        (either(prompts, |reply| names(list(&reply.value, "prompts"))))
    }
}

fn tool_list(console: &Console, tools: &[Value]) -> Markup {
    html! { @for tool in tools {
        details.tool {
            summary { code { (text(tool, "name")) } " " span.quiet { (first_line(text(tool, "description"))) } }
            form method="post" action="/tools/call_tool" {
                (carried(console, BACK))
                input type="hidden" name="name" value=(text(tool, "name"));
                label { "Arguments as JSON" textarea name="arguments" rows="4" required spellcheck="false" { (sample(schema(tool))) } }
                button { "Call" }
            }
            (drawn::pretty(tool))
        }
    } }
}

fn schema(tool: &Value) -> &Value {
    if tool["inputSchema"].is_object() { &tool["inputSchema"] } else { &tool["input_schema"] }
}

/// Arguments to begin with: the needed fields, each with an empty value of its type.
fn sample(schema: &Value) -> String {
    let blank = |name: &Value| {
        let name = name.as_str()?;
        let value = match schema["properties"][name]["type"].as_str().unwrap_or_default() {
            "string" => json!(""),
            "integer" | "number" => json!(0),
            "boolean" => json!(false),
            "array" => json!([]),
            _ => json!({}),
        };
        Some((name.to_owned(), value))
    };
    let fields: serde_json::Map<String, Value> =
        list(schema, "required").iter().filter_map(blank).collect();
    format!("{:#}", Value::Object(fields))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn names(items: &[Value]) -> Markup {
    html! {
        @if items.is_empty() { p.quiet { "None." } }
        ul.plain { @for item in items {
            @let address = item["uri"].as_str().or_else(|| item["uriTemplate"].as_str()).unwrap_or_default();
            li { code { (text(item, "name")) } " " (address) " " span.quiet { (first_line(text(item, "description"))) } }
        } }
    }
}

fn frames(answer: &Value) -> Markup {
    html! {
        p.quiet { "The last " (list(answer, "frames").len()) " messages, the latest first" }
        @for frame in list(answer, "frames").iter().rev() {
            details.frame {
                summary { (count(frame, "id")) " " span.badge { (direction(frame)) } " " (what(frame)) }
                (drawn::pretty(frame))
            }
        }
    }
}

fn direction(frame: &Value) -> &str {
    frame["direction"].as_str().unwrap_or("frame")
}

/// What a frame is about: its method, or what it answers.
fn what(frame: &Value) -> String {
    let (message, http) = (&frame["payload"]["message"], &frame["payload"]["http"]);
    match message["method"].as_str() {
        Some(method) => method.to_owned(),
        None if !message["error"].is_null() => format!("error {}", message["error"]["code"]),
        None if !message["result"].is_null() => format!("answer to {}", message["id"]),
        None if http.is_object() => format!("HTTP {}", http["status"]),
        None => text(&frame["payload"], "text").chars().take(80).collect(),
    }
}

/// What the last call from this page found.
fn result(call: &PastCall) -> Markup {
    let Some(answer) = call.output.whole().filter(|_| call.failure.is_none()) else {
        return html! {};
    };
    match call.tool {
        "check_server" | "lint_server" => findings(answer),
        "diff_contract" => changes(answer),
        "call_tool" => html! { h2 { "Answer" } (drawn::pretty(&answer["tool_call"])) },
        _ => html! {},
    }
}

fn findings(answer: &Value) -> Markup {
    let found = list(answer, "findings");
    html! {
        h2 { "Findings" }
        @if found.is_empty() { p.done { "Nothing was found." } }
        @for finding in found {
            details.finding open {
                summary { span.badge.bad[text(finding, "severity") == "error"] { (text(finding, "severity")) } " " (text(finding, "message")) }
                (drawn::pretty(finding))
            }
        }
    }
}

fn changes(answer: &Value) -> Markup {
    html! {
        h2 { "Changes" }
        @if answer["same"] == true { p.done { "The surface is as in the lock file." } }
        ul.plain { @for change in list(answer, "changes") {
            @let class = text(change, "class");
            li { span.badge.bad[class == "breaking" || class == "suspicious"] { (class) } " " code { (text(change, "subject")) } " " (text(change, "message")) }
        } }
    }
}
