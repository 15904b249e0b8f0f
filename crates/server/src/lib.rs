//! Toolsets as an MCP server on stdio and streamable HTTP.
