//! A server that wants a token of its authorization server: the way in, each way it can fail, and that no
//! secret shows anywhere. The server is `authorizing.py`; the official suite's scenarios run in CI besides.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use expect_test::{Expect, expect};
use proofstone_contract::CallCx;
use proofstone_gate::{Gate, OutputPolicy};
use proofstone_mcptest::McpTest;
use serde_json::{Value, json};

struct Guarded {
    child: Child,
    port: String,
    runtime: tokio::runtime::Runtime,
    gate: Gate,
    cx: CallCx,
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Guarded {
    fn start(mode: &str) -> Self {
        let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/authorizing.py");
        let mut child = Command::new("python3")
            .args([server, mode])
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs");
        let mut port = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut port).expect("a port");
        let gate = Gate::new(vec![Arc::new(McpTest::default())], OutputPolicy::Fail);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let cx = CallCx::builder(Path::new(env!("CARGO_MANIFEST_DIR"))).session("test").build();
        let (runtime, gate) = (runtime.expect("a runtime"), gate.expect("a gate"));
        Self { child, port: port.trim().to_owned(), runtime, gate, cx }
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let outcome = self.runtime.block_on(self.gate.call(tool, arguments, &self.cx));
        let outcome = outcome.unwrap_or_else(|unknown| panic!("{unknown}"));
        let answer = outcome.rendered.structured.expect("every answer is structured");
        assert!(!answer.to_string().contains("secret-"), "a secret shows: {answer}");
        answer
    }

    fn connect(&self, more: Value) -> Value {
        let mut auth = json!({ "type": "authorization_code" });
        for (name, value) in more.as_object().expect("fields") {
            auth[name] = value.clone();
        }
        let url = format!("http://127.0.0.1:{}/mcp", self.port);
        self.call(
            "connect_to_server",
            json!({ "url": url, "auth": auth, "protocol": "2025-11-25", "timeout_ms": 20_000 }),
        )
    }

    fn told(&self, answer: &Value) -> String {
        let error = &answer["error"];
        let said = match error.is_null() {
            true => answer["tool_call"]["result"]["content"][0]["text"].to_string(),
            false => {
                format!("{}: {}", error["type"], error["message"].as_str().unwrap_or_default())
            }
        };
        said.replace(&self.port, "PORT")
    }
}

/// What connecting and a call say.
fn check(mode: &str, expected: Expect) {
    let guarded = Guarded::start(mode);
    let opened = guarded.connect(json!({}));
    let answer = match opened["success"] == true {
        true => guarded.call("call_tool", json!({ "name": "go", "arguments": {} })),
        false => opened,
    };
    expected.assert_eq(&guarded.told(&answer));
}

