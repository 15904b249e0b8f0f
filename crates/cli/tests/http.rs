//! The real server on HTTP: who is let in, what is refused, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server on a port of its own, ended with the test.
struct Server {
    child: Child,
    address: String,
    token: Option<String>,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        Self::at("127.0.0.1:0", arguments)
    }

    fn at(address: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofstone"))
            .args(["serve", "--toolsets", "conformance", "--http", address])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr is piped")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let said = line();
        let url = said.split_whitespace().find(|word| word.starts_with("http://")).expect("a URL");
        let address = url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        let token = address
            .starts_with("0.0.0.0")
            .then(|| line().rsplit(' ').next().expect("a token").to_owned());
        let port = address.rsplit(':').next().expect("a port");
        let address = format!("127.0.0.1:{port}");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address, token }
    }

    /// Sends a request and gives the status and the body.
    fn send(&self, request: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = self.open(request, headers, body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        (status, body.unwrap_or_default())
    }

    fn open(&self, request: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout can be set");
        let mut text = format!(
            "{request} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += "Host: ";
            text += &self.address;
            text += "\r\n";
        }
        for (name, value) in headers {
            text += &[name, ": ", value, "\r\n"].concat();
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).expect("the server reads");
        stream
    }

    /// A call in the stateless wire of 2026-07-28.
    fn call(&self, tool: &str, more: &[(&str, &str)]) -> (u16, String) {
        let headers = call_headers(tool, more);
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.send("POST /mcp", &headers, &call_body(tool).to_string())
    }

    fn terminate(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
    }

    fn wait(&mut self) -> i32 {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = self.child.try_wait().expect("the server can be waited for") {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < end, "the server does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn call_body(tool: &str) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

fn call_headers(tool: &str, more: &[(&str, &str)]) -> Vec<(String, String)> {
    let fixed = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    let all = fixed.iter().chain(more);
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn a_stateless_call_is_answered() {
    let server = Server::start(&[]);
    let (status, body) = server.call("test_simple_text", &[]);
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("This is a simple text response for testing."), "{body}");
}

#[test]
fn health_and_metrics() {
    let server = Server::start(&[]);
    assert_eq!(server.send("GET /healthz", &[], ""), (200, "ok\n".to_owned()));
    server.call("test_simple_text", &[]);
    server.call("fault_panics", &[]);
    let (status, page) = server.send("GET /metrics", &[], "");
    assert_eq!(status, 200);
    for line in [
        "proofstone_calls_total{tool=\"test_simple_text\"} 1",
        "proofstone_failures_total{tool=\"fault_panics\",code=\"INTERNAL_ERROR\"} 1",
        "proofstone_call_duration_seconds_count{tool=\"test_simple_text\"} 1",
        "proofstone_call_duration_seconds_bucket{tool=\"test_simple_text\",le=\"+Inf\"} 1",
        "proofstone_rate_limited_total{tool=\"test_simple_text\"} 0",
        "proofstone_invalid_answers_total{tool=\"test_simple_text\"} 0",
    ] {
        assert!(page.contains(line), "{line} is missing in\n{page}");
    }
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let server = Server::start(&[]);
    assert_eq!(server.call("test_simple_text", &[("Host", "evil.example")]).0, 403);
    assert_eq!(server.call("test_simple_text", &[("Origin", "http://evil.example")]).0, 403);
    assert_eq!(server.call("test_simple_text", &[("Origin", "http://localhost:3000")]).0, 200);
}

#[test]
fn a_token_is_asked_for_where_one_is_set() {
    let server = Server::start(&["--token", "secret"]);
    assert_eq!(server.call("test_simple_text", &[]).0, 401);
    assert_eq!(server.call("test_simple_text", &[("Authorization", "Bearer wrong")]).0, 401);
    assert_eq!(server.call("test_simple_text", &[("Authorization", "Bearer secret")]).0, 200);
    assert_eq!(server.send("GET /metrics", &[], "").0, 401);
    assert_eq!(server.send("GET /healthz", &[], "").0, 200);
}

#[test]
fn an_address_that_others_can_reach_gets_a_token() {
    let server = Server::at("0.0.0.0:0", &[]);
    let token = format!("Bearer {}", server.token.as_deref().expect("a token is printed"));
    assert_eq!(server.call("test_simple_text", &[]).0, 401);
    assert_eq!(server.call("test_simple_text", &[("Authorization", &token)]).0, 200);
}

#[test]
fn a_body_that_is_too_large_or_no_json_is_refused() {
    let server = Server::start(&[]);
    let headers = call_headers("test_simple_text", &[]);
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(17 * 1024 * 1024));
    // The server answers before it has read everything, so writing may already fail.
    let status = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        server.send("POST /mcp", &headers, &large).0
    }));
    assert!(matches!(status, Ok(413 | 0) | Err(_)), "{status:?}");
    let (status, body) = server.send("POST /mcp", &headers, "{nope");
    assert!((400..500).contains(&status), "{status} {body}");
    assert_eq!(server.call("test_simple_text", &[]).0, 200);
}

#[test]
fn a_client_that_disconnects_during_a_call_harms_nobody() {
    let server = Server::start(&[]);
    let headers = call_headers("fault_slow", &[]);
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    drop(server.open("POST /mcp", &headers, &call_body("fault_slow").to_string()));
    assert_eq!(server.call("test_simple_text", &[]).0, 200);
}

#[test]
fn a_call_in_flight_is_finished_before_the_server_ends() {
    let mut server = Server::start(&[]);
    let answer = std::thread::scope(|scope| {
        let call = scope.spawn(|| server.call("fault_slow", &[]));
        let end = Instant::now() + Duration::from_secs(30);
        while !server.send("GET /metrics", &[], "").1.contains("\nproofstone_calls_in_flight 1") {
            assert!(Instant::now() < end, "the call never begins");
            std::thread::sleep(Duration::from_millis(10));
        }
        server.terminate();
        call.join().expect("the call is answered")
    });
    assert_eq!(answer.0, 200);
    assert!(answer.1.contains("slow and done"), "{}", answer.1);
    assert_eq!(server.wait(), 0);
}

#[test]
fn an_address_in_use_says_so() {
    let server = Server::start(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .args(["serve", "--toolsets", "conformance", "--http", &server.address])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("can't listen on {}", server.address)), "{said}");
}
