// Real TypeScript clients list every tool of a real server without a warning and call one of each
// toolset. Usage: node clients.mjs SERVER ROOT
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [server, root] = process.argv.slice(2);
const here = new URL("./", import.meta.url);
const modules = createRequire(`${process.env.PROOFSTONE_TOOLS}/interop/package.json`);
const load = (name) => import(modules.resolve(name));
const calls = JSON.parse(readFileSync(fileURLToPath(new URL("calls.json", here))));
const tools = JSON.parse(execFileSync(server, ["tools", "--json"], { cwd: root, maxBuffer: 1 << 26 }));
const toolsets = [...new Set(tools.map((tool) => tool.toolset))];

const warnings = [];
for (const level of ["warn", "error"]) console[level] = (...words) => warnings.push(words.join(" "));

async function v1(name) {
  const { Client } = await load(`${name}/client/index.js`);
  const { StdioClientTransport } = await load(`${name}/client/stdio.js`);
  return { Client, StdioClientTransport };
}

async function v2() {
  const { Client } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  return { Client, StdioClientTransport };
}

function check(holds, said) {
  if (!holds) throw new Error(said);
}

async function run(label, { Client, StdioClientTransport }) {
  const client = new Client({ name: "interop", version: "1" });
  await client.connect(new StdioClientTransport({ command: server, args: ["serve", "--root", root], stderr: "inherit" }));
  const listed = (await client.listTools()).tools.map((tool) => tool.name);
  check(listed.length === tools.length, `${label}: listed ${listed.length} of ${tools.length} tools`);
  for (const toolset of toolsets) {
    const [name, args] = calls[toolset];
    const result = await client.callTool({ name, arguments: args });
    check(result.content.length > 0, `${label}: ${name} has no content`);
    const tool = tools.find((tool) => tool.name === name);
    check(!tool.outputSchema || result.isError || result.structuredContent, `${label}: ${name} has no structured content`);
  }
  await client.close();
  check(warnings.length === 0, `${label}: warnings:\n${warnings.join("\n")}`);
  console.log(`${label}: ${listed.length} tools listed, ${toolsets.length} called`);
}

await run("TypeScript SDK 1.25.3", await v1("sdk-1-25"));
await run("TypeScript SDK 1.32.2", await v1("sdk-1-32"));
await run("TypeScript client 2.4.0", await v2());
