// Installs an MCPB bundle the way a desktop client does: unpacks it, fills in its settings, starts the
// server that its manifest names and calls a tool.
//
// bundle.mjs BUNDLE PROJECT
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { unpackExtension } from "@anthropic-ai/mcpb";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [bundle, project] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "proofstone-bundle-"));
try {
  assert.ok(await unpackExtension({ mcpbPath: resolve(bundle), outputDir: folder, silent: true }));
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const fill = (text) => text.replaceAll("${__dirname}", folder).replaceAll("${user_config.root}", project);
  const { command, args } = manifest.server.mcp_config;
  const client = new Client({ name: "bundle-test", version: "1.0" });
  await client.connect(new StdioClientTransport({ command: fill(command), args: args.map(fill) }));
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), manifest.tools.map((tool) => tool.name).sort());
  const answer = await client.callTool({ name: "get_overall_coverage", arguments: { lcovPath: "coverage/after.info" } });
  assert.equal(answer.structuredContent.overall, 94.1);
  await client.close();
  console.log(`the bundle serves ${tools.length} tools`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