#[test]
fn a_challenge_is_met_and_no_secret_shows_in_any_frame() {
    let guarded = Guarded::start("good");
    let opened = guarded.connect(json!({}));
    assert_eq!(opened["success"], true, "{opened}");
    let newest = guarded.call("get_frames", json!({}));
    assert_eq!(newest["frames"].as_array().map(Vec::len), Some(17), "{newest:#}");
    // `call` looks for secrets in this answer too.
    let frames = guarded.call("get_frames", json!({ "last": 500 }));
    let asked = frames["frames"].as_array().expect("frames").iter().filter_map(|frame| {
        let text = frame["payload"]["text"].as_str()?;
        text.starts_with("authorization:").then(|| text.replace(&guarded.port, "PORT"))
    });
    expect![[r#"
        authorization: GET http://127.0.0.1:PORT/.well-known/oauth-protected-resource/mcp
        authorization: GET http://127.0.0.1:PORT/.well-known/oauth-authorization-server
        authorization: POST http://127.0.0.1:PORT/register
        authorization: GET http://127.0.0.1:PORT/authorize
        authorization: POST http://127.0.0.1:PORT/token"#]]
    .assert_eq(&asked.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_token_that_ran_out_is_refreshed() {
    check("expires", expect![[r#""a token by refresh_token""#]]);
}

#[test]
fn a_person_signs_in_and_the_login_goes_on() {
    let guarded = Guarded::start("person");
    let refused = guarded.connect(json!({}));
    assert_eq!(refused["error"]["type"], "connection_failed");
    assert!(refused["error"]["suggestion"].as_str().unwrap().contains("auth.redirected_to"));
    let address = refused["error"]["details"]["authorization_url"].as_str().expect("an address");
    let query = address.split_once('?').expect("a query").1;
    let forged = guarded
        .connect(json!({ "redirected_to": "http://127.0.0.1:33418/callback?code=x&state=y" }));
    expect![[r#""connection_failed": the server wants authorization: the authorization answer is refused: its state is not the one of our request"#]]
        .assert_eq(&guarded.told(&forged));
    let nobody =
        guarded.connect(json!({ "redirected_to": "http://127.0.0.1:33418/callback?code=x" }));
    expect![[r#""connection_failed": the server wants authorization: the authorization answer is refused: nobody was asked to sign in here; connect without redirected_to first"#]]
        .assert_eq(&guarded.told(&nobody));
    assert!(query.contains("code_challenge_method=S256"), "{query}");
    let again = guarded.connect(json!({}));
    let address = again["error"]["details"]["authorization_url"].as_str().expect("an address");
    let ended = signed_in(&guarded.port, address.split_once('?').expect("a query").1);
    let opened = guarded.connect(json!({ "redirected_to": ended }));
    assert_eq!(opened["success"], true, "{opened}");
}

/// Where a browser ends when a person signs in.
fn signed_in(port: &str, query: &str) -> String {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("the server");
    write!(stream, "GET /approve?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let location = answer.lines().find_map(|line| line.strip_prefix("Location: "));
    location.expect("a redirect").to_owned()
}

#[test]
fn metadata_that_can_t_be_used_is_named() {
    check(
        "other-resource",
        expect![[
            r#""connection_failed": the server wants authorization: the metadata at http://127.0.0.1:PORT/.well-known/oauth-protected-resource/mcp is of the resource `https://elsewhere.example/mcp`, not of http://127.0.0.1:PORT/mcp"#
        ]],
    );
    check(
        "no-server",
        expect![[
            r#""connection_failed": the server wants authorization: the metadata at http://127.0.0.1:PORT/.well-known/oauth-protected-resource/mcp names no authorization server"#
        ]],
    );
    check(
        "no-metadata",
        expect![[
            r#""connection_failed": the server wants authorization: the authorization server http://127.0.0.1:PORT publishes no metadata; tried http://127.0.0.1:PORT/.well-known/oauth-authorization-server, http://127.0.0.1:PORT/.well-known/openid-configuration"#
        ]],
    );
    check(
        "huge",
        expect![[
            r#""connection_failed": the server wants authorization: http://127.0.0.1:PORT/.well-known/oauth-authorization-server can't be read: it is longer than 1048576 bytes"#
        ]],
    );
    check(
        "no-pkce",
        expect![[
            r#""connection_failed": the server wants authorization: the authorization server http://127.0.0.1:PORT does not say that it supports PKCE with S256 (code_challenge_methods_supported), without which no code may be asked for"#
        ]],
    );
    check(
        "no-registration",
        expect![[
            r#""connection_failed": the server wants authorization: the authorization server http://127.0.0.1:PORT registers no clients by itself, and no client_id is given"#
        ]],
    );
}

#[test]
fn answers_that_can_t_be_trusted_are_refused() {
    check(
        "forged-state",
        expect![[
            r#""connection_failed": the server wants authorization: the authorization answer is refused: its state is not the one of our request"#
        ]],
    );
    check(
        "denied",
        expect![[
            r#""connection_failed": the server wants authorization: the authorization answer is refused: access_denied: not today"#
        ]],
    );
    check(
        "token-error",
        expect![[
            r#""connection_failed": the server wants authorization: http://127.0.0.1:PORT/token answered HTTP 400: invalid_grant: too late"#
        ]],
    );
    check(
        "dpop",
        expect![[
            r#""connection_failed": the server wants authorization: http://127.0.0.1:PORT/token can't be read: the answer's token_type is not Bearer"#
        ]],
    );
}

#[test]
fn no_token_is_asked_for_without_end() {
    check(
        "rejects",
        expect![[
            r#""connection_failed": the server wants authorization: the server refuses the access token that http://127.0.0.1:PORT has just given"#
        ]],
    );
    check(
        "scope-for-ever",
        expect![[
            r#""transport_error": the server wants authorization: the server asks for the scope `read`, which was asked for already"#
        ]],
    );
}
