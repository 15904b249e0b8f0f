//! The frame around every page, and the three files that pages load.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};

use crate::ask::Trouble;
use crate::console::Console;

const STYLE: &str = include_str!("../assets/console.css");
const SCRIPT: &str = include_str!("../assets/console.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// The pages of the menu: address, name, the toolset they need, the key that leads there.
pub(crate) const MENU: [(&str, &str, Option<&str>, &str); 7] = [
    ("/", "Home", None, "h"),
    ("/calls", "Calls", None, "a"),
    ("/coverage", "Coverage", Some("coverage"), "c"),
    ("/context", "Context", Some("context"), "x"),
    ("/patterns", "Patterns", Some("patterns"), "p"),
    ("/fuzz", "Fuzz", Some("fuzz"), "f"),
    ("/mcp-test", "MCP test", Some("mcp-test"), "m"),
];

/// A page with the menu.
pub(crate) fn page(console: &Console, here: &str, title: &str, body: Markup) -> Markup {
    let project = console.host.root().file_name().map(|name| name.to_string_lossy());
    let menu = MENU.into_iter().filter(|(.., set, _)| set.is_none_or(|set| console.serves(set)));
    document(
        title,
        html! {
            a.skip href="#main" { "Skip to the page" }
            header.top {
                a.brand href="/" { (icon()) "Proofstone" }
                nav aria-label="Pages" {
                    @for (address, name, _, key) in menu {
                        a href=(address) data-key=(key) aria-current=[(address == here).then_some("page")] { (name) }
                    }
                }
                @if let Some(project) = project { span.project title="The project" { (project) } }
            }
            main #main tabindex="-1" { (body) }
            footer { "Press " kbd { "/" } " to search, " kbd { "g" } " and a page's letter to go there, " kbd { "?" } " for all keys." }
            dialog #keys aria-label="Keys" {
                h2 { "Keys" }
                dl {
                    dt { kbd { "/" } } dd { "search or filter" }
                    @for (_, name, _, key) in MENU { dt { kbd { "g" } " " kbd { (key) } } dd { (name) } }
                    dt { kbd { "Esc" } } dd { "close, or leave a field" }
                }
                form method="dialog" { button { "Close" } }
            }
        },
    )
}

/// A page without a menu.
pub(crate) fn bare(title: &str, body: Markup) -> Markup {
    document(title, html! { main.bare #main { (body) } })
}

fn document(title: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " - Proofstone" }
                link rel="icon" href="/console/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/console/console.css";
                script src="/console/console.js" defer {}
            }
            body { (body) }
        }
    }
}

fn icon() -> Markup {
    html! { img src="/console/icon.svg" alt="" width="22" height="22"; }
}

/// What is shown where an answer should stand.
pub(crate) fn trouble(trouble: &Trouble) -> Markup {
    html! {
        div.trouble role="alert" {
            p { (trouble.message) }
            @if let Some(hint) = &trouble.hint { p.hint { (hint) } }
        }
    }
}

/// A part of a page that is fetched again while it is looked at.
pub(crate) fn live(address: &str, milliseconds: u32, body: Markup) -> Markup {
    html! { div data-live=(address) data-every=(milliseconds) { (body) } }
}

pub(crate) fn assets() -> Router {
    let file =
        |kind: &'static str, text: &'static str| get(move || async move { asset(kind, text) });
    Router::new()
        .route("/console/console.css", file("text/css; charset=utf-8", STYLE))
        .route("/console/console.js", file("text/javascript; charset=utf-8", SCRIPT))
        .route("/console/icon.svg", file("image/svg+xml", ICON))
        .route("/favicon.ico", file("image/svg+xml", ICON))
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=60")], text).into_response()
}
