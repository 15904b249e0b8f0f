//! The raw client against a real server: the official reference server, over every transport that it
//! offers. `./ci/test` installs it.

use std::path::PathBuf;
use std::time::Duration;

use proofstone_mcptest::{Client, Opening, StdioTarget, Target};
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(30);

fn tools() -> PathBuf {
    let folder = std::env::var_os("PROOFSTONE_TOOLS").map(PathBuf::from);
    folder.expect("PROOFSTONE_TOOLS is not set: run ./ci/test, which installs what tests need")
}

fn everything() -> StdioTarget {
    let modules = tools().join("mcp-servers/node_modules");
    let server = modules.join("@modelcontextprotocol/server-everything/dist/index.js");
    StdioTarget {
        command: "node".into(),
        args: vec![server.display().to_string(), "stdio".into()],
        ..StdioTarget::default()
    }
}

#[tokio::test]
async fn the_reference_server_over_stdio() {
    let client = Client::open(&Target::Stdio(everything())).await.expect("it starts");
    client.begin(&Opening::default()).await.expect("it opens a session");
    let (tools, _) = client.list_all("tools/list", "tools", PATIENCE).await.expect("it lists");
    assert!(tools.iter().any(|tool| tool["name"] == "echo"), "{tools:?}");
    let params = json!({ "name": "echo", "arguments": { "message": "hello" } });
    let reply = client.request("tools/call", params, PATIENCE).await.expect("it answers");
    assert!(reply.result["content"][0]["text"].as_str().is_some_and(|text| text.contains("hello")));
    let exit = client.close().await.expect("it ends");
    assert_eq!((exit.code, exit.signal), (Some(0), None), "{exit}");
}
