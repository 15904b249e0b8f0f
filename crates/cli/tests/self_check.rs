//! Proofstone checks itself: its own server, over stdio and HTTP, in both eras of the protocol, must
//! give no finding at all.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_proofstone");

/// Runs the check and gives its report.
fn check(revision: &str, server: &[&str]) -> Value {
    let root = tempfile::tempdir().expect("a folder can be made");
    let output = Command::new(PROGRAM)
        .args(["mcp-test", "check", "--json", "--protocol", revision, "--"])
        .args(server)
        .current_dir(root.path())
        .output()
        .expect("the program runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!("no report: {}", String::from_utf8_lossy(&output.stderr));
    })
}

fn finds_nothing(report: &Value) {
    assert_eq!(report["findings"], serde_json::json!([]), "{report:#}");
    let checks = report["checks"].as_array().expect("checks");
    let run = checks.iter().filter(|check| check.get("findings").is_some()).count();
    assert!(run >= 15, "only {run} checks ran: {report:#}");
    assert!(report["tools_called"].as_u64().expect("a number") > 10, "{report:#}");
}

#[test]
fn over_stdio_nothing_is_found() {
    for revision in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        finds_nothing(&check(revision, &[PROGRAM, "serve"]));
    }
}

#[test]
fn over_http_nothing_is_found() {
    let mut server = Server::start();
    for revision in ["2025-11-25", "2026-07-28"] {
        finds_nothing(&check(revision, &[&server.url]));
    }
    let _ = server.child.kill();
}

#[test]
fn a_fault_is_found_and_proved() {
    let report = check("2025-11-25", &["node", "-e", FAULTY]);
    let findings = report["findings"].as_array().expect("findings");
    let found: Vec<&str> =
        findings.iter().filter_map(|finding| finding["check"].as_str()).collect();
    for expected in ["tool-schemas", "message-schema", "json-rpc", "unknown-tool", "ping"] {
        assert!(found.contains(&expected), "{expected} is not among {found:?}");
    }
    let proved =
        findings.iter().filter(|f| !f["frames"].as_array().expect("frames").is_empty()).count();
    assert!(proved >= 3, "{report:#}");
}

/// A server with several faults: a tool without a schema, noise on stdout, no errors, no ping.
const FAULTY: &str = r#"
console.log("starting up");
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end; (end = rest.indexOf("\n")) >= 0; rest = rest.slice(end + 1)) {
    let message;
    try { message = JSON.parse(rest.slice(0, end)); } catch { continue; }
    const { id, method } = message;
    if (id === undefined || method === "ping") continue;
    const result = method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "faulty", version: "1" } }
      : method === "tools/list" ? { tools: [{ name: "bare" }] } : { content: [] };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
  }
});
process.stdin.on("end", () => process.exit(0));
"#;

struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["serve", "--http", "127.0.0.1:0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stderr = child.stderr.take().expect("stderr is piped");
        let mut lines = BufReader::new(stderr).lines();
        let said = lines.next().expect("a line").expect("text");
        let url = said.split_whitespace().find(|word| word.starts_with("http://")).expect("a URL");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: url.to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
