//! A raw JSON-RPC client that tests other MCP servers.
