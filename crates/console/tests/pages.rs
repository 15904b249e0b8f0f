//! The pages over a small toolset of the tests' own: what every page must hold, whatever is served.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use proofstone_console::{Client, Door, Host, router};
use proofstone_contract::{
    Answer, CallCx, Dialect, Effect, Entry, Failure, PlainDialect, Tool, Toolset,
};
use proofstone_gate::{Gate, OutputPolicy};
use tower::ServiceExt as _;

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Words {
    /// What to say back
    words: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Said {
    said: String,
}

struct Echo;

impl Tool for Echo {
    const NAME: &'static str = "echo";
    const TITLE: &'static str = "Say it back";
    const DESCRIPTION: &'static str = "Says back what it is told.";
    const EFFECT: Effect = Effect::READS;
    type Input = Words;
    type Output = Said;

    async fn call(&self, input: Words, _cx: &CallCx) -> Result<Answer<Said>, Failure> {
        match input.words.as_str() {
            "fail" => Err(Failure::refused("NO", "<i>no</i>").hint("say something else")),
            _ => Ok(Said { said: input.words }.into()),
        }
    }
}

struct Echoes(PlainDialect);

impl Toolset for Echoes {
    fn name(&self) -> &'static str {
        "echoes"
    }

    fn summary(&self) -> &'static str {
        "what was said"
    }

    fn dialect(&self) -> &dyn Dialect {
        &self.0
    }

    fn tools(&self) -> Vec<Entry> {
        vec![Entry::new(Echo, "echoes", &self.0)]
    }
}

struct Stage(Gate);

impl Host for Stage {
    fn gate(&self) -> &Gate {
        &self.0
    }

    fn root(&self) -> &Path {
        Path::new("/some/project")
    }

    fn clients(&self) -> Vec<Client> {
        Vec::new()
    }
}

fn pages(token: Option<&str>) -> Router {
    let sets: Vec<Arc<dyn Toolset>> = vec![Arc::new(Echoes(PlainDialect))];
    let gate = Gate::new(sets, OutputPolicy::Fail).expect("one toolset").remembering(10);
    router(Arc::new(Stage(gate)), Door::new(token, vec!["known.example".into()]).expect("a key"))
}

struct Seen {
    status: StatusCode,
    headers: axum::http::HeaderMap,
    text: String,
}

async fn ask(pages: &Router, request: Request<Body>) -> Seen {
    let response = pages.clone().oneshot(request).await.expect("pages always answer");
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    Seen { status, headers, text: String::from_utf8(body.to_vec()).expect("pages are UTF-8") }
}

async fn get(pages: &Router, address: &str) -> Seen {
    let request = Request::get(address).header("host", "localhost:1");
    ask(pages, request.body(Body::empty()).expect("a request")).await
}

async fn post(pages: &Router, address: &str, body: String, headers: &[(&str, &str)]) -> Seen {
    let mut request = Request::post(address)
        .header("host", "localhost:1")
        .header("content-type", "application/x-www-form-urlencoded");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    ask(pages, request.body(Body::from(body)).expect("a request")).await
}

fn key(page: &Seen) -> String {
    let (_, rest) = page.text.split_once(r#"name="_csrf" value=""#).expect("a form");
    rest.split('"').next().expect("a key").to_owned()
}

#[tokio::test]
async fn a_tool_is_tried_and_its_call_is_found_again() {
    let pages = pages(None);
    let form = get(&pages, "/tools/echo").await;
    let body = format!("_csrf={}&words=%3Cb%3Ehello%3C%2Fb%3E", key(&form));
    let called = post(&pages, "/tools/echo", body, &[]).await;
    assert_eq!(called.status, StatusCode::SEE_OTHER);
    assert_eq!(called.headers["location"], "/calls/1");
    let call = get(&pages, "/calls/1").await;
    assert!(call.text.contains("&lt;b&gt;hello") && !call.text.contains("<b>hello"));
    assert!(get(&pages, "/").await.text.contains(r#"<a href="/calls?tool=echo">1</a>"#));
    assert!(get(&pages, "/calls").await.text.contains(r#"<a href="/calls/1">"#));
}

#[tokio::test]
async fn a_failure_is_shown_with_what_to_do_and_never_as_markup() {
    let pages = pages(None);
    let key = key(&get(&pages, "/tools/echo").await);
    post(&pages, "/tools/echo", format!("_csrf={key}&words=fail"), &[]).await;
    let call = get(&pages, "/calls/1").await;
    assert!(call.text.contains("&lt;i&gt;no") && call.text.contains("say something else"));
    let wrong = post(&pages, "/tools/echo", format!("_csrf={key}&_json=%7B"), &[]).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("that is not JSON"));
    post(&pages, "/tools/echo", format!("_csrf={key}&_json=%7B%22x%22%3A1%7D"), &[]).await;
    assert!(get(&pages, "/calls/2").await.text.contains("unknown field"));
}

#[tokio::test]
async fn who_may_come_in() {
    let pages = pages(None);
    let hosts = [
        ("localhost", 200),
        ("127.0.0.1:80", 200),
        ("[::1]:80", 200),
        ("known.example:443", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
    ];
    for (host, status) in hosts {
        let request = Request::get("/").header("host", host).body(Body::empty()).unwrap();
        assert_eq!(ask(&pages, request).await.status, status, "{host}");
    }
    let key = key(&get(&pages, "/tools/echo").await);
    let posts: [(&[(&str, &str)], u16); 5] = [
        (&[], 303),
        (&[("origin", "http://localhost:1"), ("sec-fetch-site", "same-origin")], 303),
        (&[("origin", "http://evil.example")], 403),
        (&[("origin", "null")], 403),
        (&[("sec-fetch-site", "cross-site")], 403),
    ];
    for (headers, status) in posts {
        let seen = post(&pages, "/tools/echo", format!("_csrf={key}&words=x"), headers).await;
        assert_eq!(seen.status, status, "{headers:?}");
    }
    let without = post(&pages, "/tools/echo", "words=x".into(), &[]).await;
    assert_eq!(without.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_token_is_asked_for() {
    let pages = pages(Some("secret"));
    let door = get(&pages, "/calls").await;
    assert_eq!(door.status, StatusCode::SEE_OTHER);
    assert_eq!(door.headers["location"], "/sign-in");
    let wrong = post(&pages, "/sign-in", "token=wrong".into(), &[]).await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    let outside = post(&pages, "/tools/echo", String::new(), &[]).await;
    assert_eq!(outside.status, StatusCode::UNAUTHORIZED);
    let opened = post(&pages, "/sign-in", "token=secret".into(), &[]).await;
    let cookie = opened.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let inside = Request::get("/calls").header("host", "localhost").header("cookie", cookie);
    let inside = ask(&pages, inside.body(Body::empty()).unwrap()).await;
    assert_eq!(inside.status, StatusCode::OK);
}

#[tokio::test]
async fn every_answer_carries_the_policy() {
    let pages = pages(None);
    let addresses =
        ["/", "/calls", "/calls/99", "/nowhere", "/tools/nothing", "/console/console.js"];
    for address in addresses {
        let seen = get(&pages, address).await;
        let policy = seen.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{address}");
        assert!(!seen.text.contains(" style=") && !seen.text.contains(" onclick="), "{address}");
    }
    assert_eq!(get(&pages, "/calls/99").await.status, StatusCode::NOT_FOUND);
    assert_eq!(get(&pages, "/tools/nothing").await.status, StatusCode::NOT_FOUND);
}
