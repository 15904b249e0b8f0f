// The peer on the TypeScript SDK: the same hello tool, with validated input and output.
import { createRequire } from "node:module";
const modules = createRequire(`${process.env.BENCH_MODULES}/package.json`);
const load = (name) => import(modules.resolve(name));
const { McpServer } = await load("@modelcontextprotocol/server");
const { StdioServerTransport } = await load("@modelcontextprotocol/server/stdio");
const { z } = await load("zod");

const server = new McpServer({ name: "hello", version: "1" });
server.registerTool(
  "hello",
  {
    description: "Greets somebody.",
    inputSchema: z.object({
      name: z.string().min(1).max(64).regex(/^[A-Za-z ]+$/),
      times: z.number().int().min(1).max(10),
    }),
    outputSchema: z.object({ greeting: z.string() }),
  },
  async ({ name, times }) => {
    const answer = { greeting: `Hello, ${name}! `.repeat(times) };
    return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
  },
);
await server.connect(new StdioServerTransport());
