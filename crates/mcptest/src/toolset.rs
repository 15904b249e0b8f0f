//! The toolset: its name, its dialect and the one list of its tools.

use std::sync::Arc;

use proofstone_contract::{BoxFuture, Dialect, Entry, Tool, Toolset};

use crate::McpTestDialect;
use crate::connection::Connections;
use crate::tools;

/// The mcp-test toolset.
#[derive(Debug, Default)]
pub struct McpTest {
    connections: Arc<Connections>,
}

impl McpTest {
    /// The name people choose it by.
    pub const NAME: &'static str = "mcp-test";
}

impl Toolset for McpTest {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn summary(&self) -> &'static str {
        "does this MCP server do what it claims: connect, list, call, check"
    }

    fn instructions(&self) -> &'static str {
        "Call connect_to_server with the url of a server, or with the command that starts one; then \
         list_tools, call_tool and the others work on that connection until disconnect. Answers are \
         exactly what the server sent, never a summary. If the server asks something during a call, \
         call_tool returns with `waiting`, and respond goes on with it. get_frames shows the messages behind them. \
         check_server tries the protocol's rules on the connected server and proves each finding; \
         lint_server, fuzz_tool and load_test look at surface, behaviour and speed; snapshot_contract \
         with diff_contract, record with replay, and restart_server show what changed."
    }

    fn dialect(&self) -> &dyn Dialect {
        &McpTestDialect
    }

    fn tools(&self) -> Vec<Entry> {
        fn entry<T: Tool>(tool: T) -> Entry {
            Entry::new(tool, McpTest::NAME, &McpTestDialect)
        }
        let open = || Arc::clone(&self.connections);
        vec![
            entry(tools::connect_to_server::ConnectToServer(open())),
            entry(tools::disconnect::Disconnect(open())),
            entry(tools::get_connection_status::GetConnectionStatus(open())),
            entry(tools::list_tools::ListTools(open())),
            entry(tools::call_tool::CallTool(open())),
            entry(tools::list_resources::ListResources(open())),
            entry(tools::read_resource::ReadResource(open())),
            entry(tools::list_prompts::ListPrompts(open())),
            entry(tools::get_prompt::GetPrompt(open())),
            entry(tools::respond::Respond(open())),
            entry(tools::get_frames::GetFrames(open())),
            entry(tools::check_server::CheckServer(open())),
            entry(tools::lint_server::LintServer(open())),
            entry(tools::snapshot_contract::SnapshotContract(open())),
            entry(tools::diff_contract::DiffContract(open())),
            entry(tools::fuzz_tool::FuzzTool(open())),
            entry(tools::load_test::LoadTest(open())),
            entry(tools::record::Record(open())),
            entry(tools::replay::Replay(open())),
            entry(tools::restart_server::RestartServer(open())),
        ]
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.connections.close_all())
    }
}
